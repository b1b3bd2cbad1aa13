import type { Reader } from '../../table/reader.ts';
import { createPeople, UNBOUNDED } from '../access-difference/people.ts';
import { rootsAt, subjectKey } from '../access-difference/state.ts';
import { externalGroupsIn } from '../access-difference/token-groups.ts';
import { groupsOfEveryone, noteSubject } from '../access-difference/touched.ts';
import { type Candidates, grantedIn } from './candidates.ts';

/** The candidates among these subjects: where in a root something is granted to each, before a change of it or after. */
export async function candidatesAmong(
  after: Reader,
  root: string,
  { before, people }: { readonly before: Reader; readonly people: readonly string[] },
): Promise<Candidates> {
  const found = createPeople(after, UNBOUNDED);
  const keys = people.map(subjectKey);
  const [was, is] = await Promise.all([before.getMany(keys), after.getMany(keys)]);
  for (const [position, key] of keys.entries())
    await noteSubject({ key, before: was[position], after: is[position] }, { before, after }, found);
  const ofEveryone = [...(await groupsOfEveryone(before)), ...(await groupsOfEveryone(after))];
  const everyoneAt = ofEveryone.map(({ scope }) => String(scope));
  const granted = grantedIn(root, found);
  const roots = await rootsAt(after, [...new Set([...everyoneAt, ...granted.flatMap(([, all]) => all)])]);
  const within = (all: readonly string[]) => new Set(all.filter((scope) => roots.get(scope) === root));
  return {
    people: new Map(granted.map(([ref, all]) => [ref, within(all)])),
    everyoneAt: within(everyoneAt),
    external: await externalGroupsIn(after, root),
    suspended: [],
  };
}
