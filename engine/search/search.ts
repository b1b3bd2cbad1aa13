import { invalid } from '../../table/errors.ts';
import type { Page } from '../../table/reader.ts';
import { faultInOptions, faultInText, refuse } from '../arguments.ts';
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine.ts';
import { createActionSearch, type PermissionListOptions } from './action-search.ts';
import { createPager } from './page.ts';
import { createResourceSearch, type ScopeListOptions } from './resource-search.ts';
import type { SearchReader } from './sources.ts';
import { createSubjectSearch, type SubjectListOptions } from './subject-search.ts';

export interface ListsOptions {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'checkMany'>;
  readonly clock: Clock;
  /**
   * Milliseconds after which a page ends even if it is not full; it then has a cursor, even when empty.
   * Default 5,000.
   */
  readonly budgetMs?: number;
}

/**
 * Action, resource and subject search (OpenID AuthZEN), in pages with a cursor. Each result is decided as by
 * `check`. Writes between two pages may or may not show; where one grants again what was granted already, at a scope
 * above or otherwise, the rest of the list may lack it. Malformed names give an empty list; an argument of a wrong type
 * or length rejects with a GatehouseError `invalid` and its `field`. Faults are those of `check`.
 *
 * A page is filled to its limit unless the list ends, 1,000 candidates were looked at, or the time is up. It
 * has a cursor if and only if more may follow. A cursor is valid for the same question only.
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
  /** The subjects who may use the permission at the scope, as references. */
  readonly listSubjects: (
    permission: string,
    scope: string,
    options?: SubjectListOptions,
  ) => Promise<Page<string>>;
}

const DEFAULT_BUDGET_MS = 5_000;

/** @throws GatehouseError `invalid` for an invalid budget */
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
    // Async, so that invalid input rejects the promise like any other error.
    listPermissions: async (subject, scope, given = {}) => {
      refuse(faultInText('subject', subject) ?? faultInText('scope', scope) ?? faultInOptions(given));
      return permissions(subject, scope, given);
    },
    listScopes: async (subject, permission, given = {}) => {
      refuse(
        faultInText('subject', subject) ?? faultInText('permission', permission) ?? faultInOptions(given),
      );
      if (given.type !== undefined) refuse(faultInText('type', given.type));
      return scopes(subject, permission, given);
    },
    listSubjects: async (permission, scope, given = {}) => {
      refuse(faultInText('permission', permission) ?? faultInText('scope', scope) ?? faultInOptions(given));
      if (given.type !== undefined) refuse(faultInText('type', given.type));
      return subjects(permission, scope, given);
    },
  };
}
