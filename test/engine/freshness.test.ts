import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/read/reader.ts';
import { createWorld, type World } from '../support/world.ts';

/** `cached`, `strong` and `atLeast`, on the real engine: what each may answer, and what each reads. */
let world: World;
const id: Record<string, string> = {};
let flat: string;
let nested: string;
beforeAll(async () => {
  world = await createWorld();
  const { run } = world;
  await run('page.create', { name: 'home' });
  id.role = (await run('role.create', { name: 'reader', scope: 'global' })).id;
  await run('role-permission.create', { role: id.role, permission: 'home', effect: 'ALLOW' });
  id.user = (await run('user.create', {})).id;
  id.tenant = (await run('tenant.create', { name: 'Fresh' })).id;
  flat = `tenant:${id.tenant}`;
  nested = `location:${(await run('location.create', { name: 'Below', parent: flat })).id}`;
});

const grant = () => ({ user: id.user, scope: flat });
let token = '';
async function write(command: string, input: Record<string, unknown>): Promise<void> {
  const answer = await world.provision({ command, input });
  if (!answer.ok) throw new Error(answer.error.message);
  token = answer.token;
}
const ask = (
  engine: ReturnType<World['newEngine']>,
  scope: string,
  freshness: 'strong' | { atLeast: string },
) => engine.check(`user:${id.user}`, 'home', scope, { freshness });
const operations = () => world.calls.map(({ operation }) => operation);
beforeEach(() => {
  world.settle();
  world.calls.length = 0;
});

describe('strong', () => {
  test('reads everything at one instant: flat in one call, nested in two, and in one where the place is known', async () => {
    const engine = world.newEngine();
    expect(await ask(engine, flat, 'strong')).toMatchObject({ reason: 'no_grant' });
    expect(operations()).toEqual(['TransactGetItems']);
    world.calls.length = 0;
    await ask(engine, nested, 'strong');
    expect(operations()).toEqual(['TransactGetItems', 'TransactGetItems']);
    world.calls.length = 0;
    await ask(engine, nested, 'strong');
    expect(operations()).toEqual(['TransactGetItems']);
  });

  test('answers from the table, whatever is cached, and leaves what it read to the cache', async () => {
    const engine = world.newEngine();
    const cached = () => engine.check(`user:${id.user}`, 'home', flat);
    expect(await cached()).toMatchObject({ allowed: false });
    await write('grant.create', { ...grant(), roles: [id.role] });
    expect(cached()).toMatchObject({ allowed: false });
    expect(await ask(engine, flat, 'strong')).toMatchObject({ allowed: true });
    world.calls.length = 0;
    expect(cached()).toMatchObject({ allowed: true });
    expect(operations()).toEqual([]);
    await write('grant.delete', grant());
    expect(cached()).toMatchObject({ allowed: true });
    expect(await ask(engine, flat, 'strong')).toMatchObject({ allowed: false });
  });

  test('checkMany and rolesOf as well', async () => {
    const engine = world.newEngine();
    await write('grant.create', { ...grant(), roles: [id.role] });
    world.calls.length = 0;
    const subject = `user:${id.user}`;
    const requests = [flat, nested].map((scope) => ({ subject, scope, permission: 'home' }));
    const answers = await engine.checkMany(requests, { freshness: 'strong' });
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true]);
    expect(await engine.rolesOf(subject, flat, { freshness: 'strong' })).toEqual({
      root: flat,
      roles: [id.role],
    });
    expect(new Set(operations())).toEqual(new Set(['TransactGetItems']));
    await write('grant.delete', grant());
  });

  test('a place that has moved since it was cached is found where it is now', async () => {
    const { run } = world;
    const client = `client:${(await run('client.create', { name: 'Mover' })).id}`;
    const project = async () => `project:${(await run('project.create', { parent: client, name: 'P' })).id}`;
    const [from, to] = [await project(), await project()];
    const building = `building:${(await run('building.create', { parent: from, name: 'B' })).id}`;
    await run('assignment.create', { user: id.user, scope: to, role: id.role });
    world.settle();
    const engine = world.newEngine();
    expect(await ask(engine, building, 'strong')).toMatchObject({ allowed: false });
    await run('scope.move', { scope: building, parent: to });
    world.calls.length = 0;
    expect(await ask(engine, building, 'strong')).toMatchObject({ allowed: true });
    expect(operations()).toEqual(['TransactGetItems', 'TransactGetItems']);
  });
});

describe('atLeast', () => {
  test('never answers from before the write, in any process; what was read long after it may answer', async () => {
    const [here, elsewhere] = [world.newEngine(), world.newEngine()];
    for (const engine of [here, elsewhere]) await engine.check(`user:${id.user}`, 'home', flat);
    for (const [command, input, allowed] of [
      ['grant.create', { ...grant(), roles: [id.role] }, true],
      ['grant.delete', grant(), false],
    ] as const) {
      await write(command, input);
      for (const engine of [here, elsewhere]) {
        world.calls.length = 0;
        expect(await ask(engine, flat, { atLeast: token })).toMatchObject({ allowed });
        expect(operations()).toEqual(['BatchGetItem']);
      }
    }
    const written = token;
    world.clock.advance(30_000);
    await here.check(`user:${id.user}`, 'home', flat, { freshness: 'strong' });
    world.calls.length = 0;
    expect(await ask(here, flat, { atLeast: written })).toMatchObject({ allowed: false });
    expect(operations()).toEqual([]);
  });

  test('does not wait for a read that began before it', async () => {
    const answers: (() => void)[] = [];
    const reader: Pick<Reader, 'getMany' | 'getSnapshot'> = {
      getSnapshot: world.reader.getSnapshot,
      getMany: async (keys) => {
        const items = await world.reader.getMany(keys);
        await new Promise<void>((resolve) => answers.push(resolve));
        return items;
      },
    };
    const engine = world.newEngine({ reader });
    const before = engine.check(`user:${id.user}`, 'home', flat);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await write('grant.create', { ...grant(), roles: [id.role] });
    const after = ask(engine, flat, { atLeast: token });
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    expect(await after).toMatchObject({ allowed: true });
    answers[0]?.();
    await before;
    await write('grant.delete', grant());
  });

  test('a text that is no token is refused', async () => {
    const engine = world.newEngine();
    for (const atLeast of ['', 'gh1.', 'yesterday', 'gh2.abc']) {
      const refusal = await Promise.resolve(ask(engine, flat, { atLeast })).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(GatehouseError);
      expect(refusal).toMatchObject({ code: 'invalid', field: 'freshness' });
    }
  });
});

test('what a batch brought in several attempts is not taken for one instant', async () => {
  const held = { user: id.user, scope: flat, role: id.role };
  await world.run('assignment.create', held);
  world.settle();
  let isFirst = true;
  const reader: Pick<Reader, 'getMany' | 'getSnapshot'> = {
    getSnapshot: world.reader.getSnapshot,
    getMany: async (keys, notes) => {
      if (!isFirst) return world.reader.getMany(keys);
      isFirst = false;
      // The user is read; then the right is taken away, and the role gets a new permission; then the rest.
      const user = await world.reader.getMany(keys.slice(0, 1));
      await world.run('assignment.delete', held);
      await world.run('page.create', { name: 'new' });
      await world.run('role-permission.create', { role: id.role, permission: 'new', effect: 'ALLOW' });
      if (notes) notes.isApart = true;
      return [...user, ...(await world.reader.getMany(keys.slice(1)))];
    },
  };
  const engine = world.newEngine({ reader });
  expect(await engine.check(`user:${id.user}`, 'new', flat)).toMatchObject({ allowed: false });
});
