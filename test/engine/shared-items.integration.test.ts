import { expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createTime } from '../proof/simulation/time.ts';

/**
 * What a write to a shared item costs (ADR 0014): it may happen at any time, and must not make a process read everything
 * again for everybody.
 */
const USERS = 2_000;
const CHECKS_PER_SECOND = 1_000;
const READ_MS = 8;
const START = Date.parse('2026-01-15T12:00:00.000Z');
const id = (kind: string, n = 0): string => `01J8Z0E2Z8D2A3J7A7Y2${kind}${String(n).padStart(5, '0')}`;
const STRANGER = id('A', USERS);
const [PLACE, GROUP, ROLE] = [id('P'), id('G'), id('R')];

/** A place with a group that all users are in; it is long ago that it was made. */
async function furnish(): Promise<readonly Item[]> {
  let ids = 0;
  const { reader, writer, items } = createMemoryTable();
  const newId = () => id('N', ++ids);
  const clock = { now: () => START - 3_600_000 };
  const provision = createProvisioning({ reader, writer, clock, newId, newSecret: () => 'secret' });
  const commands: readonly (readonly [string, object])[] = [
    ['page.create', { name: 'vault' }],
    ['location.create', { id: PLACE, name: 'Place' }],
    ['role.create', { id: ROLE, name: 'keeper', scope: 'tenant' }],
    ['role-permission.create', { role: ROLE, permission: 'vault', effect: 'ALLOW' }],
    ['group.create', { id: GROUP, scope: `location:${PLACE}`, name: 'keepers' }],
    ['user.create', { id: id('A', 0) }],
    ['membership.create', { user: id('A', 0), group: GROUP }],
  ];
  for (const [command, input] of commands) {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  }
  return items();
}

/** The items with as many users as are wanted, all as the first one. */
const crowded = (items: readonly Item[]): readonly Item[] => {
  const [first, others] = [items.filter(isOwn), items.filter((item) => !isOwn(item))];
  const users = Array.from({ length: USERS }, (_, n) =>
    first.map((item) => ({ ...item, PK: item.PK.replace(id('A', 0), id('A', n)) })),
  );
  return [...others, ...users.flat()];
};
const isOwn = ({ PK, SK }: { readonly PK: string; readonly SK: string }): boolean =>
  PK.startsWith('USER#') && SK === 'DECISION';

test.each([
  ['right after it', 0],
  ['30 s after it', 30_000],
])(
  `a write to what ${USERS} cached users share costs two reads of it and one of each user's own: seen %s`,
  async (_, laterMs) => {
    const time = createTime(START);
    const { now, pass, settle, wait, schedule } = time;
    const clock = { now: () => Math.floor(now()) };
    const table = createMemoryTable({
      items: crowded(await furnish()),
      faults: { random: createRandom(1).next, delayMs: READ_MS },
      schedule,
    });
    const reads = new Map<string, number>();
    const getMany: typeof table.reader.getMany = (keys, notes) => {
      for (const { PK, SK } of keys) reads.set(`${PK} ${SK}`, (reads.get(`${PK} ${SK}`) ?? 0) + 1);
      return table.reader.getMany(keys, notes);
    };
    const engine = createEngine({ reader: { ...table.reader, getMany }, clock, wait, random: () => 0 });

    const answers: string[] = [];
    const ask = (n: number, atLeast?: string): void => {
      const consistency = atLeast === undefined ? 'cached' : { atLeast };
      engine.check(`user:${id('A', n)}`, 'vault', `location:${PLACE}`, { consistency }).then(
        ({ reason }) => answers.push(reason),
        (fault: unknown) => answers.push(String(fault)),
      );
    };
    /** Asks for every user once, one after the other, not waiting for the answers. */
    const askForAll = async (): Promise<ReadonlySet<string>> => {
      answers.length = 0;
      for (let n = 0; n < USERS; n++) {
        ask(n);
        await settle();
        await pass(1_000 / CHECKS_PER_SECOND);
      }
      await pass(100);
      expect(answers).toHaveLength(USERS);
      return new Set(answers);
    };
    const most = (isWanted: (key: string) => boolean): number =>
      Math.max(...[...reads].filter(([key]) => isWanted(key)).map(([, times]) => times));
    const isOfUser = (key: string): boolean => key.startsWith('USER#') && !key.includes(STRANGER);

    expect(await askForAll()).toEqual(new Set(['no_grant']));
    reads.clear();

    const written = createProvisioning({
      reader: table.reader,
      writer: table.writer,
      clock,
      newId: () => id('W', Math.floor(now() - START)),
      newSecret: () => 'secret',
    })({ command: 'group-role.create', input: { group: GROUP, role: ROLE } });
    await settle();
    await pass(200);
    const { ok, token = '' } = (await written) as { readonly ok: boolean; readonly token?: string };
    time.stop();
    expect(ok).toBe(true);
    await pass(laterMs);
    // From here on the process knows of the write: somebody else has asked for it.
    ask(USERS, token);
    await pass(100);
    expect(await askForAll()).toEqual(new Set(['role']));
    await pass(20_000 - laterMs / 2);
    expect(await askForAll()).toEqual(new Set(['role']));
    expect(most(isOfUser)).toBe(1);
    expect([...reads.keys()].filter(isOfUser)).toHaveLength(USERS);
    expect(most((key) => !isOfUser(key))).toBeLessThanOrEqual(2);
  },
  60_000,
);
