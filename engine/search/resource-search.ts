import type { GlobalItem, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { isBuiltIn, mayBeScopeType, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import { allOf, allScopes, inTenant, scopesFrom } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { parseKey, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import type { ListQuery, Page } from '../../table/reader.ts';
import type { Clock } from '../clock.ts';
import { NO_GLOBAL } from '../decision-input.ts';
import type { Engine } from '../engine.ts';
import { type CheckedPermission, GLOBAL, GLOBAL_ID, PERMISSION, SCOPE, SUBJECT } from '../items.ts';
import { mayAllow, permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { type Candidate, highestScopes, isIn, type Tops, topsOf } from './highest-scopes.ts';
import { decideAll, foreignCursor, type ListOptions, type Pager, type Position, type Step } from './page.ts';
import { nameOf, type SearchReader, type Source, sourcesOf, walkSources } from './sources.ts';

export interface ScopeListOptions extends ListOptions {
  /** Only scopes of this type, such as `building`. */
  readonly type?: string | undefined;
  /** Only scopes in the trees of these roots. Default: in all trees. */
  readonly within?: ReadonlySet<string> | undefined;
}

/** A place with the name of the list it is in. */
type Place = Position & { readonly walk: string };

/** Scopes decided together: two BatchGetItems, for they have most of their ancestors in common. */
const SCOPES_AT_ONCE = 100;

/**
 * Resource search: where a subject may use a permission. The candidates are the scopes at which a role that
 * may allow it is granted, read from the base table, and all scopes below them, listed from an index, so that
 * one created just now may be missing. For an administrator, or with such a global role, they are all scopes.
 */
export const createResourceSearch =
  (reader: SearchReader, engine: Pick<Engine, 'checkMany'>, clock: Clock, fill: Pager) =>
  async (subject: string, permission: string, options: ScopeListOptions): Promise<Page<string>> => {
    const { type, within } = options;
    const isWanted = (ref: string): boolean => type === undefined || ref.startsWith(`${type}:`);
    const couldBe =
      within?.size !== 0 &&
      SUBJECT.keyOf(subject) !== undefined &&
      PERMISSION.keyOf(permission) !== undefined &&
      (type === undefined || mayBeScopeType(type));

    let hasAddedTypes: boolean | undefined;
    /** Whether other scopes may be below one. Types that operators added may be below any. */
    async function mayHaveBelow({ ref }: Candidate): Promise<boolean> {
      if (!isLeaf(parseRef(ref, 'scope').type)) return true;
      hasAddedTypes ??= (await reader.list({ ...addedTypes, limit: 1 })).items.length > 0;
      return hasAddedTypes;
    }

    async function* below(
      top: Candidate,
      walk: string,
      from: Position | undefined,
    ): AsyncGenerator<Step<Candidate>> {
      if (!(await mayHaveBelow(top))) return;
      const source = scopesBelow(top, type);
      // If the scope was moved meanwhile, its list starts again.
      const isSame = from?.source === nameOf(source);
      for await (const step of walkSources(reader, [source], isSame ? from : undefined))
        yield { ...step, place: { ...step.place, top: top.ref, walk } };
    }

    /**
     * Highest scopes, each with all below it. Those after the begun one are looked up when it ends. If their list is
     * another one than before, it begins anew.
     */
    async function* fromTops(
      findTops: () => Promise<Tops>,
      begun: Candidate | undefined,
      from: Place | undefined,
    ): AsyncGenerator<Step<Candidate>> {
      if (begun && from) yield* below(begun, from.walk, from);
      const { walk, after } = await findTops();
      for await (const step of after(from?.walk === walk ? (from.granted ?? from.top) : undefined)) {
        const top = step.candidate;
        if (top === undefined) yield { place: { ...step.place, walk } };
        else {
          // A page that ends here ends above all that is below, wanted or not.
          const place = { top: top.ref, walk };
          yield isWanted(top.ref) ? { candidate: top, place } : { place };
          yield* below(top, walk, undefined);
        }
      }
    }

    async function* steps(given: Position | undefined): AsyncGenerator<Step<Candidate>> {
      if (!couldBe) return;
      const begun = given?.top;
      if (begun !== undefined && !isRef(begun)) throw foreignCursor();
      const [who, what, everywhere, top] = await readItems<
        [SubjectItem, CheckedPermission, GlobalItem, ScopeItem]
      >(
        reader,
        { kind: SUBJECT, id: subject },
        { kind: PERMISSION, id: permission },
        { kind: GLOBAL, id: GLOBAL_ID },
        { kind: SCOPE, id: begun ?? '' },
      );
      const at = options.at ?? clock.now();
      if (!who?.active || !(at < who.endsAt) || !what?.registered) return;
      const global = everywhere ?? NO_GLOBAL;
      const items = { name: permission, permission: what, tenantEffects: null };
      const allow = mayAllow(permissionEffects(items, { scopes: [], global }));
      const isEverywhere = who.isAdmin || who.globalRoles.some((role) => allow.has(role));
      // Whoever is granted it everywhere since the last page, or no more, has other candidates: their list begins anew.
      const walk = !isEverywhere ? 'granted' : within ? 'roots' : 'all';
      // A place of an older release does not name its list.
      const from: Place | undefined = given && { walk, ...given };
      if (walk === 'all') {
        const all = sourcesOf(everyScope(type), readScope);
        for await (const step of walkSources(reader, all, from?.walk === walk ? from : undefined))
          yield { ...step, place: { ...step.place, walk } };
        return;
      }
      // A root that left between two pages is passed over.
      const goesOn = top && isIn(within, top) ? top : undefined;
      const question = { ref: subject, subject: who, name: permission, permission: what, global, within, at };
      const findTops = async () =>
        isEverywhere && within ? topsOf(within) : highestScopes(reader, question);
      yield* fromTops(findTops, goesOn, from);
    }

    const page = await fill<Candidate>({
      name: ['scopes', subject, permission, type ?? ''],
      options,
      together: SCOPES_AT_ONCE,
      steps,
      decide: async (scopes, work) => {
        const requests = scopes.map(({ ref, ancestors }) => ({
          subject,
          permission,
          scope: ref,
          prefetch: ancestors,
        }));
        return decideAll(engine, requests, options, work, 'resource search');
      },
    });
    return { ...page, items: page.items.map(({ ref }) => ref) };
  };

const addedTypes = ownedBy(SCOPE_TYPE_LIST, 'scope-type');

const PARENTS: ReadonlySet<string> = new Set(Object.values(SCOPE_TYPES).flatMap(({ parents }) => parents));
const isLeaf = (type: string): boolean => isBuiltIn(type) && !PARENTS.has(type);

/** All scopes, or all of a type. */
const everyScope = (type: string | undefined): ListQuery =>
  type === undefined ? allScopes() : allOf(isBuiltIn(type) ? (type as 'tenant') : 'scope', type);

/** All scopes below one; below a root all of a type. */
function scopesBelow({ ref, ancestors }: Candidate, type: string | undefined): Source<Candidate> {
  const isRoot = ancestors.length === 0;
  const query =
    isRoot && type !== undefined
      ? inTenant(type, parseRef(ref, 'scope'), {})
      : scopesFrom([ref, ...ancestors]);
  const [source] = sourcesOf(query, (item) => {
    const scope = readScope(item);
    const isBelow = scope !== undefined && scope.ref !== ref;
    return isBelow && (type === undefined || scope.ref.startsWith(`${type}:`)) ? scope : undefined;
  });
  return source as Source<Candidate>;
}

/** The scope that an item of the index describes, unless it is closed. */
function readScope({ status, ancestors, ...item }: Item): Candidate | undefined {
  const key = parseKey(item);
  if (key?.form !== 'node' || (status !== undefined && status !== 'active')) return undefined;
  return { ref: `${key.type}:${key.id}`, ancestors: Array.isArray(ancestors) ? ancestors : [] };
}
