import * as z from 'zod';
import type { Guard } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid, notFound, stale } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf, logOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { erasureKey, nodeKey, operationKey, pseudonymKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { Action, Value } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { type Command, writeCommand } from '../command.ts';
import { planDeletionOf } from '../kinds/deletion.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { mergedPagesOf, pagesOf } from '../list-pages.ts';
import { allRoots } from '../nodes/all-roots.ts';
import { erasureOf } from '../nodes/erasures.ts';
import { allApprovals } from '../operators/approval.ts';
import { actorUser, isPseudonym, mapNamed, OF_ORIGIN, personalOf, personOf } from '../pseudonyms.ts';
import type { Attributes } from '../visible.ts';
import { kindOf } from './node-kinds.ts';

/** What stands in the place of a personal value of somebody who was erased. */
const ERASED = '(erased)';
/** Records that one step rewrites, each perhaps with the recorded answer of its operation. */
const A_STEPFUL = 40;

/** Whether a value is a personal one as it was given: not a pseudonym, and not erased. */
const isClear = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== ERASED && !isPseudonym(value);

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

/** Requests for approval that name the user: without the user they come to nothing, decided or not. */
function requestsNaming(user: Ref, node: Item | undefined) {
  const isName = isNameOf(user, node);
  const holds = ({ input, answer }: Item): boolean =>
    [input, answer].some((text) => typeof text === 'string' && hasText(JSON.parse(text), isName));
  // This command may be a request itself.
  return allApprovals((item) => item.command !== 'user.erase' && holds(item));
}

/** The transaction that deletes the user closes the id, too: it may be the first one. */
const withId = (kind: NodeKind, user: Ref, erasedAt: string): NodeKind => ({
  ...kind,
  behaviour: {
    ...kind.behaviour,
    onDelete: (node) => [...(kind.behaviour.onDelete?.(node) ?? []), erasureOf(user, erasedAt, true)],
  },
});

/**
 * What is left is of the user who is gone. Fails where another one has the id by now, and not as a `conflict`: an approval
 * is then planned anew, and would erase the other one.
 */
const stillGone = (user: Ref): Action => ({
  kind: 'check',
  key: nodeKey(user),
  when: { exists: false },
  failure: () => invalid('id', `${formatRef(user)} was created while the one before was erased`),
});

/** That the user is there. One who was deleted meanwhile is erased as one who is gone. */
const stillThere = (user: Ref, { createdAt }: Item): Action => ({
  kind: 'check',
  key: nodeKey(user),
  when: { equals: { createdAt: String(createdAt) } },
  failure: () => stale(formatRef(user)),
});

/** `user.erase`: whoever has the right to be forgotten. */
export const eraseCommand: Command = writeCommand({
  name: 'user.erase',
  summary:
    'Deletes a user and destroys what links the audit log to the person: the key of the pseudonyms, personal values in older records, notifications, and requests for approval that name the user. The user may have been deleted or erased before.',
  input: z.strictObject({ id: field.id }),
  destructive: { undo: 'none: nothing brings a key back that was destroyed' },
  steps: async function* (planning, { id }) {
    const user: Ref = { type: 'user', id };
    const result = { id, erased: true };
    const traces = await planning.reader.getMany([nodeKey(user), pseudonymKey(user), erasureKey(user)]);
    const [node, , mark] = traces;
    // The day of the erasure stays, however often it is sent.
    const erasedAt = String(mark?.erasedAt ?? planning.now);
    // From the first step on nobody gets the id: it would be another person who is erased.
    const given = [node ? stillThere(user, node) : stillGone(user), erasureOf(user, erasedAt, true)];
    let isKnown = planning.again === true || traces.some((item) => item !== undefined);

    for (const owner of [undefined, ...(await allRoots(planning.reader))])
      for await (const items of mergedPagesOf(planning.reader, logOf(owner, {}), A_STEPFUL)) {
        const found = items.flatMap((item) => rewritingOf(item, user) ?? []);
        if (found.length === 0) continue;
        isKnown = true;
        const actions = [...given, ...found.map(rewrite), ...(await answersWithout(planning.reader, found))];
        planning = yield { actions, result, audit: { entity: user, after: { records: found.length } } };
      }
    if (!isKnown) throw notFound('id', 'this user');

    for await (const items of pagesOf(planning.reader, requestsNaming(user, node), A_STEPFUL)) {
      if (items.length === 0) continue;
      const deletions = items.map(({ PK, SK }): Action => ({ kind: 'delete', key: { PK, SK } }));
      const audit = { entity: user, after: { requests: items.length } };
      planning = yield { actions: [...given, ...deletions], result, audit };
    }

    const isTo = ({ userId, recipientEmail }: Item) =>
      userId === id || (node?.email !== undefined && recipientEmail === node.email);
    for (let isThere = node !== undefined; ; ) {
      const { items } = await planning.reader.list({ ...allOf('notification'), keep: isTo, limit: 1 });
      const [notification] = items;
      if (!notification && !isThere) break;
      const of = notification ? parseRef(`notification:${String(notification.id)}`, 'id') : user;
      const kind = kindOf(of.type) as NodeKind;
      let isLast = false;
      while (!isLast) {
        const leaving = of === user ? withId(kind, user, erasedAt) : kind;
        const step = await planDeletionOf(planning, leaving, of, true);
        isLast = step.next === undefined;
        planning = yield {
          ...step,
          actions: of === user ? step.actions : [...given, ...step.actions],
          result,
        };
      }
      isThere &&= of !== user;
    }
    return {
      actions: [stillGone(user), { kind: 'delete', key: pseudonymKey(user) }, erasureOf(user, erasedAt)],
      result,
      audit: { entity: user },
    };
  },
});
