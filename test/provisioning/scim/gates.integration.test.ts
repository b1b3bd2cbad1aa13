import { ulid } from 'ulid';
import { beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import { GATE } from '../../../provisioning/nodes/gates.ts';
import { decisionKey, gateKey, nodeKey } from '../../../table/keys.ts';
import type { Writer } from '../../../table/writer.ts';
import { findingsOn } from '../findings.ts';
import { interruptAfter } from '../stepwise.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld } from '../support.ts';
import { expectWhole as expectAllWhole } from '../whole.ts';

/**
 * What a connection makes rests on its tenant, on itself and on a domain. Once a gate of the tenant says so, creations ask
 * for the gate and not for these (ADR 0044), and whatever ends any of it is still in time.
 */
const ISSUER = 'https://login.example';
const ROOT = { type: 'tenant', id: 'acme' };
let world: LedgerWorld;

beforeEach(async () => {
  world = await createLightLedgerWorld();
  await world.run('tenant.create', { id: 'acme', name: 'acme' });
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  await world.run('scim-connection.create', {
    id: 'acme',
    scope: 'tenant:acme',
    name: 'acme',
    issuer: ISSUER,
  });
});

const NAMED = { connection: 'acme', userName: 'ann' };
const user = (more: Input = {}) =>
  ['scim-user.create', { ...NAMED, email: 'ann@acme.example', sub: 'ann', ...more }] as const;
const group = (displayName = 'Staff') => ['scim-group.create', { connection: 'acme', displayName }] as const;

const GATES = Array.from({ length: 16 }, (_, n) => gateKey(ROOT, n));
const gates = async () => (await world.reader.getMany(GATES)).filter((gate) => gate !== undefined);

/** Makes every gate say what creations rest on, and takes away what was made. */
async function noteAll(): Promise<void> {
  for (let n = 0; (await gates()).length < GATES.length; n++) {
    const { user: id } = await world.run('scim-user.create', {
      ...NAMED,
      userName: `u${n}`,
      email: `u${n}@acme.example`,
    });
    await world.run('scim-user.delete', { connection: 'acme', user: id });
  }
}

const keysOfLast = () => (world.transactions.at(-1) ?? []).map(({ key }) => `${key.PK} / ${key.SK}`);
const SHARED = [ROOT, { type: 'scim-connection', id: 'acme' }, { type: 'domain', id: 'acme.example' }]
  .map(nodeKey)
  .map(({ PK, SK }) => `${PK} / ${SK}`);

const expectWhole = () => expectAllWhole(world);

test('the first creation through a gate asks for the nodes, and those after it for the gate alone', async () => {
  await world.run(...user());
  expect(keysOfLast()).toEqual(expect.arrayContaining(SHARED));
  expect(await gates()).toHaveLength(1);
  await noteAll();
  for (const [command, input] of [
    user({ userName: 'bob', email: 'bob@acme.example', sub: 'bob' }),
    group(),
  ]) {
    await world.run(command, input);
    expect(keysOfLast().filter((key) => SHARED.includes(key))).toEqual([]);
    expect(keysOfLast().filter((key) => key.includes('#GATE#'))).toHaveLength(1);
  }
  await expectWhole();
});

test('a gate that says no more than a few dozen things gets no more', async () => {
  const { PK, SK } = gateKey(ROOT, 'ann');
  const notes = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`domain:d${n}.example`, 'x']));
  await world.writer.send([{ kind: 'put', item: { PK, SK, Type: GATE, rev: 1, ...notes } }]);
  await world.run(...user());
  expect(await world.reader.get({ PK, SK })).toEqual({ PK, SK, Type: GATE, rev: 1, ...notes });
});

describe('a creation that was planned before', () => {
  beforeEach(noteAll);
  const around = ([command, input]: readonly [string, Input], act: () => Promise<unknown>) =>
    world.provisionAround({ command, input }, act);

  /** Whether the gates say again what is so by then. */
  const ANEW = [false, true];

  test.each(ANEW)('another issuer of the connection has that one (gates made anew: %s)', async (isAnew) => {
    const issuer = 'https://other.example';
    const answer = await around(user(), async () => {
      await world.run('scim-connection.update', { id: 'acme', issuer });
      if (isAnew) await noteAll();
    });
    if (!answer.ok) throw new Error(answer.error.message);
    expect(await world.run('user.read', { id: answer.result.user })).toMatchObject({ issuer, sub: 'ann' });
    await expectWhole();
  });

  test('the end of its domain is refused', async () => {
    const answer = await around(user(), () => world.run('domain.delete', { name: 'acme.example' }));
    expect(answer).toMatchObject({ ok: false, error: { code: 'invalid', field: 'email' } });
    await expectWhole();
  });

  test.each([user(), group()])('the end of its connection finds none: %s', async (command, input) => {
    const answer = await around([command, input], () => world.run('scim-connection.delete', { id: 'acme' }));
    expect(answer).toMatchObject({ ok: false, error: { code: 'not_found', field: 'connection' } });
    expect(await gates()).toEqual([]);
    await expectWhole();
  });

  test.each([user(), group()])('the end of its tenant finds it closed: %s', async (command, input) => {
    const tree = { command: 'scope.delete-tree', input: { scope: 'tenant:acme' } };
    const answer = await around([command, input], () => interruptAfter(world, tree, 1));
    expect(answer).toMatchObject({ ok: false, error: { code: 'conflict' } });
    // Nor does a later one.
    expect(await world.provision({ command, input })).toMatchObject({
      ok: false,
      error: { code: 'conflict' },
    });
    expect(await gates()).toEqual([]);
    await world.run(tree.command, tree.input);
    expect((await world.dataItems()).map(({ Type }) => Type)).not.toContain(GATE);
    await expectWhole();
  });

  test.each(ANEW)('groups that go apart makes one of these (gates made anew: %s)', async (isAnew) => {
    await world.run('group.create', { id: 'board', scope: 'tenant:acme', name: 'Board' });
    await world.run('role.create', { id: 'role', scope: 'tenant:acme', name: 'role' });
    await world.run('group-role.create', { group: 'board', role: 'role' });
    let [stop, goOn] = [() => {}, () => {}];
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const gone = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { PK, SK } = decisionKey(ROOT);
    // It stops where all groups that it knows of have their mark.
    const send: Writer['send'] = async (actions) => {
      if (actions.some((action) => action.kind === 'put' && action.item.PK === PK && action.item.SK === SK)) {
        stop();
        await gone;
      }
      await world.writer.send(actions);
    };
    let moving: Promise<unknown> | undefined;
    const answer = await around(group(), async () => {
      const thresholds = { groupsOfSubject: 1_000, groupsOfScope: 0, rolesOfRoot: 1_000 };
      moving = migrate({ ...world, writer: { send }, newId: ulid, thresholds });
      await stopped;
      if (isAnew) await noteAll();
    });
    goOn();
    await moving;
    expect(answer).toMatchObject({ ok: true });
    expect(await world.reader.get({ PK, SK })).toMatchObject({ groupRoles: 'apart' });
    expect(await findingsOn(world)).toEqual([]);
  });
});

test.each([user(), group()])(
  'the end of a connection is refused for what came meanwhile: %s',
  async (command, input) => {
    await noteAll();
    const event = { command: 'scim-connection.delete', input: { id: 'acme' } };
    const answer = await world.provisionAround(event, () => world.run(command, input));
    expect(answer).toMatchObject({ ok: false, error: { code: 'conflict', field: 'id' } });
    await expectWhole();
  },
);
