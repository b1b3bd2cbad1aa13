import type { SubjectItem } from '../../table/decision/items.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Engine } from '../engine.ts';
import { SUBJECT } from '../items.ts';
import { readItems } from '../read-items.ts';
import { grantedScopes } from './granted-scopes.ts';
import type { SearchReader } from './sources.ts';
import { readTree } from './tree.ts';

/** What a subject can at most be allowed: nothing at any other place, and nothing else by name. */
export interface AccessBound {
  /** Scopes of the wanted types at which, or above which, the subject holds a role. */
  readonly scopes: readonly string[];
  /** Pages and permissions that a role of the subject allows; empty unless they are wanted. */
  readonly permissions: readonly string[];
}

export interface AccessBoundOptions {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'effectiveRoles'>;
  /** More scopes, or more permissions, than this are not counted: then the bound is too wide to be told. */
  readonly most: number;
}

export interface AccessBoundQuestion {
  readonly types: ReadonlySet<string>;
  readonly withPermissions: boolean;
  /** The instant for which roles are in force, in epoch milliseconds. */
  readonly at: number;
}

/**
 * Tells what a subject can at most be allowed. All of it is read from the base table, strongly consistent: some Queries,
 * so it is for what is then kept for a while. What is within the bound need not be allowed: that is for `checkMany`.
 *
 * @returns undefined where there is no bound (an administrator, a role that is held everywhere, a wildcard where
 *   permissions are wanted), or one wider than `most`
 */
export function createAccessBound({ reader, engine, most }: AccessBoundOptions) {
  /** What the roles in force at these scopes allow by name; undefined with a wildcard among them. */
  async function permissionsOf(
    subject: string,
    scopes: readonly string[],
    at: number,
  ): Promise<readonly string[] | undefined> {
    const held = await Promise.all(scopes.map((scope) => engine.effectiveRoles(subject, scope, { at })));
    const roles = [...new Set(held.flatMap((effective) => effective?.roles ?? []))];
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
    { types, withPermissions, at }: AccessBoundQuestion,
  ): Promise<AccessBound | undefined> => {
    const [item] = await readItems<[SubjectItem]>(reader, { kind: SUBJECT, id: subject });
    if (!item?.active || !(at < item.endsAt)) return { scopes: [], permissions: [] };
    if (item.isAdmin || item.globalRoles.length > 0) return undefined;
    const held = [...(await grantedScopes(reader, subject, item))];
    if (held.length > most) return undefined;
    const [scopes, permissions] = await Promise.all([
      scopesBelow(reader, held, types, most),
      withPermissions ? permissionsOf(subject, held, at) : [],
    ]);
    return scopes && permissions && { scopes, permissions };
  };
}

/** These scopes, and all below them, as far as they are of these types; undefined when they are too many. */
async function scopesBelow(
  reader: SearchReader,
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
