import { invalid } from '../../table/errors.ts';
import { allOf } from '../../table/index-queries.ts';
import { parseKey } from '../../table/keys.ts';
import type { Page } from '../../table/reader.ts';
import type { Engine } from '../engine.ts';
import { SCOPE, SUBJECT } from '../items.ts';
import { decideAll, type ListOptions, type Pager, type Step } from './page.ts';
import { type SearchReader, sourcesOf, walkSources } from './sources.ts';

export interface PermissionListOptions extends ListOptions {
  /** Only pages, or only permissions `module:action:resource`. Default: pages, then permissions. */
  readonly kind?: 'page' | 'permission' | undefined;
  /** Only those that it accepts; the others are not decided. Default: all. */
  readonly accept?: ((permission: string) => boolean) | undefined;
}

const KINDS = ['page', 'permission'] as const;

/** Reasons that are the same for every permission: the search can end. */
const HOPELESS = /^(?:subject|scope)_/;

/**
 * Permissions decided together. Each takes two items; with the subject, the global item and the longest path
 * of scopes that is 99 keys, within the limit of one BatchGetItem or TransactGetItems.
 */
const PERMISSIONS_AT_ONCE = 40;

/**
 * Action search: what a subject may do at a scope. The candidates are all registered permissions, listed from
 * an index, so that one registered just now may be missing. Each is decided as by `check`.
 */
export const createActionSearch =
  (reader: SearchReader, engine: Pick<Engine, 'checkMany'>, fill: Pager) =>
  (subject: string, scope: string, options: PermissionListOptions): Promise<Page<string>> => {
    const { kind, accept = () => true } = options;
    if (kind !== undefined && !KINDS.includes(kind))
      throw invalid('kind', `kind is not one of ${KINDS.join(', ')}`);
    const kinds = kind === undefined ? KINDS : [kind];
    const sources = kinds.flatMap((each) =>
      sourcesOf(allOf(each), (item) => {
        const key = parseKey(item);
        return key?.form === 'node' && accept(key.id) ? key.id : undefined;
      }),
    );
    const couldBe = SUBJECT.keyOf(subject) !== undefined && SCOPE.keyOf(scope) !== undefined;
    let isHopeless = false;
    return fill({
      name: ['permissions', subject, scope, kind ?? ''],
      options,
      together: PERMISSIONS_AT_ONCE,
      steps: async function* (from): AsyncGenerator<Step<string>> {
        if (!couldBe) return;
        for await (const step of walkSources(reader, sources, from)) {
          if (isHopeless) return;
          yield step;
        }
      },
      decide: async (permissions, work) => {
        const requests = permissions.map((permission) => ({ subject, permission, scope }));
        const decisions = await decideAll(engine, requests, options, work, 'action search');
        isHopeless = decisions.some(({ reason }) => HOPELESS.test(reason));
        return decisions;
      },
    });
  };
