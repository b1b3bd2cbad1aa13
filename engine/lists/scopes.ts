import type { GlobalFacts, SubjectFacts } from '../../table/decision/facts.ts';
import { GatehouseError } from '../../table/errors.ts';
import { isRef } from '../../table/identifiers.ts';
import type { Page } from '../../table/read/query.ts';
import type { Engine } from '../engine.ts';
import { type CheckedPermission, GLOBAL_FACTS, needPermission, needSubject } from '../needs.ts';
import type { Clock } from '../store.ts';
import { mayAllow, readFacts } from './facts.ts';
import { foreignCursor, type ListOptions, type Pager, type Place, type Step } from './page.ts';
import { given } from './permissions.ts';
import { rootsOf } from './roots.ts';
import { type Found, type ListReader, walkSources } from './sources.ts';
import { tiesOf } from './ties.ts';
import { readTree, type Tree } from './tree.ts';

export interface ScopeListOptions extends ListOptions {
  /** Only scopes of this type, as `building`. */
  readonly type?: string | undefined;
}

/** A scope with its path and the effects of its root: few enough for one snapshot in all but the widest forests. */
const SCOPES_AT_ONCE = 40;

/**
 * Where a subject may use a permission. Candidates are the scopes at which it holds a role that allows it, and
 * all below them: grants flow down. For an administrator, and for who holds such a role everywhere, these are
 * all roots, which are listed from an index: one that was made this very moment may be missed.
 */
export const scopeLists =
  (reader: ListReader, engine: Pick<Engine, 'checkMany'>, clock: Clock, fill: Pager) =>
  (subject: string, permission: string, options: ScopeListOptions = {}): Promise<Page<string>> => {
    const { type } = options;

    async function* tops(tree: Tree, from: Place | undefined): AsyncGenerator<Found<string>> {
      const [who, what, global] = await readFacts<[SubjectFacts, CheckedPermission, GlobalFacts]>(
        reader,
        needSubject(subject),
        needPermission(permission),
        GLOBAL_FACTS,
      );
      const at = options.at ?? clock.now();
      if (!who?.active || !(at < who.endsAt) || !what?.registered) return;
      const roles = global?.roles ?? new Map();
      const effects = { permission: what, global: roles, own: new Map(), owned: null };
      if (who.isAdmin || who.globalRoles.some((role) => mayAllow(role, effects))) {
        yield* walkSources(reader, rootsOf(tree.added), from);
      } else {
        yield* tiesOf(
          reader,
          { subject, who, permission: what, text: permission, global: roles, at },
          from?.tie,
        );
      }
    }

    async function* steps(from: Place | undefined): AsyncGenerator<Step<string>> {
      if (!needSubject(subject) || !needPermission(permission)) return;
      const { top: begun, way = '', ...place } = from ?? {};
      const passed = way === '' ? [] : way.split(' ');
      if (![...passed, ...(begun === undefined ? [] : [begun])].every(isRef)) throw foreignCursor();
      const tree = await readTree(reader, type === undefined ? undefined : new Set([type]));
      const toStep = (ref: string, at: Place): Step<string> =>
        type === undefined || ref.startsWith(`${type}:`) ? { candidate: ref, place: at } : { place: at };
      async function* under(top: string, after: readonly string[], at: Place): AsyncGenerator<Step<string>> {
        for await (const { ref, way: there } of tree.below(top, after)) {
          yield toStep(ref, { ...at, top, way: there.join(' ') });
        }
      }
      if (begun !== undefined) yield* under(begun, passed, place);
      for await (const { value: top, place: at } of tops(tree, from && place)) {
        if (top === undefined) {
          yield { place: at };
          continue;
        }
        yield toStep(top, { ...at, top });
        yield* under(top, [], at);
      }
    }

    /** One snapshot may be too small for scopes of many trees. */
    async function decideAll(scopes: readonly string[]): Promise<readonly boolean[]> {
      const requests = scopes.map((scope) => ({ subject, permission, scope }));
      try {
        return (await engine.checkMany(requests, given(options))).map(({ allowed }) => allowed);
      } catch (error) {
        const isTooMuch = error instanceof GatehouseError && error.code === 'limit_exceeded';
        if (!isTooMuch || scopes.length === 1) throw error;
        const half = Math.ceil(scopes.length / 2);
        return [...(await decideAll(scopes.slice(0, half))), ...(await decideAll(scopes.slice(half)))];
      }
    }

    return fill({
      name: ['scopes', subject, permission, type ?? ''],
      options,
      together: SCOPES_AT_ONCE,
      steps,
      decide: decideAll,
    });
  };
