import type { Item } from '../../table/item.ts';
import { decisionItems } from './table.ts';
import { times, type World } from './world.ts';

/**
 * A population of any size in blocks of 100 users: each block is a tenant with three locations and 20 groups, and each
 * user is in five of the groups. Roles and pages are shared by all blocks.
 */
export const USERS_IN_BLOCK = 100;
const GROUPS = 20;
const ROLES = 10;

const idOf = (block: string, n: number): string => `01J8${block}${String(n).padStart(13, '0')}`;
const pages = times(50, (n) => ['page', String(n).padStart(2, '0')].join('-'));
const roles = times(ROLES, (role) => ({
  id: idOf('COMMON000', role),
  pages: pages.filter((_, page) => page % ROLES === role),
}));

/** The block of this number. */
export function blockOf(number: number): World {
  const id = (n: number): string => idOf(String(number).padStart(9, '0'), n);
  const tenant = { ref: `tenant:${id(0)}` };
  const locations = times(3, (n) => ({ ref: `location:${id(1 + n)}`, parent: tenant.ref }));
  const places = [tenant, ...locations];
  const groups = times(GROUPS, (n) => ({
    id: id(places.length + n),
    place: places[n % places.length]?.ref ?? '',
    roles: [roles[n % ROLES]?.id ?? ''],
  }));
  const users = times(USERS_IN_BLOCK, (n) => ({
    ref: `user:${id(places.length + GROUPS + n)}`,
    groups: times(5, (k) => groups[(n + 3 * k) % GROUPS]?.id ?? ''),
  }));
  return { places, pages, roles, groups, users };
}

/** The decision items of so many blocks, block by block. */
export function* itemsOf(blocks: number): Generator<Item, void, void> {
  const isShared = ({ PK }: Item): boolean => !/^(?:USER|TENANT|LOCATION)#/.test(PK);
  for (let number = 0; number < blocks; number++)
    yield* decisionItems(blockOf(number)).filter((item) => number === 0 || !isShared(item));
}
