import { entityOf } from '../../table/entities/registry.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import { isClosed } from '../kinds/entries.ts';
import { beyondTenant } from '../kinds/writing.ts';
import { asOpen, type Operation } from '../operation.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { AuditEntry, Plan } from '../plan.ts';
import { keepRequest, matcherOf } from './approval.ts';
import { createEffects, isEffect } from './effects.ts';
import { createHandsOn } from './handing-on.ts';
import {
  notPermitted,
  type Operator,
  type Operators,
  permissionOf,
  type Right,
  type Shown,
} from './operator.ts';
import { changesOfOthers, isOwnChange, partsOfOthers } from './own-mandates.ts';
import { type Part, partsOf } from './parts.ts';
import { placesOf } from './places.ts';

/**
 * Who may run which command where (ADR 0032). The permission is asked for twice: before anything is planned, in the
 * tenants that the input names; and before anything is written, in those that the plan concerns.
 */
export interface OperatorRules {
  readonly operators: Operators;
  /** What another operator has to approve: names of commands with `*`, and effects. */
  readonly approvalFor: readonly string[];
}

type Input = Readonly<Record<string, unknown>>;

/** One operator's request. */
export interface Guarded {
  readonly operator: Operator;
  /** Throws `not_permitted` unless the operator may run this command in every tenant that its input names. */
  readonly begin: (command: string, input: Input) => Promise<void>;
  /** Throws `not_permitted` unless the operator may do all that the plan does. */
  readonly checkPlan: (command: string, plan: Plan) => Promise<void>;
  /** The plan that keeps a request for approval instead; undefined where none is needed. */
  readonly request: (command: string, plan: Plan, asked: Request) => Promise<Plan | undefined>;
  /** Whether the plan has to wait for another operator. */
  readonly waits: (command: string, plan: Plan) => Promise<boolean>;
  /** Whether an error may name who holds a value, which may be in any tenant. */
  readonly seesHolders: () => boolean;
  /** The same operator for the parts of one transaction: each by itself, every right decided once for all of them. */
  readonly forParts: () => (reader: Reader) => Guarded;
}

interface Request {
  readonly operation: Operation;
  readonly input: unknown;
  readonly now: string;
}

/**
 * Whether a change belongs to no tenant whatever its record says: whoever changes a subject or its credentials can
 * act as it in every tenant where it has rights.
 */
const isOfSubject = (command: string): boolean =>
  /^(?:token|session)\./.test(command) || /^(?:user|technical-user|subject)\.(?!create$)/.test(command);

const READS = /\.(?:read|read-all|find|list|access)$/;

/**
 * Whether a part takes the right for what belongs to no tenant whatever it names. It is asked for before the part is
 * planned: who would break an invariant by it, or lose access, may be in any tenant. What a comparison plans is not looked
 * at again.
 */
function isBeyondTenants({ command, permission, input }: Part): boolean {
  if (isOfSubject(command)) return !READS.test(command);
  if (permission === permissionOf(command)) return false;
  const [type = ''] = command.split('.');
  const entity = entityOf(type);
  // Of what is there the id is no change.
  const changes = command.endsWith('.create') ? input : { ...input, id: undefined };
  return type === 'scim-user' || (entity !== undefined && beyondTenant(entity, changes) !== undefined);
}

/** A right, and what to say where it is lacking. */
interface Needed extends Right {
  readonly refusal?: GatehouseError | undefined;
}

/** @param isAlone whether the input of the whole command has the field */
const countsElsewhere = (field: string, isAlone: boolean): GatehouseError =>
  new GatehouseError(
    'not_permitted',
    `${field}: it counts in other tenants too, and takes the right for what belongs to no tenant`,
    isAlone ? { field } : {},
  );

const nameOf = ({ permission, tenant }: Right): string => `${permission} ${tenant ? formatRef(tenant) : ''}`;

/** All that a plan changes, in this step and in those after it. */
const entriesOf = ({ audit, carries = [] }: Plan): readonly AuditEntry[] => [
  ...new Set([...[audit].flat().filter(({ notice }) => !notice), ...carries]),
];

/** Whether a tenant is closed by its change. */
const isOfClosing = ({ entity, tenant, after = {} }: AuditEntry): boolean =>
  tenant !== undefined &&
  formatRef(entity) === formatRef(tenant) &&
  (after.deletingSince !== undefined || isClosed(after.status));

