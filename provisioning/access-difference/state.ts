import { withAllGroups } from '../../table/decision/all-groups.ts';
import { decodeScope, decodeSubject } from '../../table/decision/decode.ts';
import type { ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import { decisionKey, type Key } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { remembered } from '../remembered.ts';
import { engineOn } from './engine-on.ts';

export const subjectKey = (ref: string): Key => decisionKey(parseSubjectRef(ref, 'subject'));
export const scopeKey = (ref: string): Key => decisionKey(parseRef(ref, 'scope'));

/** A table with the engine upon it, and these subjects as it has them. */
export async function stateOf(reader: Reader, subjects: readonly string[], at: number) {
  const items = await reader.getMany(subjects.map(subjectKey));
  const known = new Map<string, SubjectItem>();
  for (const [position, item] of items.entries()) {
    const ref = subjects[position] ?? '';
    if (item)
      known.set(ref, await withAllGroups(reader, parseSubjectRef(ref, 'subject'), decodeSubject(item)));
  }
  return {
    engine: engineOn(reader, at),
    subject: (ref: string): SubjectItem | undefined => known.get(ref),
    scope: remembered(async (ref: string): Promise<ScopeItem | undefined> => {
      const item = await reader.get(scopeKey(ref));
      return item && decodeScope(ref, item);
    }),
  };
}
export type State = Awaited<ReturnType<typeof stateOf>>;

/** The scopes from one up to its root. */
export const pathOf = async (state: State, ref: string): Promise<readonly ScopeItem[]> => {
  const first = await state.scope(ref);
  const above = await Promise.all((first?.ancestors ?? []).map(state.scope));
  return [first, ...above].filter((each) => each !== undefined);
};

/** What of a subject decisions rest on at any scope. */
function textOf({ active, isAdmin, mandateOptional, endsAt, globalRoles, properties }: SubjectItem): string {
  const parts: Omit<
    SubjectItem,
    'groups' | 'groupsApart' | 'groupsAt' | 'groupRoles' | 'grants' | 'assignments'
  > = {
    active,
    isAdmin,
    mandateOptional,
    endsAt,
    properties,
    globalRoles: [...globalRoles].sort(),
  };
  return JSON.stringify(parts);
}

/**
 * Says in a text what of a subject decisions at a scope rest on: who has the same text gets the same decisions there.
 *
 * @param path the scopes up to the root, before and after
 * @param isPersonal whether conditions there tell subjects apart by more than their properties
 */
export function createHoldings(path: readonly ScopeItem[], isPersonal: boolean) {
  const refs = new Set(path.map(({ ref }) => ref));
  const groups = new Set(path.flatMap((scope) => [...scope.groups.keys()]));
  const apart = new Set(path.flatMap(({ ref, groupsApart }) => (groupsApart ? [ref] : [])));
  return (ref: string, subject: SubjectItem | undefined): string => {
    if (!subject) return '';
    const parts = [isPersonal ? ref : parseRef(ref, 'ref').type, textOf(subject)];
    for (const group of subject.groups) if (groups.has(group)) parts.push(`group ${group}`);
    for (const [scope, members] of subject.groupsAt)
      if (refs.has(scope))
        for (const group of members) if (apart.has(scope) || groups.has(group)) parts.push(`group ${group}`);
    for (const [scope, roles] of subject.grants)
      if (refs.has(scope)) for (const role of roles) parts.push(`grant ${scope} ${role}`);
    for (const [scope, list] of subject.assignments)
      if (refs.has(scope))
        for (const { role, start, end } of list) parts.push(`assignment ${scope} ${role} ${start} ${end}`);
    return parts.sort().join();
  };
}

/** The roots of scopes, of those that the table has. */
export async function rootsAt(
  reader: Reader,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const items = await reader.getMany(scopes.map(scopeKey));
  return new Map(
    scopes.flatMap((scope, position) => {
      const item = items[position];
      return item ? [[scope, decodeScope(scope, item).ancestors.at(-1) ?? scope] as const] : [];
    }),
  );
}

/** Every page and permission that is registered in one of the tables. */
export async function permissionsOf(readers: readonly Reader[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const reader of readers)
    for (const kind of ['page', 'permission'] as const)
      for (const { name } of await reader.listAll(allOf(kind))) names.add(String(name));
  return [...names].sort();
}
