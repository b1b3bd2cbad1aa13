import type { GlobalItem, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { holdingsOf, isInForce } from '../effective-roles.ts';
import {
  type CheckedPermission,
  type ItemId,
  SCOPE,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { grantedScopes } from './granted-scopes.ts';
import type { Found, SearchReader } from './sources.ts';

export interface ResourceQuestion {
  readonly ref: string;
  readonly subject: SubjectItem;
  readonly name: string;
  readonly permission: CheckedPermission;
  readonly global: GlobalItem;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Scopes looked at together. */
const AT_ONCE = 50;

/**
 * The highest scopes at which a subject holds a role that may allow a permission. None is below another, so that what is
 * below them is walked once.
 *
 * @param after the scope that came last on the page before
 */
export async function* highestScopes(
  reader: SearchReader,
  { ref: subjectRef, subject, name, permission, global, at }: ResourceQuestion,
  after: string | undefined,
): AsyncGenerator<Found<string>> {
  const scopes = new Map<string, ScopeItem | null>();
  const effects = new Map<string, TenantEffects | null>();
  /** By root: the roles that may allow the permission there. Who holds one may still be refused. */
  const allowing = new Map<string, ReadonlySet<string>>();

  /** Reads what of these is not in `known` yet. */
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
      permissionEffects({ name, permission, tenantEffects }, { scopes: [root], global }).allow;
    allowing.set(root.ref, allow);
    return allow;
  }

  const all = await grantedScopes(reader, subjectRef, subject);

  /** Of these, the scopes of a path at which the subject holds a role, in force, that may allow the permission. */
  function heldOn(path: readonly ScopeItem[]): ReadonlySet<string> {
    const held = new Set<string>();
    const root = path.at(-1);
    if (root === undefined) return held;
    const allow = allowingUnder(root);
    for (const holding of holdingsOf(subject, { scopes: path })) {
      if (holding.kind === 'global_role' || !all.has(holding.scope)) continue;
      if (isInForce(holding, at) && allow.has(holding.role)) held.add(holding.scope);
    }
    return held;
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
    for (const { ref } of found) {
      const held = heldOn(openPath(ref, scopes));
      const place = { held: ref };
      yield held.has(ref) && held.size === 1 ? { value: ref, place } : { place };
    }
  }
}

/** A scope with its ancestors up to the root; empty where one is missing or not active: what is closed above is closed below. */
function openPath(ref: string, scopes: ReadonlyMap<string, ScopeItem | null>): readonly ScopeItem[] {
  const refs = [ref, ...(scopes.get(ref)?.ancestors ?? [])];
  const path = refs.flatMap((each) => scopes.get(each) ?? []).filter(({ active }) => active);
  return path.length === refs.length ? path : [];
}
