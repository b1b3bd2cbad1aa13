import { namesCovering } from '../../../table/permission-name.ts';
import type { Row } from '../../apply/entry.ts';
import type { Gathered } from '../../export/gather.ts';
import { isOfOperators } from '../../operator-permissions.ts';
import type { LogCoverage } from '../log-coverage.ts';
import type { Logged } from '../logged-ids.ts';
import type { Changes } from './changes.ts';
import { createRoles, grantsIn } from './grants-of-people.ts';
import type { Uses } from './uses.ts';

export interface UsageOptions {
  readonly gathered: Gathered;
  readonly uses: Uses;
  readonly coverage: LogCoverage;
  readonly changes: Changes;
  readonly logged: Logged;
  /** Epoch milliseconds: since when a right has to be there, and the instant at which it has to count. */
  readonly from: number;
  readonly at: number;
  /** Permissions and patterns that are checked without the log. */
  readonly elsewhere: readonly string[];
  /** Whether all that checks anything writes this log, so that a permission that it never names was not asked for. */
  readonly isComplete: boolean;
  /** The one tenant that is looked at: of what others share nothing is said. */
  readonly tenant: string | undefined;
}

const DAY_MS = 86_400_000;
/** What Gatehouse checks for its own callers: no log has it. */
const isOurs = (permission: string): boolean =>
  isOfOperators(permission) || permission.startsWith('gatehouse:');

/** What of the log and the table speaks of a permission, and what was there all the time. */
export function createModel({ gathered, changes, from, at, ...options }: UsageOptions) {
  const { rows } = gathered;
  const isLogged = createIsLogged({ gathered, ...options });
  const permissions = [...rows.permissions.keys(), ...rows.pages.keys()];
  /** The permissions that a permission or a pattern gives. */
  const givenBy = (name: string): readonly string[] =>
    name.includes('*') ? permissions.filter((each) => namesCovering(each).includes(name)) : [name];
  const moduleOf = (permission: string): string =>
    permission.includes(':') ? (permission.split(':')[0] ?? '') : String(rows.pages.get(permission)?.module);
  const isTouched = (...entities: readonly string[]): boolean =>
    entities.some((each) => changes.touched.has(each));
  const old = new Date(from).toISOString();
  const denied = new Set([...changes.denied].flatMap(givenBy));
  const hasDeny =
    denied.size > 0 ||
    [...rows.roles.values()].some(({ effects }) =>
      (effects as readonly Row[]).some(({ effect }) => effect === 'DENY'),
    );
  return {
    ...grantsIn(gathered, at),
    roles: createRoles(rows),
    isTouched,
    pathOf: (ref: string): readonly string[] => [
      ref,
      ...((rows.scopes.get(ref)?.ancestors ?? []) as readonly string[]),
    ],
    /** Permissions of which nothing may be said. */
    unlogged: permissions.filter((each) => !isOurs(each) && !isLogged(each)).sort(),
    isSpeakable: (name: string): boolean => !isOurs(name) && givenBy(name).every(isLogged),
    isOld: ({ createdAt, updatedAt, startsAt }: Row): boolean =>
      String(updatedAt ?? createdAt ?? '') < old && String(startsAt ?? '') <= old,
    /** Whether an ALLOW gave the same all the time to whoever had it. */
    wasSteady: (role: string, name: string): boolean =>
      !isTouched(`role:${role}`, `role-permission:${role} ${name}`) &&
      givenBy(name).every((each) => !denied.has(each) && !changes.modules.has(moduleOf(each))),
    /** Whether somebody may have had a role that denies for a part of the time. */
    mayHaveBeenDenied: (subject: string): boolean =>
      hasDeny && (changes.lostBy.has(subject) || changes.lostRoles.size > 0 || changes.hasWholesale),
  };
}

export type Model = ReturnType<typeof createModel>;

/** Whether each check of a permission had a line, in all the time. */
function createIsLogged({
  gathered,
  coverage: { sources, first = 0 },
  uses,
  elsewhere,
  isComplete,
}: Pick<UsageOptions, 'gathered' | 'coverage' | 'uses' | 'elsewhere' | 'isComplete'>) {
  const isGood = (name: string): boolean => {
    const source = sources.get(name);
    if (!source || source.hasPolicies || source.hasNoAllows) return false;
    return isComplete || source.first <= first + DAY_MS;
  };
  const routes = [...gathered.rows.routes.values()].map(({ api, permission }) => ({
    isLogged: isGood(String(api ?? 'default')),
    permission: String(permission),
  }));
  const namedBy = (wanted: boolean): ReadonlySet<string> =>
    new Set(routes.flatMap(({ isLogged, permission }) => (isLogged === wanted ? permission : [])));
  const [routed, unlogged] = [namedBy(true), namedBy(false)];
  // A permission that is in the request may be any.
  const mayBeAny = [...unlogged].some((permission) => permission.includes('{'));
  return (permission: string): boolean => {
    const asked = [...(uses.asked.get(permission) ?? [])];
    if (mayBeAny || unlogged.has(permission) || !asked.every(isGood)) return false;
    if (namesCovering(permission).some((name) => elsewhere.includes(name))) return false;
    return isComplete || asked.length > 0 || routed.has(permission);
  };
}
