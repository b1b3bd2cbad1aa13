import type { GlobalItem, SubjectItem } from '../../table/decision/items.ts';
import { isRef } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import type { Page } from '../../table/reader.ts';
import type { Clock } from '../clock.ts';
import { NO_GLOBAL } from '../decision-input.ts';
import type { Engine } from '../engine.ts';
import { type CheckedPermission, GLOBAL, GLOBAL_ID, PERMISSION, SUBJECT } from '../items.ts';
import { permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { highestScopes } from './highest-scopes.ts';
import { decideAll, foreignCursor, type ListOptions, type Pager, type Position, type Step } from './page.ts';
import { type SearchReader, type Source, sourcesOf, walkSources } from './sources.ts';
import { isOpen, readTree, type Tree } from './tree.ts';

export interface ScopeListOptions extends ListOptions {
  /** Only scopes of this type, such as `building`. */
  readonly type?: string | undefined;
}

/** Scopes decided together. Each takes a few items: its path and the effects of its root. */
const SCOPES_AT_ONCE = 40;

/**
 * Resource search: where a subject may use a permission. The candidates are the scopes at which a role that
 * may allow it is granted, and all scopes below them. For an administrator, or with such a global role, they
 * start at all roots, listed from an index, so that a root created just now may be missing.
 */
export const createResourceSearch =
  (reader: SearchReader, engine: Pick<Engine, 'checkMany'>, clock: Clock, fill: Pager) =>
  (subject: string, permission: string, options: ScopeListOptions = {}): Promise<Page<string>> => {
    const { type } = options;

    async function* tops(tree: Tree, from: Position | undefined): AsyncGenerator<Step<string>> {
      const [who, what, everywhere] = await readItems<[SubjectItem, CheckedPermission, GlobalItem]>(
        reader,
        { kind: SUBJECT, id: subject },
        { kind: PERMISSION, id: permission },
        { kind: GLOBAL, id: GLOBAL_ID },
      );
      const at = options.at ?? clock.now();
      if (!who?.active || !(at < who.endsAt) || !what?.registered) return;
      const global = everywhere ?? NO_GLOBAL;
      const items = { name: permission, permission: what, tenantEffects: null };
      const { allow } = permissionEffects(items, { scopes: [], global });
      const isEverywhere = who.isAdmin || who.globalRoles.some((role) => allow.has(role));
      if (isEverywhere) yield* walkSources(reader, rootScopes(tree.added), from);
      else {
        const question = { ref: subject, subject: who, name: permission, permission: what, global, at };
        yield* highestScopes(reader, question, from?.granted);
      }
    }

    async function* steps(from: Position | undefined): AsyncGenerator<Step<string>> {
      if (!SUBJECT.keyOf(subject) || !PERMISSION.keyOf(permission)) return;
      const { top: begun, path = '', ...place } = from ?? {};
      const passed = path === '' ? [] : path.split(' ');
      if (![...passed, ...(begun === undefined ? [] : [begun])].every(isRef)) throw foreignCursor();
      const tree = await readTree(reader, type === undefined ? undefined : new Set([type]));
      const toStep = (ref: string, at: Position): Step<string> =>
        type === undefined || ref.startsWith(`${type}:`) ? { candidate: ref, place: at } : { place: at };
      async function* under(
        top: string,
        after: readonly string[],
        at: Position,
      ): AsyncGenerator<Step<string>> {
        for await (const { ref, path: there } of tree.below(top, after)) {
          yield toStep(ref, { ...at, top, path: there.join(' ') });
        }
      }
      if (begun !== undefined) yield* under(begun, passed, place);
      for await (const { candidate: top, place: at } of tops(tree, from && place)) {
        if (top === undefined) yield { place: at };
        else {
          yield toStep(top, { ...at, top });
          yield* under(top, [], at);
        }
      }
    }

    return fill({
      name: ['scopes', subject, permission, type ?? ''],
      options,
      together: SCOPES_AT_ONCE,
      steps,
      decide: async (scopes) => {
        const requests = scopes.map((scope) => ({ subject, permission, scope }));
        const decisions = await decideAll(engine, requests, options);
        return decisions.map(({ allowed }) => allowed);
      },
    });
  };

/** Built-in types that can be roots. A location may also have a parent. */
const ROOTS = ['tenant', 'location', 'client', 'account', 'enterprise'] as const;

/** The index lists that contain every root. A root created just now may be missing. */
const rootScopes = (added: readonly Item[]): readonly Source<string>[] => [
  ...ROOTS.flatMap((type) => sourcesOf(allOf(type), toRoot)),
  ...added
    .filter(({ root }) => root === true)
    .flatMap(({ name }) => sourcesOf(allOf('scope', String(name)), toRoot)),
];

function toRoot(item: Item): string | undefined {
  const key = parseKey(item);
  const isRoot = key?.form === 'node' && item.parent === undefined && isOpen(item);
  return isRoot ? `${key.type}:${key.id}` : undefined;
}