/**
 * All that has to be permitted before a plan is carried out: what it changes; and what is of a tenant that it closes and
 * then goes on with, also as its later steps need it. A closed tenant has no operators of its own, so that otherwise they
 * could close what they can neither go on with nor open.
 */
function toPermit(plan: Plan): readonly AuditEntry[] {
  const entries = entriesOf(plan);
  const nameOfTenant = ({ tenant }: AuditEntry) => tenant && formatRef(tenant);
  const closed = new Set(plan.next ? entries.filter(isOfClosing).map(nameOfTenant) : []);
  const later = entries.filter((entry) => closed.has(nameOfTenant(entry)));
  return [...entries, ...later.map((entry) => ({ ...entry, tenant: undefined }))];
}

/** Where an entry's change has to be permitted; undefined for what belongs to no tenant. */
const placeOf = (command: string, { tenant }: AuditEntry): Ref | undefined =>
  isOfSubject(command) ? undefined : tenant;

/** Whom a plan concerns, each once: those whom it changes or speaks of; undefined for what belongs to no tenant. */
function placesIn(command: string, plan: Plan): readonly (Ref | undefined)[] {
  const changed = entriesOf(plan).map((entry) => placeOf(entry.command ?? command, entry));
  const all = [...changed, ...(plan.names ?? [])];
  return [...new Map(all.map((tenant) => [tenant ? formatRef(tenant) : '', tenant])).values()];
}

/** Answers in which a right that was decided once is not decided again. */
function remembering(may: Operators['may']): Operators['may'] {
  const known = new Map<string, Promise<boolean>>();
  return async (operator, rights) => {
    const { subject, actor } = operator;
    const name = (right: Right) => [subject, actor?.subject, actor?.mandate, nameOf(right)].join(' ');
    const fresh = rights.filter((right) => !known.has(name(right)));
    const answers = fresh.length > 0 ? may(operator, fresh) : Promise.resolve([]);
    for (const [position, right] of fresh.entries())
      known.set(
        name(right),
        answers.then((all) => all[position] === true),
      );
    return Promise.all(rights.map((right) => known.get(name(right)) ?? false));
  };
}

const LOST = new GatehouseError('not_permitted', 'the operator who asked for this may not do it any more', {
  field: 'id',
});

/** Does a check, and throws this refusal in the place of any other one: what was asked for has other fields. */
async function unlessRefused(refusal: GatehouseError, check: () => Promise<unknown>): Promise<void> {
  await check().catch((error: unknown) => {
    throw error instanceof GatehouseError && error.code === 'not_permitted' ? refusal : error;
  });
}

