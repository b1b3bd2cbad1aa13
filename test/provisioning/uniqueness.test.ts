import { beforeAll, describe, expect, test } from 'vitest';
import { globalKey, guardKey, type Key } from '../../table/keys.ts';
import { GUARDED } from './guarded.ts';
import { asState, createLedgerWorld, type Input } from './support.ts';

const GLOBAL_ROLES = globalKey().PK;

/** Unique values: taken once, changed and freed together with their owner. */
const world = await createLedgerWorld();

describe.each(GUARDED)('the $field of a $type', (guarded) => {
  const { type, field, base, value, alike, other, guards } = guarded;
  const create = (wanted: string, input: Input = {}) =>
    world.run(`${type}.create`, { ...base, ...input, [field]: wanted });
  const change = (id: string, wanted: string | null) => world.run(`${type}.update`, { id, [field]: wanted });
  const ownerOf = async (key: Key) => (await world.reader.get(key))?.owner;
  /** A path is fixed at creation, and a name must be there: what cannot change has no test of changing. */
  const whereItChanges = guarded.changes ? test : () => undefined;
  const whereItClears = guarded.clears ? test : () => undefined;
  let holder: string;
  const ref = () => `${type}:${holder}`;
  beforeAll(async () => {
    holder = (await create(value)).id;
  });

  test.each([value, ...alike])(
    '%j is taken: the conflict names field and holder, nothing is written',
    async (same) => {
      const [first, guard] = [world.transactions.length, await world.reader.get(guards[0])];
      expect(await world.refused(`${type}.create`, { ...base, [field]: same })).toEqual({
        code: 'conflict',
        message: `${field} is taken`,
        field,
        holder: ref(),
        retryable: false,
      });
      // Of all that the refused write named, only the guard is there, as it was; all global roles share an item, and all
      // routes of an API its revision.
      const touched = await world.touchedSince(first);
      expect(touched.filter(({ PK }) => PK !== GLOBAL_ROLES && !/^(?:API|AUDIT_COUNT)#/.test(PK))).toEqual([
        guard,
      ]);
    },
  );

  test('its guard names the owner', async () => expect(await ownerOf(guards[0])).toBe(ref()));

  whereItChanges('a change to a taken value is refused and moves nothing', async () => {
    const second = await create(other);
    const before = asState(await world.everything());
    for (const taken of [value, ...alike]) {
      expect(await world.refused(`${type}.update`, { id: second.id, [field]: taken })).toMatchObject({
        code: 'conflict',
        field,
        holder: ref(),
      });
    }
    expect(asState(await world.everything())).toEqual(before);
    await world.run(`${type}.delete`, { id: second.id });
  });

  whereItChanges('a change to another spelling of the same value leaves the guard alone', async () => {
    const before = await world.reader.get(guards[0]);
    for (const same of alike) {
      await change(holder, same);
      const touched = world.transactions.at(-1)?.map(({ key }) => key.PK);
      expect(touched).not.toContain(guards[0].PK);
    }
    expect(await world.reader.get(guards[0])).toEqual(before);
  });

  whereItChanges('a change takes the new value and frees the old one in one write', async () => {
    world.calls.length = 0;
    await change(holder, other);
    const guardActions = world.transactions
      .at(-1)
      ?.filter(({ key }) => guards.some(({ PK }) => PK === key.PK))
      .map(({ kind, key }) => [kind, key.PK]);
    expect(guardActions?.sort()).toEqual([
      ['delete', guards[0].PK],
      ['put', guards[1].PK],
    ]);
    expect(world.calls.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(1);
    expect(await ownerOf(guards[0])).toBeUndefined();
    expect(await ownerOf(guards[1])).toBe(ref());
    const taker = await create(value);
    await world.run(`${type}.delete`, { id: taker.id });
    await change(holder, value);
    expect(await ownerOf(guards[1])).toBeUndefined();
  });

  whereItClears('clearing it frees it', async () => {
    await change(holder, null);
    expect(await ownerOf(guards[0])).toBeUndefined();
    expect(await world.run(`${type}.read`, { id: holder })).not.toHaveProperty(field);
    const taker = await create(value);
    expect(await world.refused(`${type}.update`, { id: holder, [field]: value })).toMatchObject({ field });
    await world.run(`${type}.delete`, { id: taker.id });
    await change(holder, value);
    expect(await ownerOf(guards[0])).toBe(ref());
  });

  test('deletion frees it', async () => {
    await world.run(`${type}.delete`, { id: holder });
    expect(await ownerOf(guards[0])).toBeUndefined();
    holder = (await create(value)).id;
    expect(await ownerOf(guards[0])).toBe(ref());
  });
});

describe('what narrows a value', () => {
  test('a role name is unique within its scope, and free in every other', async () => {
    const [a, b] = [
      (await world.run('tenant.create', { name: 'Scope A' })).id,
      (await world.run('tenant.create', { name: 'Scope B' })).id,
    ];
    for (const scope of ['global', 'tenant', `tenant:${a}`, `tenant:${b}`]) {
      const { id } = await world.run('role.create', { name: 'porter', scope });
      expect(await world.refused('role.create', { name: 'Porter', scope })).toMatchObject({
        code: 'conflict',
        field: 'name',
        holder: `role:${id}`,
      });
    }
  });

  test('a path is unique within its API and method', async () => {
    const route = { method: 'GET', path: '/shared/{x}', permission: 'p', scope: 'tenant:{claim:t}' };
    await world.run('route.create', route);
    await world.run('route.create', { ...route, method: 'ANY' });
    await world.run('route.create', { ...route, api: 'second' });
    expect(await world.outcome('route.create', { ...route, api: 'default' })).toBe('conflict path');
  });

  test('several values are checked together: one that is taken keeps the others free', async () => {
    await world.run('user.create', { username: 'first' });
    const error = await world.refused('user.create', { email: 'second@example.com', username: 'FIRST' });
    expect(error).toMatchObject({ code: 'conflict', field: 'username' });
    expect(await world.reader.get(guardKey('EMAIL', 'second@example.com'))).toBeUndefined();
  });
});

describe('the provider of an e-mail address', () => {
  const guard = async () => (await world.reader.get(guardKey('EMAIL', 'prov@example.com'))) ?? {};
  test('stands on its guard and follows every change', async () => {
    const email = 'prov@example.com';
    const { id } = await world.run('user.create', { email, emailProvider: 'google' });
    expect(await guard()).toMatchObject({ owner: `user:${id}`, provider: 'google' });
    await world.run('user.update', { id, emailProvider: 'github' });
    expect(await guard()).toMatchObject({ owner: `user:${id}`, provider: 'github' });
    await world.run('user.update', { id, emailProvider: null });
    expect(await guard()).not.toHaveProperty('provider');
    await world.run('user.update', { id, email: 'moved@example.com', emailProvider: 'microsoft' });
    const moved = await world.reader.get(guardKey('EMAIL', 'moved@example.com'));
    expect(moved).toMatchObject({ provider: 'microsoft' });
  });
});
