import type { Row } from '../../apply/entry.ts';
import type { Queries } from '../../apply/queries.ts';
import { inTurns } from '../../in-turns.ts';
import { subjectOf } from './grants-of-people.ts';

/** What changed in a period, by the audit log: what was not there all the time, and what somebody may have lost. */
export interface Changes {
  /** What came, went or decides otherwise now, as `type:id`; an edge by its kind and its ends. */
  readonly touched: ReadonlySet<string>;
  /** Modules that were sold, or not, for a part of the time. */
  readonly modules: ReadonlySet<string>;
  /** Permissions and patterns with a DENY that came or went. */
  readonly denied: ReadonlySet<string>;
  /** Who had more at some time: references. */
  readonly lostBy: ReadonlySet<string>;
  /** Roles that a group carried, or that another role inherited from, at some time. */
  readonly lostRoles: ReadonlySet<string>;
  /** Whether groups or scopes went, with whatever they gave. */
  readonly hasWholesale: boolean;
  /** Who changed something, as records name who acted, and for whom. */
  readonly actors: ReadonlySet<string>;
}

const EDGES = ['membership', 'assignment', 'grant', 'global-role', 'admin'];
/** Fields of nodes that decide: one that differs is another right. */
const DECIDING = ['status', 'endsAt', 'parent', 'combination', 'deletingSince'];

/**
 * Reads the records of a period: of each tenant, and of what belongs to none.
 *
 * @param from epoch milliseconds
 */
export async function readChanges(
  queries: Queries,
  tenants: readonly string[],
  from: number,
): Promise<Changes> {
  const period = { from: new Date(from).toISOString() };
  const logs = [period, ...tenants.map((tenant) => ({ ...period, tenant }))];
  const found = createChanges();
  await inTurns(logs, async (by) => {
    for (const record of await queries.list('audit.list', by)) found.add(record);
  });
  return found.changes;
}

function createChanges() {
  const [touched, modules, denied] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [lostBy, lostRoles, actors] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const changes = { touched, modules, denied, lostBy, lostRoles, actors, hasWholesale: false };
  return {
    changes: changes as Changes,
    add: ({ actor, onBehalfOf, source, entityType, entityId, before, after }: Row): void => {
      if (source !== 'provisioning' && source !== undefined) return;
      for (const who of [actor, onBehalfOf]) if (who !== undefined) actors.add(String(who));
      const [type, was, is] = [String(entityType), before as Row | undefined, after as Row | undefined];
      const of = { ...was, ...is };
      if (EDGES.includes(type)) {
        touched.add(`${type}:${entityId}`);
        if (was) lostBy.add(subjectOf(was));
      } else if (type === 'group-role') {
        touched.add(`${type}:${entityId}`);
        if (was) lostRoles.add(String(was.role));
      } else if (type === 'role-permission') {
        touched.add(`${type}:${entityId}`);
        if (was?.effect === 'DENY' || is?.effect === 'DENY') denied.add(String(of.permission));
      } else if (type === 'subscription') modules.add(String(of.module));
      else if (type === 'module') modules.add(String(entityId));
      else if (type === 'license') touched.add(String(of.account));
      else if (type.startsWith('scim-') || type === 'external-group') {
        changes.hasWholesale = true;
        if (of.user !== undefined) lostBy.add(subjectOf(of));
      } else if (!was || !is || DECIDING.some((name) => was[name] !== is[name])) {
        touched.add(`${type === 'subject' ? '' : `${type}:`}${entityId}`);
        if (type === 'role' && was?.parent !== undefined) lostRoles.add(String(was.parent));
        // What it gave has no records of its own.
        if (was && !is) changes.hasWholesale = true;
      }
    },
  };
}
