import {
  type GlobalItem,
  type ScopeItem,
  type SubjectItem,
  subjectWith,
} from '../../table/decision/items.ts';
import { isSurelyRoot } from '../../table/entities/scope-types.ts';
import { holdingsOf, isInForce } from '../effective-roles.ts';
import { withGroupRoles } from '../group-roles.ts';
import {
  type CheckedPermission,
  type ItemId,
  SCOPE,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { mayAllow, permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { grantedScopes } from './granted-scopes.ts';
import type { Step } from './page.ts';
import type { SearchReader } from './sources.ts';

export interface ResourceQuestion {
  readonly ref: string;
  readonly subject: SubjectItem;
  readonly name: string;
  readonly permission: CheckedPermission;
  readonly global: GlobalItem;
  /** Roots: scopes in other trees are left out. */
  readonly within: ReadonlySet<string> | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A scope that is named somewhere. Its ancestors are prefetched, never trusted. */
export type Candidate = Pick<ScopeItem, 'ref' | 'ancestors'>;

/** Scopes read together; more, after some that were all in other trees. */
const AT_ONCE = 50;
const MOST_AT_ONCE = 1_000;

/** Scopes that may be in other trees, for one page. Beyond them all scopes within the roots are candidates. */
const MOST_WANTED = 10_000;

/** Whether a scope is in the tree of one of these roots. */
export const isIn = (roots: ReadonlySet<string> | undefined, { ref, ancestors }: Candidate): boolean =>
  roots === undefined || roots.has(ancestors.at(-1) ?? ref);

/** The same by a reference alone: whether a scope may be there. */
export const mayBeIn = (roots: ReadonlySet<string> | undefined, ref: string): boolean =>
  roots === undefined || roots.has(ref) || !isSurelyRoot(ref);

/** Scopes below which a search looks, sorted. None is below another, so that the scopes below them are visited once. */
export interface Tops {
  /** Names their list, for a place in it says nothing of another. */
  readonly walk: 'granted' | 'roots';
  readonly after: (ref: string | undefined) => AsyncGenerator<Step<Candidate>>;
}

/**
 * The highest scopes at which a role that may allow a permission is granted to a subject; the roots, if they are too
 * many. Places name scopes within the roots only: they stand in cursors. So nothing elsewhere is a step at which a page
 * could end, and what is passed over is bounded here.
 */
export async function highestScopes(
  reader: SearchReader,
  { ref: subjectRef, subject: given, name, permission, global, within, at }: ResourceQuestion,
): Promise<Tops> {
  /** With its groups by scope, and their roles at the scopes that are looked at, where they stand apart. */
  let subject = given;
  const scopes = new Map<string, ScopeItem | null>();
  const effects = new Map<string, TenantEffects | null>();
  /**
   * By root: the roles that may allow the permission there. A check may still refuse a subject who has one.
   */
  const allowing = new Map<string, ReadonlySet<string>>();

  /** Reads those of the items that are not in `known` yet. */
  async function readInto<T>(
    known: Map<string, T | null>,
    refs: readonly string[],
    toId: (ref: string) => ItemId<T>,
  ) {
    const unread = [...new Set(refs)].filter((ref) => !known.has(ref));
    const items = await readItems<T[]>(reader, ...unread.map(toId));
    for (const [position, ref] of unread.entries()) known.set(ref, items[position] ?? null);
  }
  const readScopes = (refs: readonly string[]) => readInto(scopes, refs, (id) => ({ kind: SCOPE, id }));
  const readEffects = (roots: readonly string[]) =>
    readInto(effects, roots, (root) => ({ kind: TENANT_EFFECTS, id: tenantEffectsId(root, name) }));

  function allowingUnder(root: ScopeItem): ReadonlySet<string> {
    const tenantEffects = effects.get(root.ref) ?? null;
    const allow =
      allowing.get(root.ref) ??
      mayAllow(permissionEffects({ name, permission, tenantEffects }, { scopes: [root], global }));
    allowing.set(root.ref, allow);
    return allow;
  }

  const { scopes: all, groupsAt } = await grantedScopes(reader, subjectRef, given);
  const whole = subjectWith(given, { groupsAt });

  /** The scopes of a path at which a role in force that may allow the permission is granted. */
  function grantedOn(path: readonly ScopeItem[]): ReadonlySet<string> {
    const granted = new Set<string>();
    const root = path.at(-1);
    if (root === undefined) return granted;
    const allow = allowingUnder(root);
    for (const holding of holdingsOf(subject, { scopes: path })) {
      if (holding.kind === 'global_role' || !all.has(holding.scope)) continue;
      if (isInForce(holding, at) && allow.has(holding.role)) granted.add(holding.scope);
    }
    return granted;
  }

  const wanted = [...all].filter((ref) => mayBeIn(within, ref));
  if (within && wanted.length > MOST_WANTED) return topsOf(within);

  async function* after(last: string | undefined): AsyncGenerator<Step<Candidate>> {
    const rest = wanted.sort().filter((ref) => last === undefined || ref > last);
    for (let start = 0, size = AT_ONCE; start < rest.length; ) {
      const refs = rest.slice(start, start + size);
      start += size;
      await readScopes(refs);
      const found = refs.flatMap((ref) => scopes.get(ref) ?? []).filter((scope) => isIn(within, scope));
      size = found.length > 0 ? AT_ONCE : Math.min(2 * size, MOST_AT_ONCE);
      await Promise.all([
        readScopes(found.flatMap(({ ancestors }) => ancestors)),
        readEffects(found.map(({ ref, ancestors }) => ancestors.at(-1) ?? ref)),
      ]);
      const path = new Set(found.flatMap(({ ref, ancestors }) => [ref, ...ancestors]));
      const around = [...path].flatMap((ref) => scopes.get(ref) ?? []);
      [subject = whole] = await withGroupRoles(reader, around, [whole]);
      for (const scope of found) {
        const { ref } = scope;
        const granted = grantedOn(openPath(ref, scopes));
        const place = { granted: ref };
        yield granted.has(ref) && granted.size === 1 ? { candidate: scope, place } : { place };
      }
    }
  }

  return { walk: 'granted', after };
}

/** Roots as the highest scopes of a subject to whom something is granted everywhere. */
export const topsOf = (roots: ReadonlySet<string>): Tops => ({
  walk: 'roots',
  after: async function* (last) {
    for (const ref of [...roots].sort())
      if (last === undefined || ref > last)
        yield { candidate: { ref, ancestors: [] }, place: { granted: ref } };
  },
});

/**
 * A scope with its ancestors up to the root; empty if one of them is missing or inactive, which closes all
 * below it.
 */
function openPath(ref: string, scopes: ReadonlyMap<string, ScopeItem | null>): readonly ScopeItem[] {
  const refs = [ref, ...(scopes.get(ref)?.ancestors ?? [])];
  const path = refs.flatMap((each) => scopes.get(each) ?? []).filter(({ active }) => active);
  return path.length === refs.length ? path : [];
}
