import { expect, test } from 'vitest';
import { createLightWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse log`, page by page. What it shows of a record: transcripts/log.txt. */
const roles: string[] = [];
const world = await createLightWorld();
const admin = (await world.run('user.create', { displayName: 'Admin' })).id;
const tenant = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
for (let count = 0; count < 130; count++) {
  world.clock.advance(1_000);
  const actor = count % 2 ? 'pipeline' : `user:${admin}`;
  const input = { name: `role ${count}`, scope: tenant };
  const event = { command: 'role.create', input, actor, operationId: `op-${count}` };
  const answer = await world.provision(event);
  if (answer.ok) roles.push(String(answer.result.id));
}
world.clock.advance(1_000);
const input = { id: roles[7], description: 'changed' };
await world.provision({ command: 'role.update', input, actor: admin, operationId: 'change' });

interface Shown {
  readonly log: string;
  readonly items: readonly Record<string, unknown>[];
  readonly names: Readonly<Record<string, string>>;
  readonly cursor?: string;
}
const data = async (...args: readonly string[]): Promise<Shown> => {
  const { code, out, error } = await gatehouse(['log', ...args, '--json'], {
    env: { TABLE_NAME: world.table },
  });
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
};

const walk = async (limit: number, ...args: readonly string[]): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const more = cursor === undefined ? [] : ['--cursor', cursor];
    const page = await data('--tenant', tenant, ...args, '--limit', String(limit), ...more);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    seen.push(...page.items.map(({ operationId }) => operationId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return seen;
};

test('the newest records come first, also of a user and where a filter applies', async () => {
  const made = Array.from({ length: 130 }, (_, count) => `op-${count}`).reverse();
  expect((await walk(40)).slice(0, -1)).toEqual(['change', ...made]);
  expect(await walk(7, '--actor', 'pipeline')).toEqual(made.filter((_, position) => position % 2 === 0));
  const { items } = await data('--user', `user:${admin}`, '--limit', '2');
  expect(items.map(({ operationId }) => operationId)).toEqual(['change', 'op-128']);
});

test('of a tenant by time, page by page, with nothing left out', async () => {
  const seen = await walk(40, '--oldest-first');
  const made = Array.from({ length: 130 }, (_, count) => `op-${count}`);
  expect(seen.slice(1)).toEqual([...made, 'change']);
  const start = Date.parse('2026-01-15T12:00:00Z');
  const some = await data(
    ...['--tenant', tenant, '--from', new Date(start + 10_000).toISOString()],
    ...['--until', new Date(start + 13_000).toISOString(), '--oldest-first'],
  );
  expect(some.items.map(({ operationId }) => operationId)).toEqual(['op-9', 'op-10', 'op-11']);
});

test.each([1, 7, 64, 65, 100])(
  'what is looked for among them is found whole, %i at a time',
  async (limit) => {
    const seen = await walk(limit, '--actor', 'pipeline', '--oldest-first');
    expect(seen).toEqual(Array.from({ length: 65 }, (_, count) => `op-${2 * count + 1}`));
  },
);

test('of a user, by the index, however the actor was written', async () => {
  const { log, items, cursor } = await data('--actor', `user:${admin}`, '--limit', '1000');
  expect({ log, cursor }).toEqual({ log: `what user:${admin} did`, cursor: undefined });
  expect(items).toHaveLength(66);
});