export function createGuard(everything: Reader, { operators, approvalFor }: OperatorRules) {
  const isToApprove = matcherOf(approvalFor.filter((each) => !isEffect(each)));
  const effects = approvalFor.filter(isEffect);

  async function isToWait(operator: Operator, command: string, plan: Plan, reader: Reader): Promise<boolean> {
    if (command.startsWith('approval.')) return false;
    const named = entriesOf(plan).map((entry) => ({ name: entry.command ?? command, entry }));
    if ([command, ...named.map(({ name }) => name)].some(isToApprove)) return true;
    const has = createEffects(reader);
    const others = named.filter(({ name, entry }) => !isOwnChange(operator, name, entry));
    const found = effects.flatMap((effect) => others.map(({ name, entry }) => has(effect, name, entry)));
    return (await Promise.all(found)).includes(true);
  }

  const guardedAs = (operator: Operator, may: Operators['may'], reader: Reader): Guarded => {
    /** Which of the rights an operator lacks, each looked up once. */
    async function lacking(operator: Operator, rights: readonly Right[]): Promise<ReadonlySet<string>> {
      const distinct = [...new Map(rights.map((right) => [nameOf(right), right])).values()];
      const answers = distinct.length > 0 ? await may(operator, distinct) : [];
      return new Set(distinct.filter((_, position) => answers[position] !== true).map(nameOf));
    }

    const ofPlatform = (permission: string): Right => ({ permission, tenant: undefined });

    /** The rights that the changes of a plan need. */
    async function rightsFor(
      operator: Operator,
      command: string,
      entries: readonly AuditEntry[],
    ): Promise<readonly Needed[]> {
      const handsOn = createHandsOn(reader, isOfOperators);
      const platform = await lacking(
        operator,
        entries.map((entry) => ofPlatform(permissionOf(entry.command ?? command))),
      );
      const rights = entries.map(async (entry): Promise<readonly Needed[]> => {
        const name = entry.command ?? command;
        const permission = permissionOf(name);
        const right = { permission, tenant: placeOf(name, entry) };
        const isKnown = !platform.has(nameOf(ofPlatform(permission)));
        const { beyondTenant: beyond } = entry;
        if (isKnown || (beyond === undefined && !(await handsOn(name, entry)))) return [right];
        const refusal =
          beyond === undefined ? undefined : countsElsewhere(beyond, entry.command === undefined);
        return [right, { ...ofPlatform(permission), refusal }];
      });
      return (await Promise.all(rights)).flat();
    }

    async function refuseUnlessAll(operator: Operator, command: string, all: readonly AuditEntry[]) {
      const entries = await changesOfOthers(operators.areGranted, operator, command, all);
      const rights = await rightsFor(operator, command, entries);
      const missing = await lacking(operator, rights);
      if (missing.size === 0) return;
      const refused = rights.filter((right) => missing.has(nameOf(right)));
      throw refused.every(({ refusal }) => refusal) ? refused[0]?.refusal : notPermitted();
    }

    /** Whether the operator has the right for all tenants. Throws `not_permitted` without it in one that is named. */
    async function begin(operator: Operator, command: string, input: Input): Promise<boolean> {
      const all = partsOf(command, input);
      const { areGranted } = operators;
      const parts = await partsOfOthers({ reader, areGranted }, operator, all);
      // No right is asked for, which an operator who is not active has not.
      if (parts.length < all.length && !(await operators.isActive(operator))) throw notPermitted();
      const platform = await lacking(
        operator,
        parts.map(({ permission }) => ofPlatform(permission)),
      );
      const limited = parts.filter(({ permission }) => platform.has(nameOf(ofPlatform(permission))));
      const named = await Promise.all(
        limited.map(async (part) => {
          const places = await placesOf(reader, part.command, part.input);
          if (places.length === 0) throw notPermitted();
          return places.map(({ field, tenant }) => ({
            field: `${part.at}${field}`,
            right: { permission: part.permission, tenant },
          }));
        }),
      );
      const places = named.flat();
      const missing = await lacking(
        operator,
        places.flatMap(({ right }) => (right.tenant ? [right] : [])),
      );
      const refused = places.find(({ right }) => !right.tenant || missing.has(nameOf(right)));
      if (refused) throw notPermitted(refused.field);
      if (limited.some(isBeyondTenants)) throw notPermitted();
      return platform.size === 0 && parts.length > 0;
    }

    let seesHolders = false;

    return {
      operator,
      seesHolders: () => seesHolders,
      begin: async (command, input) => {
        seesHolders = await begin(operator, command, input);
      },
      checkPlan: async (command, plan) => {
        const entries = toPermit(plan);
        await refuseUnlessAll(operator, command, entries);
        const { requested } = plan;
        if (requested === undefined) return;
        const approval = permissionOf(command);
        const missing = await lacking(
          operator,
          entries.map((entry) => ({
            permission: approval,
            tenant: placeOf(entry.command ?? command, entry),
          })),
        );
        if (missing.size > 0) throw notPermitted();
        await unlessRefused(notPermitted('id'), () => begin(operator, requested.command, requested.input));
        const asker = { subject: requested.by };
        await unlessRefused(LOST, async () => {
          await begin(asker, requested.command, requested.input);
          await refuseUnlessAll(asker, command, entries);
        });
      },
      request: async (command, plan, { operation, input, now }) => {
        if (!(await isToWait(operator, command, plan, reader))) return undefined;
        // The request would be carried out when the mandate is over.
        if (operator.actor) throw notPermitted();
        const places = placesIn(command, plan);
        const [tenant] = places.length === 1 ? places : [];
        const asked = { operation, input, result: plan.result, requestedBy: operator.subject, now };
        return {
          actions: [keepRequest({ ...asked, places: places.length > 0 ? places : [undefined] })],
          result: {},
          audit: {
            command: 'approval.request',
            entity: { type: 'approval', id: operation.id },
            tenant,
            details: { requested: command },
          },
          record: () => asOpen(operation),
        };
      },
      waits: (command, plan) => isToWait(operator, command, plan, reader),
      forParts: () => {
        const once = remembering(operators.may);
        return (itemReader) => guardedAs(operator, once, itemReader);
      },
    };
  };

  return async (shown: Shown): Promise<Guarded> =>
    guardedAs(await operators.identify(shown), operators.may, everything);
}
