import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { CODES } from '../../provisioning/verify/finding.ts';
import { grantAttribute } from '../../table/decision/attributes.ts';
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

describe('one tenant', () => {
  const [A, B] = ['tenant-a', 'tenant-b'] as const;
  const ids = new Map<string, string>();
  /** In each of two tenants the same is wrong. */
  const damaged = new Map<string, Key[]>();

  async function furnish(name: string): Promise<void> {
    const { id } = await world.run('tenant.create', { name });
    const [tenant, scope] = [{ type: 'tenant', id }, `tenant:${id}`];
    const location = (await world.run('location.create', { name, parent: scope })).id;
    const role = (await world.run('role.create', { name, scope })).id;
    const group = (await world.run('group.create', { name, scope: `location:${location}` })).id;
    const guest = (await world.run('user.create', { username: name })).id;
    await world.run('grant.create', { user: guest, scope, roles: [role] });
    await world.run('membership.create', { user: guest, group });
    const [user, status] = [{ type: 'user', id: guest }, 'suspended'];
    const gone = [
      edgeKey(tenant, { type: 'location', id: location }),
      guardKey('ROLE_NAME', name, scope),
      edgeKey({ type: 'group', id: group }, user),
    ];
    await world.writer.send(gone.map((key) => ({ kind: 'delete', key })));
    await put({ ...((await world.reader.get(decisionKey(tenant))) as Item), status });
    const entries = Object.entries((await world.reader.get(decisionKey(user))) as Item);
    await put(
      Object.fromEntries(entries.filter(([attribute]) => attribute !== grantAttribute(scope))) as Item,
    );
    ids.set(name, scope);
    damaged.set(name, [...gone, decisionKey(tenant), decisionKey(user)]);
  }
  beforeAll(async () => {
    for (const name of [A, B]) await furnish(name);
  });
  const stateOf = (name: string) => world.reader.getMany(damaged.get(name) ?? []);
  const placesOf = (findings: readonly { readonly key: Key }[]) =>
    findings.map(({ key }) => `${key.PK} / ${key.SK}`).sort();
  const wrongIn = (name: string) => placesOf((damaged.get(name) ?? []).map((key) => ({ key })));

  test('is repaired with everyone who has a grant there; the same damage elsewhere stays', async () => {
    const before = await stateOf(B);
    const { code, out } = await asked('--tenant', String(ids.get(A)), '--repair', '--json');
    expect(code).toBe(0);
    expect(placesOf(JSON.parse(out).repaired)).toEqual(wrongIn(A));
    expect(JSON.parse(out).open).toEqual([]);
    expect(await stateOf(B)).toEqual(before);
    expect((await asked('--tenant', String(ids.get(A)))).code).toBe(0);

    const all = await asked('--json');
    expect(all.code).toBe(1);
    expect(placesOf(JSON.parse(all.out).open)).toEqual(wrongIn(B));
  });

  test('then the other one: no findings are left', async () => {
    expect((await asked('--tenant', String(ids.get(B)), '--repair')).code).toBe(0);
    expect((await asked()).code).toBe(0);
    expect((await stateOf(B)).every((item) => item !== undefined)).toBe(true);
  });

  test('a tenant without items is an error, not a clean tenant', async () => {
    const { code, error } = await asked('--tenant', 'tenant:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C');
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringContaining('tenant:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C does not exist'),
    });
  });
});

test('usage errors and faults: 2', async () => {
  expect(await asked('--tenant', 'nowhere')).toMatchObject({ code: 2 });
  expect(await asked('--rate', 'fast')).toMatchObject({ code: 2 });
  expect(await asked('--table', 'no-such-table')).toMatchObject({ code: 2 });
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
    const state = (of: string) =>
      JSON.stringify({
        version: 1,
        identity: of,
        checkpoint: {
          place: { list: 'guards and names' },
          round: 1,
          partitions: 7,
          items: 70,
          reads: 0,
          findings: 0,
          open: [],
          repaired: [],
          repairedBefore: [],
          damaged: [],
          unlisted: [],
          unnamed: [],
          logs: [],
        },
      });
    writeFileSync(path, state(identity('tenant:other')));
    expect(await asked('--checkpoint', path)).toMatchObject({
      code: 2,
      error: expect.stringContaining('is of a run with another table or other options'),
    });
    writeFileSync(path, '{"a":1}');
    expect(await asked('--checkpoint', path)).toMatchObject({
      code: 2,
      error: expect.stringContaining('is no checkpoint of gatehouse verify'),
    });
    writeFileSync(path, state(identity()));
    const { out } = await asked('--checkpoint', path);
    expect(out).toMatch(/\(7 partitions, \d+ items, \d+ reads\)\n$/);
  });
});
