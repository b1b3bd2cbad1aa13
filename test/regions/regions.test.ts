import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../engine/index.ts';
import { decisionKey, type Key } from '../../table/keys.ts';
import { createRegions, type Replica } from '../support/regions.ts';
import { commandsOf, createClock } from '../support/world.ts';

/**
 * What a DynamoDB global table does to Gatehouse (ADR 0028, docs/regions.md): provisioning and engines as they are,
 * on replicas that copy each item by itself, late, the last write of an item winning. An engine that reads the table of
 * the region that writes is as any other: proof/simulation.
 */
const SECOND = 1_000;
const TTL_MS = 60 * SECOND;

/** Two regions; each has provisioning and an engine on its own replica. */
function createTwo() {
  const clock = createClock();
  const delay = { of: (_: Key) => SECOND };
  const { here, there } = createRegions({ now: clock.now, delayOf: (key) => delay.of(key) });
  const newSecret = () => randomBytes(32).toString('base64url');
  const on = ({ reader, writer }: Replica) => ({
    ...commandsOf({ reader, writer, clock, newSecret }),
    reader,
    newEngine: () => createEngine({ reader, clock, random: () => 0, wait: clock.wait, ttlMs: TTL_MS }),
  });
  return { clock, delay, here: on(here), there: on(there), settle: () => clock.advance(10 * 60 * SECOND) };
}

/** Two regions with a place, a role that opens its vault, a group there, and a user; all of it has arrived everywhere. */
async function createVaults() {
  const two = createTwo();
  await two.here.apply(`
pages: [vault, hall]
scopes: { Place: { id: place, type: location } }
roles: { keeper: { id: keeper, allow: [vault] }, guest: { id: guest, allow: [hall] } }
groups: { keepers: { id: keepers, scope: Place } }
users: { eve: { id: eve } }
`);
  const [place, role, guest, group, eve] = ['location:place', 'keeper', 'guest', 'keepers', 'eve'];
  two.settle();
  const opens = async (engine: Engine) => (await engine.check(`user:${eve}`, 'vault', place)).allowed;
  return { ...two, place, role, guest, group, eve, opens };
}

const isOf = (id: string) => (key: Key) => key.PK === decisionKey({ type: 'user', id }).PK;

describe('eventual consistency (MREC): what goes wrong where two regions write', () => {
  test('two users get one email: a condition sees its own region only', async () => {
    const { clock, here, there } = createTwo();
    const first = await here.run('user.create', { email: 'ada@example.com' });
    const second = await there.run('user.create', { email: 'ada@example.com' });
    expect(second.id).not.toBe(first.id);
    clock.advance(60 * SECOND);
    // Both users stay, in both regions, and the guard names the later one.
    for (const region of [here, there])
      for (const { id } of [first, second]) expect((await region.run('user.read', { id })).id).toBe(id);
    expect((await here.refused('user.create', { email: 'ada@example.com' })).holder).toBe(
      `user:${second.id}`,
    );
  });

  test('a role that was taken away comes back: the last write of an item wins, whole', async () => {
    const { clock, here, there, place, role, guest, eve, opens, settle } = await createVaults();
    const grant = { user: eve, scope: place };
    await here.run('assignment.create', { ...grant, role });
    settle();
    expect(await opens(here.newEngine())).toBe(true);
    await here.run('assignment.delete', { ...grant, role });
    expect(await opens(here.newEngine())).toBe(false);
    // Meanwhile the other region adds another role to the same item, which still has the one that was taken away.
    clock.advance(1);
    await there.run('assignment.create', { ...grant, role: guest });
    settle();
    expect(await opens(here.newEngine())).toBe(true);
  });
});

describe('eventual consistency (MREC): what goes wrong where one region writes and another reads its replica', () => {
  test('a decision mixes old and new items, and allows what was never allowed', async () => {
    const world = await createVaults();
    const { here, there, clock, eve, group, role } = world;
    await here.run('membership.create', { user: eve, group });
    world.settle();
    // The items of a user are slow, as one partition of a table may be; the others are at once there.
    world.delay.of = (key) => (isOf(eve)(key) ? 30 * SECOND : 0);
    // Eve leaves the group; only after that it gets the role. She was never allowed.
    await here.run('membership.delete', { user: eve, group });
    clock.advance(SECOND);
    await here.run('group-role.create', { group, role });
    clock.advance(SECOND);
    expect(await world.opens(here.newEngine())).toBe(false);
    expect(await world.opens(there.newEngine())).toBe(true);
    // Nor does a transaction of reads help: it is of one instant of the replica alone.
    const strong = await there
      .newEngine()
      .check(`user:${eve}`, 'vault', world.place, { consistency: 'strong' });
    expect(strong).toMatchObject({ allowed: true });
  });

  test('a revocation takes longer than its bound, for as long as replication takes', async () => {
    const world = await createVaults();
    const { clock, here, there, eve, place, role, opens } = world;
    await here.run('assignment.create', { user: eve, scope: place, role });
    world.settle();
    world.delay.of = () => 5 * 60 * SECOND;
    await here.run('assignment.delete', { user: eve, scope: place, role });
    const [home, away] = [here.newEngine(), there.newEngine()];
    clock.advance(TTL_MS + SECOND);
    expect([await opens(home), await opens(away)]).toEqual([false, true]);
    clock.advance(5 * 60 * SECOND);
    expect(await opens(away)).toBe(false);
  });
});

describe('strong consistency (MRSC)', () => {
  test('has no transactions: no command can write, and no `strong` check can read', async () => {
    const { here, clock, opens, place, eve } = await createVaults();
    const refuse = () => Promise.reject(new Error('ValidationException: transactions are not supported'));
    const reader = { ...here.reader, getSnapshot: refuse };
    const commands = commandsOf({ reader, writer: { send: refuse }, clock, newSecret: () => 's' });
    expect(await commands.refused('user.create', {})).toMatchObject({ code: 'internal' });
    const engine = createEngine({ reader, clock, random: () => 0, wait: clock.wait });
    expect(await opens(engine)).toBe(false);
    await expect(engine.check(`user:${eve}`, 'vault', place, { consistency: 'strong' })).rejects.toThrow();
  });
});

describe('the region that writes is lost, and the other one takes its place', () => {
  test('after everything has arrived the other region decides and writes as the first one did', async () => {
    const world = await createVaults();
    const { here, there, eve, place, role, opens } = world;
    await here.run('assignment.create', { user: eve, scope: place, role });
    await here.run('user.update', { id: eve, email: 'eve@example.com' });
    world.settle();
    expect(await opens(there.newEngine())).toBe(true);
    expect((await there.refused('user.create', { email: 'eve@example.com' })).code).toBe('conflict');
    await there.run('assignment.delete', { user: eve, scope: place, role });
    expect(await opens(there.newEngine())).toBe(false);
  });
});

test('an authorizer elsewhere may not read what that of the stack may not', () => {
  const deniedIn = (path: string) =>
    /"dynamodb:LeadingKeys": (\[[^\]]*\])/.exec(readFileSync(path, 'utf8'))?.[1];
  expect(deniedIn('docs/regions.md')).toContain('SECRET#*');
  expect(deniedIn('docs/regions.md')).toBe(deniedIn('deploy/stack/rights.yml'));
});
