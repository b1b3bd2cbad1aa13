import {
  type GlobalItem,
  type ScopeItem,
  type SubjectItem,
  subjectWith,
} from '../../table/decision/items.ts';
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
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Scopes read together. */
const AT_ONCE = 50;

/**
 * The highest scopes at which a role that may allow a permission is granted to a subject. None is below
 * another, so that the scopes below them are visited once.
 *
 * @param after the last granted scope of the previous page
 */
export async function* highestScopes(
  reader: SearchReader,
  { ref: subjectRef, subject: given, name, permission, global, at }: ResourceQuestion,
  after: string | undefined,
): AsyncGenerator<Step<ScopeItem>> {
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

  const rest = [...all].sort().filter((ref) => after === undefined || ref > after);
  for (let start = 0; start < rest.length; start += AT_ONCE) {
    const refs = rest.slice(start, start + AT_ONCE);
    await readScopes(refs);
    const found = refs.flatMap((ref) => scopes.get(ref) ?? []);
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

/**
 * A scope with its ancestors up to the root; empty if one of them is missing or inactive, which closes all
 * below it.
 */
function openPath(ref: string, scopes: ReadonlyMap<string, ScopeItem | null>): readonly ScopeItem[] {
  const refs = [ref, ...(scopes.get(ref)?.ancestors ?? [])];
  const path = refs.flatMap((each) => scopes.get(each) ?? []).filter(({ active }) => active);
  return path.length === refs.length ? path : [];
}
