import type { SubjectFacts } from '../../table/decision/facts.ts';
import { parseRef } from '../../table/identifiers.ts';
import { edgesFrom } from '../../table/patterns/stretches.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Engine } from '../engine.ts';
import { needSubject } from '../needs.ts';
import { readFacts } from './facts.ts';
import type { ListReader } from './sources.ts';
import { readTree } from './tree.ts';

/** What a subject can at most be allowed: nothing at any other place, and nothing else by name. */
export interface Reach {
  /** Scopes of the wanted types at which, or above which, the subject holds a role. */
  readonly scopes: readonly string[];
  /** Pages and permissions that a role of the subject allows; empty unless they are wanted. */
  readonly permissions: readonly string[];
}

export interface ReachOptions {
  readonly reader: ListReader;
  readonly engine: Pick<Engine, 'rolesOf'>;
  /** More scopes, or more permissions, than this are not counted: the reach is too wide to be told. */
  readonly most: number;
}

export interface ReachQuestion {
  readonly types: ReadonlySet<string>;
  readonly withPermissions: boolean;
  /** The instant for which roles are in force, in epoch milliseconds. */
  readonly at: number;
}

/**
 * How far the rights of a subject reach. All of it is read from the base table, strongly consistent: some Queries,
 * so it is for what is then kept for a while. What is in reach need not be allowed: that is for `checkMany`.
 *
 * @returns undefined where the reach has no bounds (an administrator, a role that is held everywhere, a wildcard where
 *   permissions are wanted), or wider ones than `most`
 */
export function createReach({ reader, engine, most }: ReachOptions) {
  /** What the roles in force at these scopes allow by name; undefined with a wildcard among them. */
  async function permissionsOf(
    subject: string,
    scopes: readonly string[],
    at: number,
  ): Promise<readonly string[] | undefined> {
    const standings = await Promise.all(scopes.map(async (scope) => engine.rolesOf(subject, scope, { at })));
    const roles = [...new Set(standings.flatMap((standing) => standing?.roles ?? []))];
    if (roles.length > most) return undefined;
    const edges = await Promise.all(
      roles.map((id) => reader.listAll(edgesFrom({ type: 'role', id }, 'page', 'permission'))),
    );
    const allowed = new Set(
      edges.flat().flatMap(({ effect, permission }) => (effect === 'ALLOW' ? [String(permission)] : [])),
    );
    const names = [...allowed];
    const isBounded = names.length <= most && names.every((name) => readPermissionName(name) !== undefined);
    return isBounded ? names : undefined;
  }

  return async (
    subject: string,
    { types, withPermissions, at }: ReachQuestion,
  ): Promise<Reach | undefined> => {
    const [who] = await readFacts<[SubjectFacts]>(reader, needSubject(subject));
    if (!who?.active || !(at < who.endsAt)) return { scopes: [], permissions: [] };
    if (who.isAdmin || who.globalRoles.length > 0) return undefined;
    const tied = await tiedScopes(reader, subject, who);
    if (tied.length > most) return undefined;
    const [scopes, permissions] = await Promise.all([
      scopesBelow(reader, tied, types, most),
      withPermissions ? permissionsOf(subject, tied, at) : [],
    ]);
    return scopes && permissions && { scopes, permissions };
  };
}

/** Where the subject holds something itself: by assignment, grant or group. */
async function tiedScopes(
  reader: ListReader,
  subject: string,
  who: SubjectFacts,
): Promise<readonly string[]> {
  const memberships =
    who.groups.length > 0 ? await reader.listAll(edgesFrom(parseRef(subject, 'subject'), 'group')) : [];
  return [
    ...new Set([
      ...who.assignments.keys(),
      ...who.grants.keys(),
      ...memberships.map(({ scope }) => String(scope)),
    ]),
  ];
}

/** These scopes, and all below them, as far as they are of these types; undefined when they are too many. */
async function scopesBelow(
  reader: ListReader,
  tops: readonly string[],
  types: ReadonlySet<string>,
  most: number,
): Promise<readonly string[] | undefined> {
  const found = new Set<string>();
  const isWanted = (ref: string): boolean => types.has(ref.slice(0, ref.indexOf(':')));
  const tree = tops.length > 0 && types.size > 0 ? await readTree(reader, types) : undefined;
  for (const top of tops) {
    if (isWanted(top)) found.add(top);
    if (!tree) continue;
    for await (const { ref } of tree.below(top, [])) {
      if (isWanted(ref)) found.add(ref);
      if (found.size > most) return undefined;
    }
  }
  return [...found];
}
