import { groupsOf, type SubjectItem } from '../../table/decision/items.ts';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import { MAX_PAGE } from '../../table/reader.ts';
import { CLOCK_SKEW_MS } from '../../table/timing.ts';
import type { Engine } from '../engine.ts';
import { SUBJECT } from '../items.ts';
import { readItems } from '../read-items.ts';
import { grantedScopes } from './granted-scopes.ts';
import type { SearchReader } from './sources.ts';
import { scopesUnder } from './tree.ts';

/** An upper bound on what a subject may be allowed: nothing at other scopes, no other permissions. */
export interface AccessBound {
  /** Scopes of the requested types at which, or above which, a role is granted to the subject. */
  readonly scopes: readonly string[];
  /** Pages and permissions that a role of the subject allows; empty unless requested. */
  readonly permissions: readonly string[];
}

export interface AccessBoundOptions {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'effectiveRoles'>;
  /** Limit on the scopes and on the permissions. A wider bound is reported as none. */
  readonly most: number;
  /** Epoch milliseconds, by the engine's clock. */
  readonly now: () => number;
}

export interface AccessBoundQuestion {
  readonly types: ReadonlySet<string>;
  readonly withPermissions: boolean;
  /** The instant for which roles are in force, in epoch milliseconds. */
  readonly at: number;
}

/**
 * Computes the access bound of a subject from strongly consistent Queries of the base table. Cache the
 * result: it takes at most `most` Queries for scopes, two for each of at most `most` roles, and one for the
 * subject's groups. What is within the bound is not necessarily allowed: `checkMany` decides.
 *
 * Several reads are not a snapshot. What was allowed all the time may be missing if it came from one role to another
 * between them; a bound that is computed afterwards has it.
 *
 * @returns undefined if there is no bound (an administrator, a global role, a wildcard where permissions are
 *   requested), or if it is wider than `most`
 */
export function createAccessBound({ reader, engine, most, now }: AccessBoundOptions) {
  /**
   * The permissions that the effective roles at these scopes allow by name; undefined with a wildcard among
   * them.
   */
  async function permissionsOf(
    subject: string,
    scopes: readonly string[],
    at: number,
  ): Promise<readonly string[] | undefined> {
    // Roles from the cache may be those from before a change whose permissions are read after it. By one's own clock there
    // is no skew.
    const consistency = { atLeast: formatFreshnessToken(now() - CLOCK_SKEW_MS) };
    const found = await Promise.all(
      scopes.map((scope) => engine.effectiveRoles(subject, scope, { at, consistency })),
    );
    const roles = [...new Set(found.flatMap((effective) => effective?.roles ?? []))];
    if (roles.length > most) return undefined;
    const pages = await Promise.all(
      roles.map((id) =>
        reader.list({ ...edgesFrom({ type: 'role', id }, 'page', 'permission'), limit: most }),
      ),
    );
    if (pages.some(({ cursor }) => cursor !== undefined)) return undefined;
    const allowed = new Set(
      pages
        .flatMap(({ items }) => items)
        .flatMap(({ effect, permission }) => (effect === 'ALLOW' ? [String(permission)] : [])),
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
    if (groupsOf(item).length > MAX_PAGE || item.groupsApart) return undefined;
    const granted = [...(await grantedScopes(reader, subject, item, most + 1)).scopes];
    if (granted.length > most) return undefined;
    const [scopes, permissions] = await Promise.all([
      scopesUnder(reader, granted, types, most),
      withPermissions ? permissionsOf(subject, granted, at) : [],
    ]);
    return scopes && permissions && { scopes, permissions };
  };
}
