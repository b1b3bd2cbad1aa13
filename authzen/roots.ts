import { createCachedLoader } from '../engine/cached-loader.ts';
import { NO_GLOBAL } from '../engine/decision-input.ts';
import type { Clock, Engine } from '../engine/index.ts';
import {
  type CheckedPermission,
  GLOBAL,
  GLOBAL_ID,
  PERMISSION,
  SCOPE,
  SUBJECT,
  subjectId,
} from '../engine/items.ts';
import { permissionEffects } from '../engine/permission-effects.ts';
import { readItems } from '../engine/read-items.ts';
import { grantedScopes, likelyRoots } from '../engine/search/granted-scopes.ts';
import type { SearchReader } from '../engine/search/sources.ts';
import type { GlobalItem, ScopeItem, SubjectItem } from '../table/decision/items.ts';
import { EVALUATE } from './questions.ts';

/** The roots at which a caller may evaluate. */
export interface Roots {
  /** Undefined for all of them. */
  readonly within: ReadonlySet<string> | undefined;
  /** Whether there may be more: groups of everyone that were not looked at. */
  readonly isCut: boolean;
}

/**
 * The roots of a caller (`technical-user:…`): those at which something is granted to itself, or those of groups of everyone
 * as well. They propose: each resource found is decided.
 */
export type RootsOf = (caller: string, by: 'itself' | 'everyone') => Promise<Roots>;

export interface RootsParts {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'checkMany'>;
  readonly clock: Clock;
  /** Milliseconds for which a caller's roots are kept. */
  readonly ttlMs: number;
  /** Bound on what is kept, in estimated bytes. */
  readonly maxBytes: number;
}

/** Roots asked about together. */
const AT_ONCE = 100;

/** Scopes of groups of everyone that are looked at, whatever their number: of all tenants. */
const MOST_OF_EVERYONE = 1_000;

const ALL: Roots = { within: undefined, isCut: false };
const NONE: Roots = { within: new Set(), isCut: false };

/**
 * Finds the roots at which a caller may evaluate, among the scopes at which something is granted to it. They are kept for `ttlMs`.
 */
export function createRootsOf({ reader, engine, clock, ttlMs, maxBytes }: RootsParts): RootsOf {
  const kept = createCachedLoader<{ readonly roots: Roots; readonly at: number }>({
    maxBytes,
    sizeOf: ({ roots }, key) => 200 + key.length + 80 * (roots.within?.size ?? 0),
    now: clock.now,
  });

  async function find(caller: string, by: 'itself' | 'everyone'): Promise<Roots> {
    const [subject, permission, global] = await readItems<[SubjectItem, CheckedPermission, GlobalItem]>(
      reader,
      { kind: SUBJECT, id: subjectId(caller) },
      { kind: PERMISSION, id: EVALUATE },
      { kind: GLOBAL, id: GLOBAL_ID },
    );
    if (!subject?.active || !(clock.now() < subject.endsAt) || !permission?.registered) return NONE;
    const items = { name: EVALUATE, permission, tenantEffects: null };
    const { allow } = permissionEffects(items, { scopes: [], global: global ?? NO_GLOBAL });
    if (subject.isAdmin || subject.globalRoles.some((role) => allow.has(role))) return ALL;
    const mostOfAll = by === 'itself' ? 0 : undefined;
    const { scopes: all, own } = await grantedScopes(reader, caller, subject, mostOfAll);
    const others = likelyRoots([...all].filter((ref) => !own.has(ref)));
    const granted = [...own, ...others.slice(0, MOST_OF_EVERYONE)];
    const allowed = new Set<string>();
    for (let start = 0; start < granted.length; start += AT_ONCE) {
      const scopes = await readItems<ScopeItem[]>(
        reader,
        ...granted.slice(start, start + AT_ONCE).map((id) => ({ kind: SCOPE, id })),
      );
      const roots = scopes.flatMap((scope) => (scope?.ancestors.length === 0 ? [scope.ref] : []));
      const requests = roots.map((scope) => ({ subject: caller, permission: EVALUATE, scope }));
      const { decisions } = await engine.checkMany(requests);
      for (const [position, root] of roots.entries()) if (decisions[position]?.allowed) allowed.add(root);
    }
    return { within: allowed, isCut: others.length > MOST_OF_EVERYONE };
  }

  return async (caller, by) => {
    const key = `${by} ${caller}`;
    const known = kept.find(key);
    const now = clock.now();
    if (known !== undefined && now >= known.at && now < known.at + ttlMs) return known.roots;
    const [loading] = kept.load([key], now, () => [
      find(caller, by).then((roots) => {
        const entry = { roots, at: now };
        kept.keep(key, entry);
        return entry;
      }),
    ]);
    return (await loading)?.roots ?? NONE;
  };
}
