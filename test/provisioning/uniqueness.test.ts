import { describe, expect, test } from 'vitest';
import { globalKey, guardKey } from '../../table/keys.ts';
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
  const ownersOf = () => Promise.all(guards.map(async (key) => (await world.reader.get(key))?.owner));
  const ref = (id: string) => `${type}:${id}`;
  /** What the last transaction did to guards. */
  const guardActions = () =>
    (world.transactions.at(-1) ?? [])
      .filter(({ key }) => guards.some(({ PK }) => PK === key.PK))
      .map(({ kind, key }) => `${kind} ${key.PK}`)
      .sort();

  test.each([value, ...alike])(
    '%j is taken: the conflict names field and holder, nothing is written',
    async (same) => {
      const holder = (await create(value)).id;
      const [first, guard] = [world.transactions.length, await world.reader.get(guards[0])];
      expect(await world.refused(`${type}.create`, { ...base, [field]: same })).toEqual({
        code: 'conflict',
        message: `${field} is taken`,
        field,
        holder: ref(holder),
        retryable: false,
      });
      // Of all that the refused write named, only the guard is there, as it was; all global roles share an item, and all
      // routes of an API its revision.
      const touched = await world.touchedSince(first);
      expect(touched.filter(({ PK }) => PK !== GLOBAL_ROLES && !/^(?:API|AUDIT_COUNT)#/.test(PK))).toEqual([
        guard,
      ]);
      await world.run(`${type}.delete`, { id: holder });
    },
  );

  test('goes with its owner from change to change, and is free when it has none', async () => {
    const holder = (await create(value)).id;
    expect(await ownersOf()).toEqual([ref(holder), undefined].slice(0, guards.length));
    // A path is fixed at creation.
    if (guarded.changes) {
      const second = (await create(other)).id;
      const before = asState(await world.everything());
      for (const taken of [value, ...alike])
        expect(await world.refused(`${type}.update`, { id: second, [field]: taken })).toMatchObject({
          code: 'conflict',
          field,
          holder: ref(holder),
        });
      expect(asState(await world.everything())).toEqual(before);
      await world.run(`${type}.delete`, { id: second });
      // Another spelling of the same leaves the guard alone; another value takes and frees in one write.
      for (const same of alike) {
        await change(holder, same);
        expect(guardActions()).toEqual([]);
      }
      const writes = world.transactions.length;
      await change(holder, other);
      expect(guardActions()).toEqual([`delete ${guards[0].PK}`, `put ${guards[1].PK}`].sort());
      expect(world.transactions.length).toBe(writes + 1);
      expect(await ownersOf()).toEqual([undefined, ref(holder)]);
    }
    // Nor can a name be cleared.
    if (guarded.clears) {
      await change(holder, null);
      expect(await ownersOf()).toEqual([undefined, undefined]);
      expect(await world.run(`${type}.read`, { id: holder })).not.toHaveProperty(field);
    } else if (!guarded.changes) await world.run(`${type}.delete`, { id: holder });
    const taker = (await create(value)).id;
    expect((await ownersOf())[0]).toBe(ref(taker));
    await world.run(`${type}.delete`, { id: taker });
    expect((await ownersOf())[0]).toBeUndefined();
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
