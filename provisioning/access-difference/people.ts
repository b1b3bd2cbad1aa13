import { formatRef, isSubjectNode, parseRef, type Ref, readSubject } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { EVERYONE_LIST, GLOBAL, parseKey } from '../../table/keys.ts';
import { isInForce, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom, edgesToSubjects, isOwnership, ownedBy } from '../../table/partition-queries.ts';
import { type ListQuery, MAX_PAGE, type Reader } from '../../table/reader.ts';
import { role } from '../edges/rights.ts';
import { pagesOf } from '../list-pages.ts';

/** Where a change may touch somebody: at a scope and below it, or in all tenants. */
export type Top = string | typeof EVERYWHERE;
export const EVERYWHERE = Symbol('everywhere');

/** More people, or more calls, than are looked at. */
export class TooMany extends Error {}

export const UNBOUNDED = { people: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

interface Choices {
  /** Whether the members of a group of everyone are candidates, each by name. Default true. */
  readonly listsEveryone?: boolean;
  /** Whether whoever is granted a role at a scope is looked for. Default: at every one. */
  readonly isOfInterest?: (scope: string) => boolean | Promise<boolean>;
}

export const subjectOf = ({ user }: Item): string | undefined =>
  typeof user === 'string' ? formatRef(readSubject(user, 'user')) : undefined;

/** Does something once for each of these arguments. */
function once<A extends readonly Top[]>(work: (...of: A) => Promise<void>): (...of: A) => Promise<void> {
  const done = new Set<string>();
  return async (...of) => {
    const name = of.map(String).join(' ');
    if (done.has(name)) return;
    done.add(name);
    await work(...of);
  };
}

/**
 * Who holds what, from the edges, page by page. Whoever is found is a candidate only; the engine decides.
 *
 * @param most people and calls; beyond them the functions throw {@link TooMany}
 */
export function createPeople(
  reader: Reader,
  most: { readonly people: number; readonly calls: number },
  { listsEveryone = true, isOfInterest = () => true }: Choices = {},
) {
  const candidates = new Map<string, Set<Top>>();
  /** External groups by id: whoever shows a token with one is in no list. */
  const inTokens = new Map<string, Item>();
  /** Where a group of everyone is among those that were looked at. */
  const everyoneAt = new Set<string>();
  /** Memberships that do not count at present, because a connection suspended them. */
  const suspended: Item[] = [];
  let calls = 0;

  function add(subject: string | undefined, top: Top): void {
    if (subject === undefined) return;
    const tops = candidates.get(subject) ?? new Set();
    if (tops.size === 0 && candidates.size >= most.people) throw new TooMany();
    candidates.set(subject, tops.add(top));
  }

  function list(query: ListQuery) {
    calls += 1;
    if (calls > most.calls) throw new TooMany();
    return reader.list(query);
  }
  async function* listed(query: ListQuery): AsyncGenerator<Item> {
    for await (const items of pagesOf({ list }, query, MAX_PAGE)) yield* items;
  }
  const edges = (from: Ref, ...types: readonly string[]) => listed(edgesFrom(from, ...types));
  const toSubjects = (from: Ref) => listed(edgesToSubjects(from));

  /** Every subject, from the lists of all. */
  async function* everybody(): AsyncGenerator<Ref> {
    for (const type of ['subject', 'technical-user', 'user'] as const)
      for await (const item of listed(allOf(type))) {
        const key = parseKey(item);
        if (key?.form === 'node' && isSubjectNode(key)) yield { type: key.type, id: key.id };
      }
  }

  let ofEveryone: Promise<ReadonlySet<string>> | undefined;
  async function groupsOfEveryone(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const { id } of listed(ownedBy(EVERYONE_LIST, 'group'))) found.add(String(id));
    return found;
  }

  const everyone = once(async (top: string) => {
    for await (const subject of everybody()) add(formatRef(subject), top);
  });

  const members = once(async (group: string, top: string) => {
    for await (const item of listed(ownedBy({ type: 'group', id: group }, 'external-group')))
      inTokens.set(String(item.id), item);
    ofEveryone ??= groupsOfEveryone();
    if ((await ofEveryone).has(group)) {
      everyoneAt.add(top);
      if (listsEveryone) await everyone(top);
      return;
    }
    for await (const edge of toSubjects({ type: 'group', id: group })) {
      add(subjectOf(edge), top);
      if (!isInForce(readOrigins(edge))) suspended.push(edge);
    }
  });

  const globally = once(async (id: string, top: Top) => {
    for await (const edge of toSubjects(role(id))) add(subjectOf(edge), top);
  });

  const admins = once(async (top: Top) => {
    for await (const edge of toSubjects(GLOBAL)) add(subjectOf(edge), top);
  });

  /** Who is granted a role, or one that inherits from it. */
  const holders: (id: string) => Promise<void> = once(async (id: string) => {
    await globally(id, EVERYWHERE);
    for await (const edge of edges(role(id), 'group', 'assignment', 'grant')) {
      const scope = String(edge.scope);
      if (!(await isOfInterest(scope))) continue;
      if (typeof edge.group === 'string') await members(edge.group, scope);
      else add(subjectOf(edge), scope);
    }
    for await (const edge of edges(role(id), 'role'))
      if (isOwnership(edge)) await holders(parseRef(String(edge.owned), 'owned').id);
  });

  /** Who is granted something at a scope itself. */
  const grantedAt = once(async (scope: string, top: string) => {
    const ref = parseRef(scope, 'scope');
    for await (const edge of edges(ref, 'assignment', 'grant', 'user')) add(subjectOf(edge), top);
  });

  return {
    candidates,
    inTokens,
    everyoneAt,
    suspended,
    add,
    edges,
    everybody,
    everyone,
    members,
    holders,
    globally,
    admins,
    grantedAt,
  };
}

export type People = ReturnType<typeof createPeople>;
