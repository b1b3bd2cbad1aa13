import { readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { CODES } from '../../provisioning/verify/finding.ts';
import { createWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

let world: World;
let user: string;
beforeAll(async () => {
  world = await createWorld();
  user = (await world.run('user.create', { email: 'ann@example.com', status: 'disabled' })).id;
});
const asked = (...args: readonly string[]) =>
  gatehouse(['verify', ...args], { env: { TABLE_NAME: world.table }, now: world.clock.now });
const damage = async () => {
  const item = await world.reader.get({ PK: `USER#${user}`, SK: 'DECISION' });
  await world.client.send(new PutCommand({ TableName: world.table, Item: { ...item, status: 'active' } }));
};

test('a table on which all agrees: 0', async () => {
  const { code, out, error } = await asked();
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^nothing is wrong \(\d+ partitions, \d+ items, \d+ reads\)\n$/);
});

test('findings: 1, and 0 once they are put right', async () => {
  await damage();
  const { code, out } = await asked();
  expect(code).toBe(1);
  expect(out).toContain(
    `decision_differs  USER#${user} / DECISION status\n  expected: "disabled" says USER#${user} / META`,
  );
  expect(out).toContain('(opens; --repair puts it right)');
  expect(out).toContain('1 finding(s), 1 of them may let somebody in');

  const repaired = await asked('--repair', '--json');
  expect(repaired.code).toBe(0);
  expect(JSON.parse(repaired.out)).toMatchObject({
    open: [],
    repaired: [{ code: 'decision_differs', key: { PK: `USER#${user}`, SK: 'DECISION' }, dangerous: true }],
  });
  expect((await asked()).code).toBe(0);
});

test('wrong use and faults: 2', async () => {
  expect(await asked('--tenant', 'nowhere')).toMatchObject({ code: 2 });
  expect(await asked('--rate', 'fast')).toMatchObject({ code: 2 });
  expect(await asked('--table', 'no-such-table')).toMatchObject({ code: 2 });
});

test('every code is told of', () => {
  const text = readFileSync(new URL('../../docs/verify.md', import.meta.url), 'utf8');
  for (const code of CODES) expect(text).toContain(`\`${code}\``);
});
