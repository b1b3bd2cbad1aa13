import { type ChildProcess, spawn } from 'node:child_process';
import { ulid } from 'ulid';
import { afterAll, expect, test } from 'vitest';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import { findingsOn } from '../provisioning/findings.ts';
import { eventually } from '../support/eventually.ts';
import { size } from '../support/tier.ts';
import { createLightWorld, createWorld, type World } from '../support/world.ts';
import { type Client, groupOf, membersOf, patchOf } from './support.ts';
import { makeTenant, serve, type Tenant } from './tenants.ts';

/**
 * A PATCH of many members whose process ends between two of its steps: the same request goes on where it was. In between
 * nobody is let in who was not before and will not be after, and who goes, goes before anybody comes.
 */
const MOVES = size(60, 1_000);
const LEAVING = MOVES / 2;
const STAYING = MOVES / 10;

/** Questions of one `checkMany`, and commands of one batch. */
const MOST_AT_ONCE = 1_000;
const TIMEOUT_MS = 3_600_000;

interface Stage {
  readonly world: World;
  readonly tenant: Tenant;
  readonly send: Client;
  readonly group: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly patch: unknown;
  /** Whom the engine lets in now. */
  readonly allowedUsers: () => Promise<readonly string[]>;
}

/** Users of the connection, made many at a time. */
async function linksOf({ provision }: World, { id }: Tenant, names: readonly string[]) {
  const users: string[] = [];
  for (let n = 0; n < names.length; n += MOST_AT_ONCE) {
    const some = names.slice(n, n + MOST_AT_ONCE);
    const answer = await provision({
      batch: some.map((userName) => ({ command: 'scim-user.create', input: { connection: id, userName } })),
    });
    if (!answer.ok) throw new Error(answer.error.message);
    for (const each of answer.result.answers as readonly Answer[])
      users.push(each.ok ? String(each.result.user) : expect.fail(each.error.message));
  }
  return users;
}

/** A group that opens a page, with members of whom some are to go, and others are to come. */
async function createStage(world: World): Promise<Stage> {
  const tenant = await makeTenant(world, 'acme');
  const scope = `tenant:${tenant.id}`;
  await world.run('page.create', { name: 'home' });
  const { id: role } = await world.run('role.create', { name: 'reader', scope, allowOnly: true });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  const send = serve(world).as(tenant);
  const names = Array.from({ length: MOVES + STAYING }, (_, n) => `ann${n}`);
  const users = await linksOf(world, tenant, names);
  const [go, stay, come] = [
    users.slice(0, LEAVING),
    users.slice(LEAVING, LEAVING + STAYING),
    users.slice(LEAVING + STAYING),
  ];
  const group = await groupOf(send, 'Staff', ...go, ...stay);
  await world.run('group-role.create', { group, role });
  world.settle();
  const engine = world.newEngine();
  const questions = users.map((id) => ({ subject: `user:${id}`, permission: 'home', scope }));
  const allowedUsers = async () => {
    world.settle();
    const decisions: { readonly allowed: boolean }[] = [];
    for (let n = 0; n < questions.length; n += MOST_AT_ONCE) {
      const some = questions.slice(n, n + MOST_AT_ONCE);
      decisions.push(...(await engine.checkMany(some, { consistency: 'strong' })).decisions);
    }
    return users.filter((_, n) => decisions[n]?.allowed).sort();
  };
  const value = (ids: readonly string[]) => ids.map((id) => ({ value: id }));
  const patch = patchOf(
    { op: 'add', path: 'members', value: value(come) },
    { op: 'remove', path: 'members', value: value(go) },
  );
  const [before, after] = [[...go, ...stay].sort(), [...stay, ...come].sort()];
  expect(await allowedUsers()).toEqual(before);
  return { world, tenant, send, group, before, after, patch, allowedUsers };
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean => {
  const known = new Set(all);
  return some.every((each) => known.has(each));
};

/** What is visible between two steps. */
function expectBetween({ before, after }: Stage, seen: readonly string[]): void {
  expect(isWithin(seen, before) || isWithin(seen, after)).toBe(true);
  expect(
    isWithin(
      before.filter((id) => after.includes(id)),
      seen,
    ),
  ).toBe(true);
}

async function expectDone({ world, send, group, after, allowedUsers }: Stage): Promise<void> {
  expect(await allowedUsers()).toEqual(after);
  expect(await membersOf(send, group)).toEqual(after);
  expect(await findingsOn(world)).toEqual([]);
}

test('that is stopped after each step in turn', { timeout: TIMEOUT_MS }, async () => {
  const stage = await createStage(await createLightWorld());
  const { world, tenant, group, patch, allowedUsers } = stage;
  let steps = 0;
  for (let isDone = false; !isDone; ) {
    let left = 1;
    const send: World['writer']['send'] = async (actions, notes) => {
      if (left === 0) throw new Error('killed');
      await world.writer.send(actions, notes);
      left -= 1;
      steps += 1;
    };
    const dying = createProvisioning({ ...world, writer: { send }, newId: () => ulid() });
    const { status } = await serve(world, dying).as(tenant)('PATCH', `/Groups/${group}`, patch);
    isDone = status === 204;
    expectBetween(stage, await allowedUsers());
    expect(steps).toBeLessThan(MOVES);
  }
  expect(steps).toBeGreaterThan(MOVES / 20);
  await expectDone(stage);
});

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** A server in a process of its own: its address, and its end without warning. */
async function start({ world: { table, endpoint } }: Stage) {
  const env = { ...process.env, TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint };
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/scim/server.ts'], { env });
  children.push(child);
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
  });
  let faults = '';
  child.stderr.on('data', (data: Buffer) => {
    faults += data.toString();
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await eventually(() => {
    const [, found] = /listening (\S+)/.exec(said) ?? [];
    if (found === undefined) throw new Error(`not listening: ${faults}`);
    return found;
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url, kill };
}

test('whose server is killed', { timeout: TIMEOUT_MS }, async () => {
  const stage = await createStage(await createWorld());
  const { tenant, send, group, before, patch, allowedUsers } = stage;
  const request = (url: string) =>
    fetch(`${url}/scim/v2/Groups/${group}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(patch),
    });
  const first = await start(stage);
  const lost = request(first.url).then(
    ({ status }) => status,
    () => undefined,
  );
  await eventually(async () => {
    const members = await membersOf(send, group);
    if (members.length === before.length) throw new Error('nothing is written yet');
  });
  await first.kill();
  expect(await lost).toBeUndefined();
  const seen = await allowedUsers();
  expectBetween(stage, seen);
  expect(seen).not.toEqual(stage.before);
  expect(seen).not.toEqual(stage.after);
  const second = await start(stage);
  expect((await request(second.url)).status).toBe(204);
  await second.kill();
  await expectDone(stage);
});
