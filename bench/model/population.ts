import { marshall } from '@aws-sdk/util-dynamodb';
import { createProvisioning } from '../../provisioning/index.ts';
import type { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import type { Item } from '../../table/item.ts';
import { type Key, shardOf, treeSort } from '../../table/keys.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { keyOf } from '../../table/write/action.ts';
import { PATIENCE_MS } from '../harness/engine.ts';

/**
 * A population in blocks of 100 users: each block is a tenant with three locations and 20 groups; each user
 * is in five groups and has one role of their own at a location. Commands write one block. The others are
 * copies of it with other ids, item for item what the same commands would write
 * (test/bench/population.integration.test.ts).
 */
export const USERS_IN_BLOCK = 100;
const GROUPS = 20;
const ROLES = 10;
export const PAGES = 50;
/** The tenant and its locations. */
const PLACES = 4;
/** Shards of the longest lists; other lists have a divisor of this number. */
const SHARDS = 16;

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
export const pageOf = (page: number): string => `page-${String(page).padStart(2, '0')}`;

/** All ids of a block begin with its mark; names and addresses contain it. Digits have no case. */
const markOf = (code: number): string => `015${String(code).padStart(9, '0')}`;
const COMMON = markOf(999_999_999);
/** The block that commands write. */
const FIRST = 777_777_777;

/** Ids in the form of ULIDs, numbered. */
const idOf = (mark: string, n: number): string => `${mark}${String(n).padStart(26 - mark.length, '0')}`;

/**
 * Marks of the copies. The shard of a text depends on the lowest bits of its hash alone, so the text before
 * the mark leaves one of 16 states. Marks that transform each of these states as the first block's mark does
 * keep every text in its shard: a copy is in the lists where commands would have put it.
 */
export function blockMarks(count: number): readonly string[] {
  const states = times(SHARDS).map((state) => String.fromCharCode(state));
  const wanted = states.map((state) => shardOf(state + markOf(FIRST), SHARDS));
  const isEquivalent = (mark: string): boolean =>
    states.every((state, n) => shardOf(state + mark, SHARDS) === wanted[n]);
  const marks: string[] = [];
  for (let code = 0; marks.length < count; code++) if (isEquivalent(markOf(code))) marks.push(markOf(code));
  return marks;
}

// The plan of a block, by the numbers of its members.
const placeOfGroup = (group: number): number => group % PLACES;
const roleOfGroup = (group: number): number => group % ROLES;
const groupsOfUser = (user: number): readonly number[] => times(5).map((k) => (user + 3 * k) % GROUPS);
const assignmentOfUser = (user: number) => ({ role: user % ROLES, place: 1 + (user % (PLACES - 1)) });
const pagesOfRole = (role: number): readonly number[] => times(PAGES / ROLES).map((k) => role + k * ROLES);

/** The oracle at a location (1 to 3). */
export function isAllowedInBlock(user: number, page: number, place: number): boolean {
  const covers = (from: number): boolean => from === 0 || from === place;
  const own = assignmentOfUser(user);
  const roles = [
    ...groupsOfUser(user)
      .filter((group) => covers(placeOfGroup(group)))
      .map(roleOfGroup),
    ...(covers(own.place) ? [own.role] : []),
  ];
  return roles.some((role) => pagesOfRole(role).includes(page));
}

/** Roles and pages, which all blocks share. */
const roleId = (role: number): string => idOf(COMMON, role);
export const placeRef = (mark: string, place: number): string =>
  `${place === 0 ? 'tenant' : 'location'}:${idOf(mark, place)}`;
export const userRef = (mark: string, user: number): string => `user:${idOf(mark, PLACES + GROUPS + user)}`;

/** The items that commands wrote. */
export interface Written {
  /** Of roles and pages. */
  readonly common: readonly Item[];
  /** Of one block: the items with its mark in their key. */
  readonly block: readonly Item[];
}

/**
 * Writes roles, pages and one block to a table by commands, under the ids of `mark`, and reads the items
 * back, except audit records and records of operations: those expire, and no check reads them.
 */
export async function writeByCommands(
  client: ReturnType<typeof createClient>,
  table: string,
  now: number,
  { mark = markOf(FIRST), users = USERS_IN_BLOCK } = {},
): Promise<Written> {
  const reader = createReader({ client, table, deadlineMs: PATIENCE_MS });
  const writer = createWriter({ client, table, pacing: createPacing({ deadlineMs: PATIENCE_MS }) });
  const keys = new Map<string, Key>();
  // Ids of records, assignments and writes; the shared part is written under ids that all blocks share.
  let others = 1_000;
  let of = COMMON;
  const provision = createProvisioning({
    reader,
    writer: {
      send: async (actions) => {
        for (const { PK, SK } of actions.map(keyOf)) keys.set(`${PK} ${SK}`, { PK, SK });
        await writer.send(actions);
      },
    },
    clock: { now: () => now },
    newId: () => idOf(of, others++),
    newSecret: () => 'secret'.padEnd(43, 'x'),
  });
  async function run(command: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  }

  for (const page of times(PAGES)) await run('page.create', { name: pageOf(page) });
  for (const role of times(ROLES)) {
    await run('role.create', { id: roleId(role), name: `Role ${role}`, scope: 'global' });
    for (const page of pagesOfRole(role))
      await run('role-permission.create', { role: roleId(role), permission: pageOf(page), effect: 'ALLOW' });
  }
  of = mark;
  for (const place of times(PLACES)) {
    const [type = '', id] = placeRef(mark, place).split(':');
    const parent = place === 0 ? {} : { parent: placeRef(mark, 0) };
    await run(`${type}.create`, { id, name: `Place ${place} of ${mark}`, ...parent });
  }
  const groupId = (group: number): string => idOf(mark, PLACES + group);
  for (const group of times(GROUPS)) {
    const scope = placeRef(mark, placeOfGroup(group));
    await run('group.create', { id: groupId(group), name: `Group ${group}`, scope });
    await run('group-role.create', { group: groupId(group), role: roleId(roleOfGroup(group)) });
  }
  for (const n of times(users)) {
    const [, user] = userRef(mark, n).split(':');
    const email = `user-${n}.${mark}@example.com`;
    await run('user.create', { id: user, email, displayName: `User ${n}`, tenant: placeRef(mark, 0) });
    for (const group of groupsOfUser(n)) await run('membership.create', { user, group: groupId(group) });
    const { role, place } = assignmentOfUser(n);
    await run('assignment.create', { user, role: roleId(role), scope: placeRef(mark, place) });
  }

  const kept: Item[] = [];
  const left = [...keys.values()];
  while (left.length > 0)
    for (const item of await reader.getMany(left.splice(0, 100)))
      if (item !== undefined && item.ttl === undefined) kept.push(item);
  const isOfBlock = ({ PK, SK }: Item) => PK.includes(mark) || SK.includes(mark);
  return { common: kept.filter((item) => !isOfBlock(item)), block: kept.filter(isOfBlock) };
}

/**
 * The population as an export of DynamoDB has it, a line for each item; block by block, as they are taken:
 * that of a million users would not fit in memory.
 */
export function* exportOf(
  { common, block }: Written,
  marks: readonly string[],
): Generator<string, void, void> {
  const lines = (items: readonly Item[]): string =>
    items.map((item) => `${JSON.stringify({ Item: marshall(item) })}\n`).join('');
  yield lines(common);
  const first = lines(block);
  for (const mark of marks) yield copyOf(first, mark);
}

/**
 * Ids are texts of one length that nothing else holds, so that they are replaced in all forms of an item. The
 * index of trees holds scopes in another form, which is replaced as well.
 */
export const copyOf = (text: string, mark: string): string =>
  times(PLACES).reduce(
    (made, place) =>
      made.replaceAll(treeSort([placeRef(markOf(FIRST), place)]), treeSort([placeRef(mark, place)])),
    text.replaceAll(markOf(FIRST), mark),
  );
