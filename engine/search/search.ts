import { invalid } from '../../table/errors.ts';
import type { Page } from '../../table/reader.ts';
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine.ts';
import { createActionSearch, type PermissionListOptions } from './action-search.ts';
import { createPager, type ListOptions } from './page.ts';
import { createResourceSearch, type ScopeListOptions } from './resource-search.ts';
import type { SearchReader } from './sources.ts';
import { createSubjectSearch } from './subject-search.ts';

export interface ListsOptions {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'checkMany'>;
  readonly clock: Clock;
  /**
   * Milliseconds after which a page ends though it is not full; it then has a cursor, even when it is empty.
   * Default 5,000.
   */
  readonly budgetMs?: number;
}

/**
 * Action, resource and subject search: the questions beside `check`, as pages with a cursor. What they show is decided as `check` decides it; what is
 * written between two pages may show or not. A name that nothing can have gives an empty list.
 *
 * A page is filled to its limit unless the list ends or the time is up: a cursor is there exactly when there may
 * be more. It belongs to the same question: any other refuses it.
 */
export interface Lists {
  /** The pages and permissions that the subject may use at the scope, by name. */
  readonly listPermissions: (
    subject: string,
    scope: string,
    options?: PermissionListOptions,
  ) => Promise<Page<string>>;
  /** The scopes at which the subject may use the permission, as references. */
  readonly listScopes: (
    subject: string,
    permission: string,
    options?: ScopeListOptions,
  ) => Promise<Page<string>>;
  /** The users and technical users who may use the permission at the scope, as references. */
  readonly listSubjects: (permission: string, scope: string, options?: ListOptions) => Promise<Page<string>>;
}

export const DEFAULT_BUDGET_MS = 5_000;

/** @throws GatehouseError `invalid` for a budget that is none */
export function createLists(options: ListsOptions): Lists {
  const { reader, engine, clock, budgetMs = DEFAULT_BUDGET_MS } = options;
  if (!Number.isFinite(budgetMs) || budgetMs < 0) {
    throw invalid('budgetMs', 'budgetMs must be a number of milliseconds, 0 or more');
  }
  const fill = createPager(clock, budgetMs);
  const permissions = createActionSearch(reader, engine, fill);
  const scopes = createResourceSearch(reader, engine, clock, fill);
  const subjects = createSubjectSearch(reader, engine, fill);
  return {
    // Async, so that bad input is refused as everything else is: by the promise.
    listPermissions: async (subject, scope, given) => permissions(subject, scope, given),
    listScopes: async (subject, permission, given) => scopes(subject, permission, given),
    listSubjects: async (permission, scope, given) => subjects(permission, scope, given),
  };
}
