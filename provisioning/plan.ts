import type { KnownSplits } from '../table/decision/split.ts';
import type { Ref } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import type { Reader } from '../table/reader.ts';
import type { Action } from '../table/write/action.ts';

/**
 * What a write command comes to before anything is sent: the actions of one transaction, the answer,
 * and what the audit record says.
 */
export interface Plan {
  readonly actions: readonly Action[];
  readonly result: Readonly<Record<string, unknown>>;
  /** What is shown in the first answer and kept nowhere: a secret that was made for the caller. */
  readonly shownOnce?: Readonly<Record<string, unknown>>;
  /** One for each part where it is put together from several. */
  readonly audit: AuditEntry | readonly AuditEntry[];
  /**
   * The step after this one, where one transaction is too small. Every step leaves the table whole, and what
   * it began is found again in the table: the same command, sent anew, goes on.
   */
  readonly next?: (planning: Planning) => Promise<Plan>;
  /** It changes nothing yet: the next step follows, however late it is, so that each sending gets on. */
  readonly isPrelude?: true;
  /** Whether the next step may be planned while this one is being written, unless it looks at what this one changes. */
  readonly planAhead?: boolean;
  /** Of a command that does many changes, one after the other. */
  readonly progress?: Progress;
  /**
   * What all its steps change, where the audit entries of this one do not say it: operators need the right to each, and
   * each may have to wait for another operator. A command that carries others says it always.
   */
  readonly carries?: readonly AuditEntry[];
  /** The roots that the input speaks of, changed or not. Who sees a request for it sees what it says of them. */
  readonly names?: readonly Ref[];
  /**
   * Written in place of the record of the operation, by what keeps a record of its own.
   *
   * @param result with pseudonyms for personal values
   */
  readonly record?: (result: Plan['result']) => Action;
  /**
   * Written when the command ends before its last step, unless the same operation goes on later: it frees what the
   * steps hold.
   */
  readonly frees?: readonly Action[];
  /** It is one of many steps, and may concern many people: more are looked at for invariants. */
  readonly isOfMany?: true;
  /** Invariants that it may break, by name, with the reason: this goes into the records. */
  readonly accepts?: readonly Accepted[] | undefined;
  /** Of a request that another operator approves. */
  readonly requested?: Requested;
}

/** An invariant that may be broken. */
export interface Accepted {
  readonly invariant: string;
  readonly reason: string;
}

/** A command as it is sent. */
export interface Sent {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Who asked for what. */
export interface Requested extends Sent {
  /** A reference. */
  readonly by: string;
}

/** How far a command is that does many changes. */
export interface Progress {
  /** Changes that are done: by one step, or, in an answer, by all steps since the command was sent. */
  readonly done: number;
  readonly left: number;
}

/** The entries of a plan that leave a record. */
export const recorded = ({ audit }: Pick<Plan, 'audit'>): readonly AuditEntry[] =>
  [audit].flat().filter(({ kept }) => !kept);

/** The records of a plan; the first of a tenant, or else the first, says which invariants it may break, and why. */
export function withAccepted(audit: Plan['audit'], accepted: readonly Accepted[]): Plan['audit'] {
  if (accepted.length === 0) return audit;
  const entries = [audit].flat();
  const place = entries.find(({ tenant, kept }) => tenant && !kept) ?? entries[0];
  return entries.map((entry) => {
    if (entry !== place) return entry;
    const known = (entry.details?.accepted ?? []) as readonly Accepted[];
    const more = accepted.filter((one) => !known.some(({ invariant }) => invariant === one.invariant));
    return { ...entry, details: { ...entry.details, accepted: [...known, ...more] } };
  });
}

/** Whether all that a plan asks for is there already: then nothing is sent. */
export const isKept = ({ actions, audit }: Plan): boolean =>
  actions.length === 0 && [audit].flat().some(({ kept }) => kept) && recorded({ audit }).length === 0;

/** A plan that is one transaction. */
export type OneTransaction = Plan & { readonly next?: never };

/** The plan where all is so already: it answers that, and nothing is written. */
export const keptPlan = (audit: AuditEntry, result: Plan['result']): OneTransaction => ({
  actions: [],
  result: { ...result, kept: true },
  audit: { ...audit, kept: true },
});

export interface AuditEntry {
  /** The command of a part; that which was sent, when left out. */
  readonly command?: string;
  /** What was changed: `user`, `membership`, … and its id. */
  readonly entity: Ref;
  /** The tenant whose log gets the record; the global log when left out. */
  readonly tenant?: Ref | undefined;
  /** The first field that counts in other tenants too: it takes the right for what belongs to no tenant. */
  readonly beyondTenant?: string | undefined;
  /** Permissions and patterns that a new role has from its template. The record has them among its edges. */
  readonly lent?: readonly string[] | undefined;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  /** What was asked for is there already: it takes the right for the change, and leaves no record. */
  readonly kept?: true;
  /** It says in another log what an entry beside it says: it takes no right. */
  readonly notice?: true;
  /** Who acted, for whom and by what, where whoever sent the command vouches for it: references. */
  readonly acting?: { readonly actor: string; readonly onBehalfOf: string; readonly mandate: string };
  /** Other attributes of the record. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a command may use while it plans: reads, the time, fresh ids. */
export interface Planning {
  readonly reader: Reader;
  /** ISO 8601, for attributes. Decision items get the time of the sending instead, when it comes to that. */
  readonly now: string;
  readonly newId: () => string;
  /** 256 random bits as text. */
  readonly newSecret: () => string;
  /** Which items are known to have parts that stand apart; a plan that is cut into steps counts by it. */
  readonly splits?: KnownSplits | undefined;
  /** The id of the operation; undefined where nothing is going to be written. */
  readonly operation?: string | undefined;
  /**
   * Whether a plan of this request was refused before: what it names was there then. False: this is the first, and a
   * refusal as `stale` leads to another, so it may take to be absent what it has not read. Undefined: there is one plan.
   */
  readonly again?: boolean | undefined;
  /** The verified operator, as a reference; undefined where whoever may invoke provisioning may do everything. */
  readonly operator?: string | undefined;
}

/** A node as the table holds it. */
export interface Node {
  readonly ref: Ref;
  readonly item: Item;
}
