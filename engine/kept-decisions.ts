import { LRUCache } from 'lru-cache';
import { AS_USUAL } from './cached-loader.ts';
import type { Residual } from './decide.ts';
import type { Decision } from './decision.ts';
import type { Span } from './item-cache.ts';
import { GLOBAL_ID } from './items.ts';
import type { Kept } from './load.ts';
import { type TokenGroups, textWithGroups } from './token-groups.ts';

/**
 * What a decision came to. It may be given again while each item that it rests on is still the cached one and recent
 * enough, and until time changes it (ADR 0013): nothing has to be told to forget it.
 */
export interface KeptDecision extends Kept {
  /** One list for all decisions of a subject at a scope. */
  shared: readonly Span[];
  readonly permission: string;
  readonly residual: Residual;
  /**
   * The decision, where its conditions look at stored properties only; for questions about the scope itself. Without
   * the credential.
   */
  readonly settled: Decision | undefined;
  /** The root of the scope; undefined if the scope is unknown. */
  readonly tenant: string | undefined;
  /** Whether something is granted to the subject by name. */
  readonly hasGrant: boolean;
  /** The effective roles, inherited ones included; undefined if nobody asked for them. */
  readonly roles: readonly string[] | undefined;
}

export type KeptDecisions = ReturnType<typeof createKeptDecisions>;

/** Estimated bytes, on the high side (`npm run bench -- memory` compares them with real usage). */
const SUBJECT_BYTES = 460;
const SCOPE_BYTES = 160;
const DECISION_BYTES = 240;

/** Bound on what is kept of one subject: some 4,000 decisions. */
const BYTES_PER_SUBJECT = 1_000_000;

interface KeptSubject {
  /** By scope: the only decision there, or by permission. */
  readonly scopes: Map<string, KeptAtScope>;
  /** Whether it was asked with the groups of a token: a text that names no subject may be equal to that of one that was. */
  readonly hasGroups: boolean;
  /** Estimated, with what is kept of it. */
  bytes: number;
}

/** Shares of the bound on items that decisions may take: at most a quarter, and at least 1/32, even where items fill it. */
const MOST = 1 / 4;
const LEAST = 1 / 32;

/**
 * Keeps decisions in the memory that items leave free: an item that is not cached costs a read, a decision only its
 * making. The subjects that were asked about least recently are forgotten first.
 *
 * @param maxBytes bound on the items, in bytes
 */
export function createKeptDecisions(maxBytes: number) {
  const least = Math.ceil(maxBytes * LEAST);
  const most = Math.ceil(maxBytes * MOST);
  let room = most;
  /**
   * Of all subjects. They grow while they are in the cache, which takes a size only when a value is set: there each counts
   * 1, a bound that is never reached, and `shrink` keeps the real one.
   */
  let bytes = 0;
  const subjects = new LRUCache<string, KeptSubject>({
    maxSize: most,
    sizeCalculation: () => 1,
    dispose: (gone) => {
      bytes -= gone.bytes;
    },
  });
  /** Of the global item, on which all that is kept rests. */
  let global: Span | undefined;
  const shrink = () => {
    while (bytes > room && subjects.pop());
  };

  return {
    /** Leaves to items the bytes that they take. */
    leave: (bytesOfItems: number): void => {
      room = Math.min(most, Math.max(least, maxBytes - bytesOfItems));
      shrink();
    },
    /** A decision that may not hold any more: it is for the load to say (`Run.again`). */
    find: (
      subject: string,
      groups: TokenGroups | undefined,
      scope: string,
      permission: string,
    ): KeptDecision | undefined => {
      const id = groups === undefined ? subject : textWithGroups(subject, groups);
      const known = subjects.get(id, AS_USUAL);
      if (known === undefined || known.hasGroups !== (groups !== undefined)) return undefined;
      const there = known.scopes.get(scope);
      if (there instanceof Map) return there.get(permission);
      return there?.permission === permission ? there : undefined;
    },
    keep: (subject: string, groups: TokenGroups | undefined, scope: string, decision: KeptDecision): void => {
      const ofGlobal = decision.shared.find(({ id }) => id === GLOBAL_ID);
      // Read anew: nothing that was kept before holds any more, and to find that out one by one takes longer.
      if (ofGlobal !== global) subjects.clear();
      global = ofGlobal;
      const hasGroups = groups !== undefined;
      const id = hasGroups ? textWithGroups(subject, groups) : subject;
      let known = subjects.get(id, AS_USUAL);
      if (known === undefined || known.bytes > BYTES_PER_SUBJECT) {
        known = { scopes: new Map(), hasGroups, bytes: SUBJECT_BYTES + (hasGroups ? 2 * id.length : 0) };
        subjects.set(id, known, AS_USUAL);
        bytes += known.bytes;
      }
      const before = known.scopes.get(scope);
      const after = withDecision(before, decision);
      if (after.kept !== before) known.scopes.set(scope, after.kept);
      const grown = after.more * DECISION_BYTES + (before === undefined ? SCOPE_BYTES : 0);
      known.bytes += grown;
      bytes += grown;
      shrink();
    },
  };
}

type KeptAtScope = KeptDecision | Map<string, KeptDecision>;

/** Adds a decision to those of a subject at a scope, and says how many more they are. */
function withDecision(before: KeptAtScope | undefined, decision: KeptDecision) {
  const { permission } = decision;
  const first = before instanceof Map ? (before.values().next().value as KeptDecision) : before;
  // Where an item that all of them look at was replaced, none of the others holds any more.
  if (first === undefined || !isSame(first.shared, decision.shared))
    return { kept: decision, more: 1 - (before instanceof Map ? before.size : before ? 1 : 0) };
  decision.shared = first.shared;
  if (!(before instanceof Map) && first.permission === permission) return { kept: decision, more: 0 };
  const all = before instanceof Map ? before : new Map([[first.permission, first]]);
  const more = all.has(permission) ? 0 : 1;
  return { kept: all.set(permission, decision), more };
}

const isSame = (spans: readonly Span[], others: readonly Span[]): boolean =>
  spans.length === others.length && spans.every((span, position) => span === others[position]);
