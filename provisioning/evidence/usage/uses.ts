import { limitExceeded } from '../../../table/errors.ts';
import { sourceOf } from '../log-coverage.ts';
import type { DecisionRecord } from '../log-lines.ts';

/** What a decision log says was used: by whom, which permission, where. Ids are as the log has them. */

export interface Use {
  readonly permission: string;
  /** Undefined: somewhere. */
  readonly scope: string | undefined;
}

/** What somebody did as an administrator. */
export interface AdminUse {
  readonly decisions: number;
  readonly uses: readonly Use[];
  /** Epoch milliseconds. */
  readonly last: number;
}

export interface Uses {
  /** By subject: what it was allowed by roles. */
  readonly bySubject: ReadonlyMap<string, readonly Use[]>;
  /** By subject: what it was allowed as an administrator. */
  readonly byAdmin: ReadonlyMap<string, AdminUse>;
  /** Permissions that were asked for, allowed or refused, with the sources of those lines. */
  readonly asked: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Distinct uses that are kept: at about 60 bytes each. */
const MAX_USES = 5_000_000;

/**
 * Collects uses in memory that grows with the number of distinct ones, not with the log.
 *
 * @param most distinct uses; beyond it `add` throws GatehouseError `limit_exceeded`
 */
export function createUses(most = MAX_USES) {
  /** Each permission and scope that were used together is kept once. */
  const pairs: Use[] = [];
  const numbers = new Map<string, Map<string | undefined, number>>();
  const bySubject = new Map<string, Set<number>>();
  const byAdmin = new Map<string, { decisions: number; numbers: Set<number>; last: number }>();
  const asked = new Map<string, Set<string>>();
  let count = 0;

  const addRoles = (subject: string, permission: string, scope: string | undefined): void => {
    const used = bySubject.get(subject) ?? new Set();
    bySubject.set(subject, used);
    addTo(used, permission, scope);
  };
  function addAdmin(subject: string, permission: string, scope: string | undefined, at: number): void {
    const admin = byAdmin.get(subject) ?? { decisions: 0, numbers: new Set(), last: at };
    byAdmin.set(subject, admin);
    addTo(admin.numbers, permission, scope);
    admin.decisions += 1;
    admin.last = Math.max(admin.last, at);
  }
  function numberOf(permission: string, scope: string | undefined): number {
    const ofPermission = numbers.get(permission) ?? new Map<string | undefined, number>();
    numbers.set(permission, ofPermission);
    const number = ofPermission.get(scope) ?? pairs.push({ permission, scope }) - 1;
    ofPermission.set(scope, number);
    return number;
  }
  function addTo(numbers: Set<number>, permission: string, scope: string | undefined): void {
    const before = numbers.size;
    numbers.add(numberOf(permission, scope));
    count += numbers.size - before;
    if (count > most)
      throw limitExceeded(
        `the log has more than ${most} distinct uses (subject, permission, scope): narrow it by --tenant, or give fewer --days`,
        'log',
      );
  }
  const usesOf = (numbers: ReadonlySet<number>): readonly Use[] =>
    [...numbers].map((each) => pairs[each] as Use);

  return {
    add: (record: DecisionRecord): void => {
      const { subject, actor, permission, scope, allowed, reason, at } = record;
      if (permission === undefined) return;
      const sources = asked.get(permission) ?? new Set();
      asked.set(permission, sources.add(sourceOf(record)));
      // Who else may do something, or what somebody may do, uses nothing.
      if (!allowed || subject === undefined) return;
      // Whether a search found it for an administrator, or an actor was allowed as one, the line does not say.
      if (reason !== 'admin') addRoles(subject, permission, scope);
      if (reason === 'admin' || reason === 'found') addAdmin(subject, permission, scope, at);
      if (actor !== undefined) {
        addRoles(actor, permission, scope);
        addAdmin(actor, permission, scope, at);
      }
    },
    uses: (): Uses => ({
      asked,
      bySubject: new Map([...bySubject].map(([subject, used]) => [subject, usesOf(used)])),
      byAdmin: new Map(
        [...byAdmin].map(([subject, { numbers, ...admin }]) => [
          subject,
          { ...admin, uses: usesOf(numbers) },
        ]),
      ),
    }),
  };
}
