import { isId } from '../table/identifiers.ts';
import { badRequest, ScimError } from './errors.ts';
import type { Filter } from './filter.ts';
import { isChange, type Operation } from './patch.ts';
import { listOf, membersOf, requiredText, textOf } from './values.ts';

/** Members of one request. */
const MAX_MEMBERS = 1_000;

/** What commands are told of a group. */
export interface GroupChanges {
  readonly displayName?: string;
  readonly externalId?: string | null;
  readonly members?: MemberChanges;
}

/** Ids of users: instead of all, or those that come and those that go. */
export interface MemberChanges {
  readonly replace?: readonly string[];
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * What operations on a group come to, one after the other.
 *
 * @throws ScimError 413 where they name more than 1,000 members
 */
export function groupChanges(operations: readonly Operation[], id?: string): GroupChanges {
  const attributes: { displayName?: string; externalId?: string | null } = {};
  const members = createMembers();
  for (const operation of operations) {
    const { op, place, filter, value } = operation;
    const [name, sub] = place.at;
    if (!isChange(operation, name, id)) continue;
    if (name === 'displayName') attributes.displayName = requiredText(value, name);
    else if (name === 'externalId') attributes.externalId = op === 'remove' ? null : textOf(value, name);
    else if (sub !== undefined || (filter && op !== 'remove'))
      throw badRequest('mutability', 'a member cannot be changed: remove it, and add another one');
    else if (op === 'add') members.add(idsOf(value));
    else if (op === 'replace') members.replace(idsOf(value));
    else if (filter) members.remove(idsIn(filter));
    // Entra ID names in the value which ones it means.
    else if (value === undefined || value === null) members.replace([]);
    else members.remove(idsOf(value));
  }
  const changed = members.changes();
  return changed ? { ...attributes, members: changed } : attributes;
}

/** Members that come and go, one operation after the other. */
function createMembers() {
  let replaced: Set<string> | undefined;
  const [added, removed] = [new Set<string>(), new Set<string>()];
  const move = (ids: readonly string[], from: Set<string>, to: Set<string>): void => {
    for (const id of ids) {
      from.delete(id);
      to.add(id);
    }
  };
  return {
    add: (ids: readonly string[]) => (replaced ? move(ids, new Set(), replaced) : move(ids, removed, added)),
    remove: (ids: readonly string[]) => move(ids, replaced ?? added, replaced ? new Set() : removed),
    replace: (ids: readonly string[]) => {
      replaced = new Set(ids);
    },
    changes: (): MemberChanges | undefined => {
      const count = replaced?.size ?? added.size + removed.size;
      if (count > MAX_MEMBERS)
        throw new ScimError(413, `there are more than ${MAX_MEMBERS} members in the request`);
      if (replaced) return { replace: [...replaced] };
      if (count === 0) return undefined;
      return {
        ...(added.size > 0 ? { add: [...added] } : {}),
        ...(removed.size > 0 ? { remove: [...removed] } : {}),
      };
    },
  };
}

const idsOf = (value: unknown): readonly string[] =>
  listOf(value).map((each) => {
    const members = membersOf(each, 'a member');
    const type = members.get('type')?.value ?? 'User';
    if (type !== 'User') throw badRequest('invalidValue', 'a member is no user');
    return idOf(members.get('value')?.value);
  });

function idOf(value: unknown): string {
  const id = requiredText(value, 'members.value');
  if (!isId(id)) throw noUser();
  return id;
}

/** What is no user, and what is another connection's. */
export const noUser = (): ScimError => badRequest('invalidValue', 'a member is no user of the connection');

/** The ids that a filter of a path names: `value eq "…"`, or several of these with `or`. */
function idsIn(filter: Filter): readonly string[] {
  if (filter.op === 'or') return filter.filters.flatMap(idsIn);
  if (filter.op === 'eq' && filter.attrPath.toLowerCase() === 'value' && typeof filter.compValue === 'string')
    return isId(filter.compValue) ? [filter.compValue] : [];
  throw badRequest('invalidFilter', 'members are named by value eq "…"');
}
