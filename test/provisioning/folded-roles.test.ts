import { ulid } from 'ulid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decisionKey, type Key } from '../../table/keys.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { findingsOn, repairOn } from './findings.ts';
import { foldRoles } from './folded.ts';
import { interruptAfter } from './stepwise.ts';
import { copyOf, createLightLedgerWorld, type Input, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/** A root whose roles are folded (ADR 0003) says the same as one that lists them, whatever commands come. */
let world: LedgerWorld;
let made: LedgerWorld;
let [tenant, ann] = ['', ''];
let key: Key;
const PAGES = ['home', 'files:read:own', 'files:write:own'];

beforeAll(async () => {
  world = await createLightLedgerWorld();
  await world.run('page.create', { name: 'home' });
  for (const name of PAGES.slice(1)) await world.run('permission.create', { name });
  const { id } = await world.run('tenant.create', { name: 'Acme', combination: 'deny-overrides' });
  tenant = `tenant:${id}`;
  key = decisionKey({ type: 'tenant', id });
  ann = (await world.run('user.create', {})).id;
  made = world;
});
beforeEach(async () => {
  world = await copyOf(made);
});

const item = async () => (await world.reader.get(key)) ?? { PK: '', SK: '' };
const createRole = async (input: Input = {}): Promise<string> =>
  (await world.run('role.create', { name: `role ${ulid()}`, scope: tenant, ...input })).id;
const assign = (role: string) => world.run('assignment.create', { user: ann, role, scope: tenant });
const effect = (role: string, permission: string, given: Input | null, verb = 'create') =>
  world.run(`role-permission.${given === null ? 'delete' : verb}`, { role, permission, ...given });
const ALLOW = { effect: 'ALLOW' };
const DENY = { effect: 'DENY' };

/** What a fresh engine says to each permission, and which roles it names. */
async function answers(): Promise<readonly string[]> {
  world.settle();
  const engine = world.newEngine();
  const decided = PAGES.map(async (page) => {
    const { reason } = await engine.check(`user:${ann}`, page, tenant);
    return `${page} ${reason}`;
  });
  const roles = (await engine.effectiveRoles(`user:${ann}`, tenant))?.roles ?? [];
  return [...(await Promise.all(decided)), ...[...roles].sort()];
}

/** Expects that the table is whole, and answers what it says with its roles folded and listed. */
async function expectSame(): Promise<readonly string[]> {
  await expectWhole(world);
  const found = await answers();
  expect(await foldRoles(world, { joins: true })).toMatchObject({ split: 1, unsplit: 0 });
  await expectWhole(world);
  expect((await item()).roleTable).toBeUndefined();
  expect(await answers()).toEqual(found);
  expect(await foldRoles(world)).toMatchObject({ split: 1, unsplit: 0 });
  return found;
}

test('few roles stay listed, and a root without a role is left as it is', async () => {
  expect(await foldRoles(world)).toMatchObject({ split: 0, unsplit: 0 });
  await createRole();
  expect(await foldRoles(world)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await foldRoles(world)).toMatchObject({ split: 0, unsplit: 0 });
  // One that says nothing takes no room: so a root has as many as it likes.
  const names = Object.keys(await item());
  await createRole();
  expect(Object.keys(await item())).toEqual(names);
});

test('effects by name, by pattern and by what roles inherit come, change and go', async () => {
  const top = await createRole();
  await foldRoles(world);
  const above = await createRole({ scope: 'global' });
  const [middle, low] = [await createRole({ parent: top }), await createRole({ parent: above })];
  const bottom = await createRole({ parent: middle });
  await assign(bottom);
  await assign(low);
  const none = PAGES.map((page) => `${page} no_grant`);
  const roles = [top, above, middle, low, bottom].sort();
  expect(await expectSame()).toEqual([...none, ...roles]);

  await effect(top, 'home', ALLOW);
  await effect(middle, 'files:*:own', ALLOW);
  await effect(bottom, 'files:write:*', DENY);
  expect(await expectSame()).toEqual([
    ...['home role', 'files:read:own role', 'files:write:own denied_by_role', ...roles],
  ]);

  await effect(bottom, 'files:write:*', ALLOW, 'update');
  await effect(middle, 'files:*:own', DENY, 'update');
  await effect(above, 'home', DENY);
  expect(await expectSame()).toEqual([
    ...['home denied_by_role', 'files:read:own denied_by_role', 'files:write:own denied_by_role', ...roles],
  ]);

  await effect(middle, 'files:*:own', { ...ALLOW, when: 'subject.id == "nobody"' }, 'update');
  await world.run('role.update', { id: low, parent: null });
  const rest = roles.filter((role) => role !== above);
  expect(await expectSame()).toEqual([
    ...['home role', 'files:read:own no_grant', 'files:write:own role', ...rest],
  ]);

  await effect(middle, 'files:*:own', { ...ALLOW, when: null }, 'update');
  await world.run('role.update', { id: bottom, parent: above });
  expect(await expectSame()).toEqual([
    ...['home denied_by_role', 'files:read:own no_grant', 'files:write:own role'],
    ...[above, low, bottom].sort(),
  ]);

  await effect(bottom, 'files:write:*', null);
  await world.run('role.delete', { id: bottom });
  expect(await expectSame()).toEqual([...none, low]);
});

describe('a command that meets the other form', () => {
  test('is sent again as it is there: folded meanwhile, and listed meanwhile', async () => {
    const top = await createRole();
    const role = await createRole();
    await assign(role);
    const adopt = { command: 'role.update', input: { id: role, parent: top } };
    const allow = (permission: string) => ({
      command: 'role-permission.create',
      input: { role: top, permission, ...ALLOW },
    });
    expect(await world.provisionAround(adopt, () => foldRoles(world))).toMatchObject({ ok: true });
    expect((await item()).roleTable).toBe('folded');
    const unfold = () => foldRoles(world, { joins: true });
    expect(await world.provisionAround(allow('files:*:*'), unfold)).toMatchObject({ ok: true });
    expect((await item()).roleTable).toBeUndefined();
    await foldRoles(world);
    const found = ['home no_grant', 'files:read:own role', 'files:write:own role', ...[top, role].sort()];
    expect(await expectSame()).toEqual(found);
  });

  test('is refused for its own reason first, and nothing is written', async () => {
    const role = await createRole();
    await foldRoles(world);
    const before = await world.everything();
    const wrong = { id: role, name: 'again', scope: tenant };
    expect(await world.outcome('role.create', wrong)).toBe('conflict id');
    expect(await world.everything()).toEqual(before);
  });

  test('writes it at once when it met it before', async () => {
    await createRole();
    await foldRoles(world);
    await createRole();
    const sent = world.transactions.length;
    await createRole();
    expect(world.transactions.length - sent).toBe(1);
  });
});

describe('a command between reading and writing a root that is folded, or listed again', () => {
  /** Acts before the first transaction of the migration. */
  const migrateAround = (act: () => Promise<unknown>, joins: boolean) => {
    const writer = watchWrites(world.writer, (number) => (number === 1 ? act() : undefined));
    return foldRoles({ ...world, writer }, { joins });
  };

  test.each([false, true])(
    'loses nothing: a role that comes, and one that goes (listed again: %s)',
    async (joins) => {
      const gone = await createRole();
      await effect(gone, 'home', ALLOW);
      await assign(gone);
      if (joins) await foldRoles(world);
      let came = '';
      const act = async () => {
        came = await createRole();
        await effect(came, 'files:*:*', ALLOW);
        await assign(came);
        await world.run('role.delete', { id: gone });
      };
      expect(await migrateAround(act, joins)).toMatchObject({ split: 1, unsplit: 0 });
      expect((await item()).roleTable).toBe(joins ? undefined : 'folded');
      if (joins) await foldRoles(world);
      const found = ['home no_grant', 'files:read:own role', 'files:write:own role', came];
      expect(await expectSame()).toEqual(found);
    },
  );
});

describe('a role in deletion', () => {
  /** More edges than one transaction takes away. */
  async function beginDeletion(): Promise<{ command: string; input: Input }> {
    const role = await createRole({ name: 'leaving' });
    await assign(role);
    await effect(role, 'home', ALLOW);
    await effect(role, 'files:*:*', ALLOW);
    for (let n = 0; n < 40; n += 10)
      await world.run('transaction.write', {
        commands: Array.from({ length: 10 }, () => ulid()).flatMap((user) => [
          { command: 'user.create', input: { id: user } },
          { command: 'assignment.create', input: { user, role, scope: tenant } },
        ]),
      });
    const event = { command: 'role.delete', input: { id: role } };
    expect(await interruptAfter(world, event, 1)).toMatchObject({ ok: false });
    return event;
  }
  const nothing = PAGES.map((page) => `${page} no_grant`);

  test.each([
    ['before its root is folded', true],
    ['after that', false],
  ])('has no effect from the first step on: %s', async (_, before) => {
    await createRole();
    if (!before) await foldRoles(world);
    const event = await beginDeletion();
    if (before) await foldRoles(world);
    expect((await item()).closing).toEqual(new Set([event.input.id]));
    expect(await answers()).toEqual(nothing);
    expect(await world.provision(event)).toMatchObject({ ok: true });
    expect((await item()).closing).toBeUndefined();
    expect(await expectSame()).toEqual(nothing);
  });

  test('is one, or its root does not say so', async () => {
    const role = await createRole();
    await foldRoles(world);
    await world.writer.send([{ kind: 'update', key, add: { closing: new Set([role]) } }]);
    expect((await findingsOn(world)).join()).toContain('decision_more');
    await repairOn(world);
    expect((await item()).closing).toBeUndefined();
  });
});

test('a folded item that is lost is made anew, listed as its roles are few', async () => {
  await createRole();
  await foldRoles(world);
  await world.writer.send([{ kind: 'delete', key }]);
  await repairOn(world);
  await expectWhole(world);
  expect((await item()).roleTable).toBeUndefined();
});
