import * as z from 'zod';
import type { Guard } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { notFound } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf, allScopes, logOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey, operationKey, parseKey, pseudonymKey } from '../../table/keys.ts';
import { MAX_PAGE, type Reader } from '../../table/reader.ts';
import type { Action, Value } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { type Command, writeCommand } from '../command.ts';
import { erasureOf } from '../erasures.ts';
import { planDeletionOf } from '../kinds/deletion.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { allApprovals } from '../operators/approval.ts';
import type { Plan, Planning } from '../plan.ts';
import { actorUser, mapNamed, personalOf, personOf } from '../pseudonyms.ts';
import type { Attributes } from '../visible.ts';
import { kindOf } from './node-kinds.ts';

/** What stands in the place of a personal value of somebody who was erased. */
const ERASED = '(erased)';
const OF_ORIGIN = ['ipAddress', 'userAgent', 'metadata'] as const;
/** Records that one step rewrites, each perhaps with the recorded answer of its operation. */
const A_STEPFUL = 40;

/** Whose logs there are: nobody's, and those of all roots. */
async function logOwners(reader: Reader): Promise<readonly (Ref | undefined)[]> {
  const owners: Ref[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.list({ ...allScopes(), limit: MAX_PAGE, cursor });
    for (const item of page.items) {
      const key = parseKey(item);
      if (key?.form === 'node' && item.root === formatRef(key)) owners.push({ type: key.type, id: key.id });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [undefined, ...owners];
}

/** Whether a value is a personal one as it was given: not a pseudonym, and not erased. */
const isClear = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== ERASED &&
  !(typeof value === 'string' && value.startsWith('pseudonym:'));

interface Rewriting {
  readonly item: Item;
  /** Attribute → what is written. */
  readonly set: Readonly<Record<string, Value>>;
  /** The values that are taken away, by attribute and value. */
  readonly values: ReadonlySet<string>;
}

/** What of a record says something of the user, in clear: records from before pseudonyms do. */
function rewritingOf(item: Item, user: Ref): Rewriting | undefined {
  const entity = { type: String(item.entityType), id: String(item.entityId) };
  const [before, after] = [item.before, item.after].map((of) => (of ?? undefined) as Attributes | undefined);
  const person = personOf({ entity, ...(before ? { before } : {}), ...(after ? { after } : {}) });
  const values = new Set<string>();
  const without = (of: Attributes, names: readonly string[]): Attributes =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        if (!names.includes(name) || !isClear(value)) return [name, value];
        values.add(`${name} ${canonical(value)}`);
        return [name, ERASED];
      }),
    );
  const set: Record<string, Value> = {};
  const isUser = (ref: Ref | undefined) => ref !== undefined && formatRef(ref) === formatRef(user);
  if (isUser(person)) {
    const names = personalOf(entity.type);
    if (before) set.before = without(before, names);
    if (after) set.after = without(after, names);
  }
  if (isUser(person) || isUser(actorUser(item.actor as string | undefined))) {
    for (const [name, value] of Object.entries(without(item, OF_ORIGIN)))
      if (value === ERASED) set[name] = value;
  }
  return values.size === 0 ? undefined : { item, set, values };
}

const rewrite = ({ item: { PK, SK }, set }: Rewriting): Action => ({
  kind: 'update',
  key: { PK, SK },
  set,
});

/** The recorded answers of the operations, without these values. */
async function answersWithout(reader: Reader, found: readonly Rewriting[]): Promise<readonly Action[]> {
  const ids = [...new Set(found.map(({ item }) => String(item.operationId)))];
  const values = new Set(found.flatMap((each) => [...each.values]));
  const items = await reader.getMany(ids.map(operationKey));
  return items.flatMap((item): Action[] => {
    if (!item) return [];
    const result = mapNamed(item.result, (name, value) =>
      values.has(`${name} ${canonical(value)}`) ? ERASED : value,
    );
    if (canonical(result) === canonical(item.result)) return [];
    return [{ kind: 'update', key: { PK: item.PK, SK: item.SK }, set: { result: result as Value } }];
  });
}

/** Where the search for records goes on. */
interface Place {
  readonly owners: readonly (Ref | undefined)[];
  readonly cursor?: string | undefined;
}

/** `user.erase`: whoever has the right to be forgotten. */
export const eraseCommand: Command = writeCommand({
  name: 'user.erase',
  summary:
    'Deletes a user and destroys what links the audit log to the person: the key of the pseudonyms, personal values in older records, notifications, and requests for approval that name the user. The user may have been deleted before.',
  inSteps: true,
  input: z.strictObject({ id: field.id }),
  destructive: { undo: 'none: nothing brings a key back that was destroyed' },
  plan: async (planning, { id }, again = false): Promise<Plan> => {
    const user: Ref = { type: 'user', id };
    const [node, key] = await planning.reader.getMany([nodeKey(user), pseudonymKey(user)]);
    const owners = await logOwners(planning.reader);
    const first = await searching(planning, user, { owners }, node);
    const isUnknown = !node && !key && first.audit.length === 0 && !again;
    if (isUnknown) throw notFound('id', 'this user');
    return first.plan;
  },
});

