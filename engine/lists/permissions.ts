import { invalid } from '../../table/errors.ts';
import { parseKey } from '../../table/keys.ts';
import { allOf } from '../../table/patterns/lists.ts';
import type { Page } from '../../table/read/query.ts';
import type { Engine } from '../engine.ts';
import { needScope, needSubject } from '../needs.ts';
import { PERMISSIONS_AT_ONCE } from '../session.ts';
import type { ListOptions, Pager, Step } from './page.ts';
import { type ListReader, sourcesOf, walkSources } from './sources.ts';

export interface PermissionListOptions extends ListOptions {
  /** Pages only, or permissions `module:action:resource` only; pages and then permissions when left out. */
  readonly kind?: 'page' | 'permission' | undefined;
}

const KINDS = ['page', 'permission'] as const;

/** Reasons that hold for every permission. */
const HOPELESS = /^(?:subject|scope)_/;

/**
 * What a subject may do at a scope. Candidates are all that is registered, from the index; one that was
 * registered this very moment may be missed. Each is decided as a check would.
 */
export const permissionLists =
  (reader: ListReader, engine: Pick<Engine, 'checkMany'>, fill: Pager) =>
  (subject: string, scope: string, options: PermissionListOptions = {}): Promise<Page<string>> => {
    const { kind, at, freshness } = options;
    if (kind !== undefined && !KINDS.includes(kind))
      throw invalid('kind', `kind is none of ${KINDS.join(', ')}`);
    const kinds = kind === undefined ? KINDS : [kind];
    const sources = kinds.flatMap((each) =>
      sourcesOf(allOf(each), (item) => {
        const key = parseKey(item);
        return key?.form === 'node' ? key.id : undefined;
      }),
    );
    const couldBe = needSubject(subject) !== undefined && needScope(scope) !== undefined;
    let isHopeless = false;
    return fill({
      name: ['permissions', subject, scope, kind ?? ''],
      options,
      together: PERMISSIONS_AT_ONCE,
      steps: async function* (from): AsyncGenerator<Step<string>> {
        if (!couldBe) return;
        for await (const { value, place } of walkSources(reader, sources, from)) {
          if (isHopeless) return;
          yield value === undefined ? { place } : { candidate: value, place };
        }
      },
      decide: async (permissions) => {
        const requests = permissions.map((permission) => ({ subject, permission, scope }));
        const decisions = await engine.checkMany(requests, given({ at, freshness }));
        isHopeless = decisions.some(({ reason }) => HOPELESS.test(reason));
        return decisions.map(({ allowed }) => allowed);
      },
    });
  };

/** Options without those that were left out. */
export const given = ({ at, freshness }: Pick<ListOptions, 'at' | 'freshness'>) => ({
  ...(at === undefined ? {} : { at }),
  ...(freshness === undefined ? {} : { freshness }),
});
