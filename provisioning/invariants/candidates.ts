import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { namesCovering } from '../../table/permission-name.ts';
import type { Reader } from '../../table/reader.ts';
import { createPeople, EVERYWHERE, type People } from '../access-difference/people.ts';
import { rootsAt } from '../access-difference/state.ts';
import { type ExternalGroup, externalGroupOf } from '../access-difference/token-groups.ts';
import { group, permissionOrPattern } from '../edges/rights.ts';
import { remembered } from '../remembered.ts';

/** Whoever may hold one of some permissions in one root, by edges. They propose only; the engine decides. */
export interface Candidates {
  /** Where something is granted to a subject: at a scope of the root, or at the root itself for what counts everywhere. */
  readonly people: ReadonlyMap<string, ReadonlySet<string>>;
  /** Where everyone is granted something, without a membership. */
  readonly everyoneAt: ReadonlySet<string>;
  readonly external: readonly ExternalGroup[];
  /** Memberships that a connection has suspended. */
  readonly suspended: readonly Item[];
}

/**
 * @param excepted groups: their members are candidates, too, so that it is known which memberships are suspended
 * @throws TooMany beyond these bounds
 */
export async function candidatesIn(
  reader: Reader,
  root: string,
  permissions: readonly string[],
  excepted: readonly string[],
  most: { readonly people: number; readonly calls: number },
): Promise<Candidates> {
  const isOfInterest = remembered(
    async (scope: string) => (await rootsAt(reader, [scope])).get(scope) === root,
  );
  const people = createPeople(reader, most, { listsEveryone: false, isOfInterest });
  for (const text of new Set(permissions.flatMap(namesCovering)))
    for await (const { role, effect } of people.edges(permissionOrPattern(text), 'role'))
      if (effect === 'ALLOW') await people.holders(String(role));
  const nodes = await reader.getMany(excepted.map((id) => nodeKey(group(id))));
  for (const [position, id] of excepted.entries()) {
    const scope = nodes[position]?.scope;
    if (typeof scope === 'string') await people.members(id, scope);
  }
  return {
    people: new Map(grantedIn(root, people).map(([subject, scopes]) => [subject, new Set(scopes)])),
    everyoneAt: people.everyoneAt,
    external: [...people.inTokens.values()].map(externalGroupOf),
    suspended: people.suspended,
  };
}

/** Where something is granted to each: at the root itself for what counts everywhere. */
export const grantedIn = (root: string, { candidates }: People) =>
  [...candidates].map(
    ([subject, tops]) => [subject, [...tops].map((top) => (top === EVERYWHERE ? root : top))] as const,
  );

/** The administrators, of whom an invariant says nothing. */
export async function administratorsOf(
  reader: Reader,
  most: { readonly people: number; readonly calls: number },
): Promise<readonly string[]> {
  const people = createPeople(reader, most);
  await people.admins(EVERYWHERE);
  return [...people.candidates.keys()].sort();
}
