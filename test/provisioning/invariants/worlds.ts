import { createIds } from '../../../provisioning/ids.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import type { Invariant } from '../../../table/invariant.ts';
import type { Item } from '../../../table/item.ts';
import { parseKey } from '../../../table/keys.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import { changeInOneWrite, furnishSmall, PERMISSIONS, START } from '../../proof/oracle/generate.ts';
import type { Model } from '../../proof/oracle/model.ts';
import * as does from '../../proof/oracle/operations.ts';
import { createRandom, type Random } from '../../proof/oracle/random.ts';

/** Small worlds of the oracle, with some more people and a place more in the tenant whose invariants are looked at. */
export const NOW = START + 60_000;

/** Provisioning on a table with these items. */
export function provisioningOn(items: readonly Item[] = []) {
  const table = createMemoryTable({ items, sharesItems: true });
  const parts = { ...table, clock: { now: () => NOW }, newId: createIds(), newSecret: () => 'secret' };
  const provision = createProvisioning({ ...parts, budgetMs: Number.POSITIVE_INFINITY });
  /** Carries out what chance has drawn; the code where it is refused. */
  const carryOut = async ({ command, input }: Pick<does.Operation, 'command' | 'input'>) => {
    const answer = await provision({ command, input });
    return answer.ok ? undefined : answer.error.code;
  };
  return { ...parts, carryOut };
}

/** A world in which much has changed since it was furnished; in some, all that can stand apart does. */
export async function createWorld(seed: number) {
  const random = createRandom(seed);
  const { names: small, operations } = furnishSmall(random, true);
  const { root } = small.named;
  const south = { ref: 'location:south', parent: root, root };
  const users = ['user:ann', 'user:ben', 'user:cem'];
  const names = {
    ...small,
    places: [...small.places, south],
    subjects: [...small.subjects, ...users, ...users],
  };
  const table = provisioningOn();
  for (const operation of [
    ...operations,
    does.createScope(south.ref, { parent: root }),
    ...users.map((user) => does.createUser(user, 'active', null)),
    ...Array.from({ length: 40 }, () => changeInOneWrite(random, names)),
  ])
    await table.carryOut(operation);
  if (random.oneIn(3))
    await migrate({ ...table, thresholds: { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 } });
  const change = () => changeInOneWrite(random, names);
  return { ...table, random, names, root, change };
}

/**
 * An invariant of each kind.
 *
 * @param groups of the tenant
 */
export function drawInvariants({ pick, oneIn, some }: Random, groups: readonly string[]) {
  const broad = (name: string) => (oneIn(3) ? name.replace(/:[^:]+$/, ':*') : name);
  const apart = () => [pick(['dashboard', 'menu']), ...some(PERMISSIONS.slice(2), 2).map(broad)];
  const pair = () => Array.from({ length: 9 }, apart).find(({ length }) => length > 1) ?? PERMISSIONS;
  const one = () => pick([...PERMISSIONS, 'alarms:*:*', '*:*:*']);
  return [
    { id: 'i0', name: 'in the tenant', separate: pair() },
    { id: 'i1', name: 'at one scope', separate: pair(), within: 'scope' },
    { id: 'i2', name: 'never', never: one() },
    ...groups.slice(-1).map((group) => ({ id: 'i3', name: 'except', never: one(), except: { group } })),
  ] satisfies readonly Invariant[];
}

/** Marks memberships as suspended, as a connection does: the edge stays, and the decision item forgets the group. */
export function suspend(items: readonly Item[], memberships: Model['memberships']): readonly Item[] {
  const isSuspended = (user: unknown, id: unknown): boolean =>
    memberships.some(({ subject, group }) => subject === `user:${user}` && group === id);
  return items.map((item) => {
    if (item.Type === 'Membership' && isSuspended(item.user, item.group))
      return { ...item, origins: ['connection'], suspended: ['connection'] };
    const key = parseKey(item);
    if ((key?.form !== 'decision' && key?.form !== 'memberships') || key.type !== 'user') return item;
    const attributes = Object.entries(item).flatMap(
      ([name, value]): readonly (readonly [string, unknown])[] => {
        if (!/^(?:groups$|at\|)/.test(name) || !(value instanceof Set)) return [[name, value]];
        const left = [...value].filter((each) => !isSuspended(key.id, each));
        return left.length > 0 ? [[name, new Set(left)]] : [];
      },
    );
    return Object.fromEntries(attributes) as Item;
  });
}
