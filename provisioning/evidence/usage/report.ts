import { allOf } from '../../../table/index-queries.ts';
import type { DifferenceOptions } from '../../access-difference/access-difference.ts';
import type { Queries } from '../../apply/queries.ts';
import { gather } from '../../export/gather.ts';
import { createLogged } from '../logged-ids.ts';
import { readChanges } from './changes.ts';
import { peopleIn, subjectOf } from './grants-of-people.ts';
import type { UsageOptions } from './model.ts';
import { checkRemovals, type Removal } from './removals.ts';
import { type Usage, usageOf } from './usage.ts';

export interface UsageReport extends Omit<Usage, 'unused'> {
  /** Since when a right had to be there: epoch milliseconds. */
  readonly from: number;
  readonly unused: readonly Removal[];
  /** Unused rights beyond those. */
  readonly more: number;
  /** APIs that have routes, and no line. */
  readonly silent: readonly string[];
  /** What roles and groups are called, by id, and scopes, by reference. */
  readonly names: ReadonlyMap<string, string>;
}

/** The period begins with the log where that is later. */
interface ReportOptions
  extends Omit<UsageOptions, 'gathered' | 'changes' | 'logged'>,
    Omit<DifferenceOptions, 'bounds'> {
  readonly queries: Queries;
  /** Removals that are checked, and listed. */
  readonly most: number;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * What nobody used: the log beside the table as it is now.
 *
 * @throws GatehouseError faults of the table
 */
export async function reportUsage(options: ReportOptions): Promise<UsageReport> {
  const { queries, reader, coverage, tenant, most, onProgress } = options;
  const from = Math.max(options.from, coverage.first ?? options.from);
  const roots = tenant === undefined ? undefined : [tenant];
  const routes = await reader.listAll(allOf('route'));
  const apis = [...new Set(routes.map(({ api }) => String(api)))].sort();
  const gathered = await gather(queries, { roots, apis, memberships: 'all' });
  const { rows, edges } = gathered;
  const changes = await readChanges(queries, gathered.roots, from);
  const admins = edges.admin.map(subjectOf);
  const logged = await createLogged([...rows.scopes.keys(), ...peopleIn(rows).keys(), ...admins]);
  const { unused, ...usage } = usageOf({ ...options, gathered, changes, logged, from });
  const listed = unused.slice(0, most);
  const removals = await checkRemovals(listed, {
    ...options,
    onProgress: (done) => onProgress?.(done, listed.length),
  });
  const names = new Map(
    [rows.roles, rows.groups, rows.scopes].flatMap((of) =>
      [...of].map(([key, { name }]) => [key, String(name)] as const),
    ),
  );
  const silent = apis.filter((api) => !coverage.sources.has(api));
  return { ...usage, from, unused: removals, more: unused.length - listed.length, silent, names };
}
