import { beforeAll, describe, expect, test } from 'vitest';
import { createLedgerWorld, type Input } from './support.ts';
import { expectWhole } from './whole.ts';

/** Roles that inherit: no circles, no endless chains, no way into a role of another tenant. */
const LEVELS = 16;

const world = await createLedgerWorld();

let count = 0;
const create = async (input: Input = {}): Promise<string> =>
  (await world.run('role.create', { name: `role ${++count}`, scope: 'global', ...input })).id;
const adopt = (id: string, parent: string | null) => ({ command: 'role.update', input: { id, parent } });
const parentOf = async (id: string) => (await world.run('role.read', { id })).parent;

/** A chain of roles, the first one on top. */
async function createChain(length: number): Promise<readonly string[]> {
  const chain: string[] = [];
  for (let i = 0; i < length; i++) {
    const parent = chain.at(-1);
    chain.push(await create(parent === undefined ? {} : { parent }));
  }
  return chain;
}

/** Whether some role inherits from itself; its walk ends because the chain is bounded. */
async function hasCircle(roles: readonly string[]): Promise<boolean> {
  for (const role of roles) {
    let next: unknown = role;
    for (let i = 0; next !== undefined; i++) {
      if (i > roles.length) return true;
      next = await parentOf(String(next));
    }
  }
  return false;
}

describe('a circle is refused', () => {
  const circle = { code: 'conflict', field: 'parent', retryable: false };

  test('of one role, when it is created and when it is changed', async () => {
    const id = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
    const self = { id, name: 'self', scope: 'global', parent: id };
    expect(await world.refused('role.create', self)).toMatchObject(circle);
    await create({ id });
    expect(await world.refused('role.update', { id, parent: id })).toMatchObject(circle);
  });

  test.each([2, 3])('of %i roles', async (length) => {
    const chain = await createChain(length);
    expect(await world.refused('role.update', { id: chain[0], parent: chain.at(-1) })).toMatchObject(circle);
    expect(await hasCircle(chain)).toBe(false);
  });

  test.each([2, 3])('of %i roles that are all changed at once', async (size) => {
    for (let round = 0; round < 2; round++) {
      const roles = await Promise.all(Array.from({ length: size }, () => create()));
      const answers = await Promise.all(
        roles.map((role, i) => world.provision(adopt(role, roles[(i + 1) % size] as string))),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(size - 1);
      expect(answers.find(({ ok }) => !ok)).toMatchObject({ error: circle });
      expect(await hasCircle(roles)).toBe(false);
    }
    await expectWhole(world);
  });

  test('that is closed between reading and writing', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    await world.provision(adopt(a, b));
    const answer = await world.provisionAround(adopt(c, a), () => world.provision(adopt(b, c)));
    expect(answer).toMatchObject({ error: circle });
    expect(await hasCircle([a, b, c])).toBe(false);
  });
});

describe(`roles inherit through ${LEVELS} levels and no more`, () => {
  const message = `roles inherit through at most ${LEVELS} levels`;
  const tooDeep = { code: 'invalid', field: 'parent', message };

  /** One level less than there may be; under its role number n there is room for LEVELS - n - 1 more. */
  let upper: readonly string[];
  beforeAll(async () => {
    upper = await createChain(LEVELS - 1);
  });
  const under = (level: number) => upper[level - 1] as string;

  test('when one is created below', async () => {
    const last = await create({ parent: under(LEVELS - 1) });
    const error = await world.refused('role.create', { name: 'deep', scope: 'global', parent: last });
    expect(error).toMatchObject(tooDeep);
  });

  test.each([LEVELS / 2, LEVELS - 1])('when a chain of %i is put below another', async (length) => {
    const [top = ''] = await createChain(length);
    expect(await world.provision(adopt(top, under(LEVELS - length + 1)))).toMatchObject({ error: tooDeep });
    expect(await world.provision(adopt(top, under(LEVELS - length)))).toMatchObject({ ok: true });
  });

  test('counting the deepest of those that come along', async () => {
    const top = await create();
    await create({ parent: top });
    const middle = await create({ parent: top });
    await create({ parent: middle });
    expect(await world.provision(adopt(top, under(LEVELS - 2)))).toMatchObject({ error: tooDeep });
    expect(await world.provision(adopt(top, under(LEVELS - 3)))).toMatchObject({ ok: true });
  });

  test('when one is added below between reading and writing', async () => {
    const top = await create();
    const answer = await world.provisionAround(adopt(top, under(LEVELS - 1)), () => create({ parent: top }));
    expect(answer).toMatchObject({ error: tooDeep });
  });

  test('when the chain above grows between reading and writing', async () => {
    const [top, child] = [await create(), await create()];
    const answer = await world.provisionAround(adopt(child, top), () =>
      world.provision(adopt(top, under(LEVELS - 1))),
    );
    expect(answer).toMatchObject({ error: tooDeep });
  });
});

describe('a role inherits from global roles or from roles of its own scope', () => {
  test.each([
    ['global', 'global', true],
    ['global', 'tenant', false],
    ['global', 'acme', false],
    ['tenant', 'global', true],
    ['tenant', 'tenant', true],
    ['tenant', 'acme', false],
    ['acme', 'global', true],
    ['acme', 'tenant', true],
    ['acme', 'acme', true],
    ['acme', 'zenith', false],
  ])('%s from %s: %s', async (scope, parentScope, allowed) => {
    const tenants: Record<string, string> = {};
    for (const name of ['acme', 'zenith']) {
      tenants[name] = `tenant:${(await world.run('tenant.create', { name: `${name} ${++count}` })).id}`;
    }
    const parent = await create({ scope: tenants[parentScope] ?? parentScope });
    const input = { name: `child ${++count}`, scope: tenants[scope] ?? scope };
    const bare = await create(input);
    const expected = allowed ? { ok: true } : { error: { code: 'invalid', field: 'parent' } };
    expect(await world.provision(adopt(bare, parent))).toMatchObject(expected);
    await world.run('role.delete', { id: bare });
    const child = { command: 'role.create', input: { ...input, parent } };
    expect(await world.provision(child)).toMatchObject(expected);
  });
});

describe('a change of the parent', () => {
  test('frees the old one, which can then be deleted, and holds the new one', async () => {
    const [old, parent, child] = [await create(), await create(), await create()];
    await world.run('role.update', { id: child, parent: old });
    await world.run('role.update', { id: child, parent });
    await world.run('role.delete', { id: old });
    expect(await world.refused('role.delete', { id: parent })).toMatchObject({ code: 'conflict' });
    await expectWhole(world);
  });

  test('and a new name at once: both stand', async () => {
    const [parent, child] = [await create(), await create()];
    await world.provisionAround(adopt(child, parent), () =>
      world.run('role.update', { id: child, name: 'renamed' }),
    );
    expect(await world.run('role.read', { id: child })).toMatchObject({ name: 'renamed', parent });
  });

  test('to a role that is deleted meanwhile is refused', async () => {
    const [parent, child] = [await create(), await create()];
    const answer = await world.provisionAround(adopt(child, parent), () =>
      world.run('role.delete', { id: parent }),
    );
    expect(answer).toMatchObject({ error: { code: 'not_found', field: 'parent' } });
    expect(await parentOf(child)).toBeUndefined();
  });
});