const resultOf = ({ id }: Ref): Plan['result'] => ({ id, erased: true });

/** The next step: older records, then requests, then notifications, then the user, and the key last. */
async function searching(
  planning: Planning,
  user: Ref,
  { owners, cursor }: Place,
  node: Item | undefined,
): Promise<{ readonly plan: Plan; readonly audit: readonly Rewriting[] }> {
  const { reader } = planning;
  for (let [rest, from] = [owners, cursor]; rest.length > 0; ) {
    const page = await reader.listMerged({ ...logOf(rest[0], {}), limit: A_STEPFUL, cursor: from });
    from = page.cursor;
    if (from === undefined) rest = rest.slice(1);
    const found = page.items.flatMap((item) => rewritingOf(item, user) ?? []);
    if (found.length === 0) continue;
    const place = { owners: rest, cursor: from };
    const plan: Plan = {
      actions: [...found.map(rewrite), ...(await answersWithout(reader, found))],
      result: resultOf(user),
      audit: { entity: user, after: { records: found.length } },
      next: async (later) => (await searching(later, user, place, node)).plan,
    };
    return { plan, audit: found };
  }
  return { plan: await withdrawing(planning, user, node), audit: [] };
}

/** Whether a text is the user's id or reference, or a value by which the user alone is found. */
function isNameOf(user: Ref, node: Item | undefined): (text: string) => boolean {
  const inOneForm = ({ field: name, normalise }: Guard, text: unknown): string | undefined => {
    try {
      return typeof text === 'string' ? normalise(text, name) : undefined;
    } catch {
      // It is none of these.
      return undefined;
    }
  };
  const known = ENTITIES.user.guards.flatMap((guard: Guard) => {
    const value = inOneForm(guard, node?.[guard.field]);
    return value === undefined ? [] : [{ guard, value }];
  });
  return (text) =>
    text === user.id ||
    text === formatRef(user) ||
    known.some(({ guard, value }) => inOneForm(guard, text) === value);
}

/** Whether a text in data passes a test, as a value or as a name, at any depth. */
function hasText(data: unknown, test: (text: string) => boolean): boolean {
  if (typeof data === 'string') return test(data);
  if (Array.isArray(data)) return data.some((each) => hasText(each, test));
  if (typeof data !== 'object' || data === null) return false;
  return Object.entries(data).some(([name, value]) => test(name) || hasText(value, test));
}

/** Requests for approval that name the user are gone, decided or not: without the user they come to nothing. */
async function withdrawing(
  planning: Planning,
  user: Ref,
  node: Item | undefined,
  cursor?: string,
): Promise<Plan> {
  const isName = isNameOf(user, node);
  const holds = ({ input, answer }: Item): boolean =>
    [input, answer].some((text) => typeof text === 'string' && hasText(JSON.parse(text), isName));
  // This command may be a request itself.
  const keep = (item: Item): boolean => item.command !== 'user.erase' && holds(item);
  const { items, cursor: more } = await planning.reader.list({
    ...allApprovals(keep),
    limit: A_STEPFUL,
    cursor,
  });
  const goOn = (later: Planning): Promise<Plan> =>
    more === undefined ? deleting(later, user, node?.email) : withdrawing(later, user, node, more);
  if (items.length === 0) return goOn(planning);
  return {
    actions: items.map(({ PK, SK }) => ({ kind: 'delete', key: { PK, SK } })),
    result: resultOf(user),
    audit: { entity: user, after: { requests: items.length } },
    next: goOn,
  };
}

async function deleting(planning: Planning, user: Ref, email: unknown): Promise<Plan> {
  const { reader } = planning;
  const result = resultOf(user);
  const isTo = ({ userId, recipientEmail }: Item) =>
    userId === user.id || (email !== undefined && recipientEmail === email);
  const { items } = await reader.list({ ...allOf('notification'), keep: isTo, limit: 1 });
  const [notification] = items;
  const of = notification ? parseRef(`notification:${String(notification.id)}`, 'id') : user;
  if (notification || (await reader.get(nodeKey(user)))) {
    const plan = await planDeletionOf(planning, kindOf(of.type) as NodeKind, of, true);
    return then(plan, result, (later) => deleting(later, user, email));
  }
  return {
    actions: [{ kind: 'delete', key: pseudonymKey(user) }, erasureOf(user, planning.now)],
    result,
    audit: { entity: user },
  };
}

/** A plan with what comes after its last step. */
const then = (plan: Plan, result: Plan['result'], after: NonNullable<Plan['next']>): Plan => ({
  ...plan,
  result,
  next: plan.next ? async (later) => then(await (plan.next as typeof after)(later), result, after) : after,
});
