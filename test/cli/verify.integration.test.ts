import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { CODES } from '../../provisioning/verify/finding.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, guardKey, type Key } from '../../table/keys.ts';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

const world = await createLightWorld();
const user = (await world.run('user.create', { email: 'ann@example.com', status: 'disabled' })).id;
const asked = (...args: readonly string[]) =>
  gatehouse(['verify', ...args], { env: { TABLE_NAME: world.table }, now: world.clock.now });
const put = (item: Item) => world.writer.send([{ kind: 'put', item }]);
const damage = async () => {
  const item = await world.reader.get({ PK: `USER#${user}`, SK: 'DECISION' });
  await put({ ...(item as Item), status: 'active' });
};

test('a consistent table: 0', async () => {
  const { code, out, error } = await asked();
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^no findings \(\d+ partitions, \d+ items, \d+ reads\)\n$/);
});

test('findings: 1, and 0 after the repair', async () => {
  await damage();
  const { code, out } = await asked();
  expect(code).toBe(1);
  expect(out).toContain(
    `decision_differs  USER#${user} / DECISION status\n  expected: "disabled" says USER#${user} / META`,
  );
  expect(out).toContain('(opens; --repair repairs it)');
  expect(out).toContain('1 finding(s), 1 of which may allow too much');

  const repaired = await asked('--repair', '--json');
  expect(repaired.code).toBe(0);
  expect(JSON.parse(repaired.out)).toMatchObject({
    open: [],
    repaired: [{ code: 'decision_differs', key: { PK: `USER#${user}`, SK: 'DECISION' }, dangerous: true }],
  });
  expect((await asked()).code).toBe(0);
});

/** A tenant in which something of each kind is wrong: its reference, and where. */
async function damagedTenant(name: string) {
  await world.apply(`
scopes: { ${name}: { id: ${name}, type: tenant }, hall: { id: hall-${name}, type: location, parent: ${name} } }
roles: { ${name}: { id: role-${name}, owner: ${name} } }
groups: { staff: { id: staff-${name}, scope: hall } }
users: { guest: { id: guest-${name}, tenant: null, groups: [staff], grants: { ${name}: [${name}] } } }
`);
  const [scope, tenant] = [`tenant:${name}`, { type: 'tenant', id: name }];
  const guest = { type: 'user', id: `guest-${name}` };
  const gone = [
    edgeKey(tenant, { type: 'location', id: `hall-${name}` }),
    guardKey('ROLE_NAME', name, scope),
    edgeKey({ type: 'group', id: `staff-${name}` }, guest),
  ];
  await world.writer.send(gone.map((key) => ({ kind: 'delete', key })));
  const decisions = [tenant, guest].map(decisionKey);
  for (const item of await world.reader.getMany(decisions))
    await put({ ...(item as Item), status: item?.PK.startsWith('USER') ? 'disabled' : 'suspended' });
  return { scope, places: [...gone, ...decisions].map(({ PK, SK }) => `${PK} / ${SK}`).sort() };
}

test('of one tenant, with everyone who has a grant there; the same damage elsewhere stays', async () => {
  const [a, b] = [await damagedTenant('a'), await damagedTenant('b')];
  const placesOf = (findings: readonly { readonly key: Key }[]) =>
    findings.map(({ key }) => `${key.PK} / ${key.SK}`).sort();
  const { code, out } = await asked('--tenant', a.scope, '--repair', '--json');
  expect([code, placesOf(JSON.parse(out).repaired), JSON.parse(out).open]).toEqual([0, a.places, []]);
  expect((await asked('--tenant', a.scope)).code).toBe(0);
  const all = await asked('--json');
  expect([all.code, placesOf(JSON.parse(all.out).open)]).toEqual([1, b.places]);
  expect((await asked('--tenant', b.scope, '--repair')).code).toBe(0);
  expect((await asked()).code).toBe(0);
});

test('every code is described', () => {
  const text = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  for (const code of CODES) expect(text).toContain(`\`${code}\``);
});

describe('--checkpoint', () => {
  const file = () => fileOf('', 'progress');

  test('is gone after a run that came to its end', async () => {
    const path = file();
    rmSync(path);
    expect((await asked('--checkpoint', path)).code).toBeLessThan(2);
    expect(existsSync(path)).toBe(false);
  });

  test('goes on from a file of the same table and options, and refuses others', async () => {
    const path = file();
    rmSync(path);
    const identity = (tenant?: string) =>
      JSON.stringify({ endpoint: inject('endpoint'), table: world.table, tenant, repair: false, log: true });
    const lists = ['open', 'repaired', 'repairedBefore', 'damaged', 'unlisted', 'unnamed', 'logs'];
    const checkpoint = {
      place: { list: 'guards and names' },
      round: 1,
      partitions: 7,
      items: 70,
      reads: 0,
      findings: 0,
      ...Object.fromEntries(lists.map((name) => [name, []])),
    };
    const state = (of: string) => JSON.stringify({ version: 1, identity: of, checkpoint });
    for (const [text, problem] of [
      [state(identity('tenant:other')), 'is of a run with another table or other options'],
      ['{"a":1}', 'is no checkpoint of gatehouse verify'],
    ] as const) {
      writeFileSync(path, text);
      const error = expect.stringContaining(problem);
      expect(await asked('--checkpoint', path)).toMatchObject({ code: 2, error });
    }
    writeFileSync(path, state(identity()));
    const { out } = await asked('--checkpoint', path);
    expect(out).toMatch(/\(7 partitions, \d+ items, \d+ reads\)\n$/);
  });
});
