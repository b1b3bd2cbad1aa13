import { withAllGroups } from '../../table/decision/all-groups.ts';
import { decodeScope, decodeSubject } from '../../table/decision/decode.ts';
import { groupsOf } from '../../table/decision/items.ts';
import { parseSubjectRef } from '../../table/identifiers.ts';
import { EVERYONE_LIST, nodeKey } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { scopeKey, subjectKey } from '../access-difference/state.ts';
import { externalGroupsIn } from '../access-difference/token-groups.ts';
import { group } from '../edges/rights.ts';
import type { Candidates } from './candidates.ts';

/** The candidates among these subjects: where in a root something is granted to each, before a change of it or after. */
export async function candidatesAmong(
  reader: Reader,
  root: string,
  { before, people }: { readonly before: Reader; readonly people: readonly string[] },
): Promise<Candidates> {
  const granted = new Map<string, readonly string[]>();
  const everyoneAt: string[] = [];
  for (const side of [before, reader]) {
    const items = await side.getMany(people.map(subjectKey));
    for (const [position, ref] of people.entries()) {
      const item = items[position];
      if (!item) continue;
      const subject = await withAllGroups(side, parseSubjectRef(ref, 'subject'), decodeSubject(item));
      const groups = await side.getMany(groupsOf(subject).map((id) => nodeKey(group(id))));
      granted.set(ref, [
        ...(granted.get(ref) ?? []),
        ...(subject.globalRoles.length > 0 ? [root] : []),
        ...subject.assignments.keys(),
        ...subject.grants.keys(),
        ...groups.flatMap((node) => (node ? [String(node.scope)] : [])),
      ]);
    }
    const ofEveryone = await side.listAll(ownedBy(EVERYONE_LIST, 'group'));
    everyoneAt.push(...ofEveryone.map(({ scope }) => String(scope)));
  }
  const scopes = [...new Set([...everyoneAt, ...[...granted.values()].flat()])];
  const places = await reader.getMany(scopes.map(scopeKey));
  const isWithin = new Set(
    scopes.filter((scope, position) => {
      const place = places[position];
      return place && (decodeScope(scope, place).ancestors.at(-1) ?? scope) === root;
    }),
  );
  const within = (all: readonly string[]) => new Set(all.filter((scope) => isWithin.has(scope)));
  return {
    people: new Map([...granted].map(([ref, all]) => [ref, within(all)])),
    everyoneAt: within(everyoneAt),
    external: await externalGroupsIn(reader, root),
    suspended: [],
  };
}
