import { ulid } from 'ulid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLists } from '../../engine/index.ts';
import { accessDifference } from '../../provisioning/access-difference/index.ts';
import { COMMANDS } from '../../provisioning/all-commands.ts';
import { migrate } from '../../provisioning/verify/index.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, type Key, membershipsKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { copyOf, createMemoryWorld } from '../support/world.ts';
import { findingsOn, repairOn } from './findings.ts';

/** The groups of a subject that stand apart, by scope (ADR 0003): everything is as it was, in other items. */
const thresholds = { groupsOfSubject: 2, groupsOfScope: 2, rolesOfRoot: 2 };
const PAGE = 'dashboard';

const MANIFEST = `
pages: [dashboard]
scopes:
  acme: { id: acme, type: tenant, combination: deny-overrides }
  a: { id: a, type: location, parent: acme }
  b: { id: b, type: location, parent: acme }
  c: { id: c, type: location, parent: acme }
roles:
  allows: { owner: acme, allow: [dashboard] }
  denies: { owner: acme, deny: [dashboard] }
groups:
  a allowed: { id: a-allowed, scope: a, roles: [allows] }
  a denied: { id: a-denied, scope: a, roles: [denies] }
  b allowed: { id: b-allowed, scope: b, roles: [allows] }
  b denied: { id: b-denied, scope: b, roles: [denies] }
  c allowed: { id: c-allowed, scope: c, roles: [allows] }
  c denied: { id: c-denied, scope: c, roles: [denies] }
`;
const tenant = 'tenant:acme';
const at = { a: 'location:a', b: 'location:b', c: 'location:c' };
const idOf = (name: string): string => name.replace(' ', '-');

let world: ReturnType<typeof createMemoryWorld>;
/** A small world, of which each test has a copy. */
let made: typeof world;
beforeAll(async () => {
  made = createMemoryWorld();
  await made.apply(MANIFEST);
});
beforeEach(() => {
  world = copyOf(made);
});

const join = (user: string, name: string) =>
  world.run('membership.create', { user, group: idOf(name) }) as Promise<unknown>;
const leave = (user: string, name: string) => world.run('membership.delete', { user, group: idOf(name) });

/** A user in these groups. */
async function member(...names: readonly string[]): Promise<string> {
  const { id } = await world.run('user.create', {});
  for (const name of names) await join(id, name);
  return id;
}
const decision = (user: string): Key => decisionKey({ type: 'user', id: user });
const partKey = (user: string, name: 'a' | 'b' | 'c'): Key => {
  return membershipsKey({ type: 'user', id: user }, { type: 'location', id: name });
};
const read = (key: Key) => world.reader.get(key);
const groupsIn = (item: Item | undefined) => [...((item?.groups ?? []) as Iterable<string>)].sort();

const migrating = (more: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ ...world, newId: ulid, thresholds, ...more });
const split = async (...names: readonly string[]) => {
  const user = await member(...names);
  await migrating();
  expect((await read(decision(user)))?.groupsIn).toBe('scope');
  return user;
};
const findings = async () => {
  world.settle();
  return findingsOn(world);
};
/** What a new engine decides at the three places, and the calls of the last decision. */
async function decisions(user: string) {
  world.settle();
  const engine = world.newEngine();
  const reasons: string[] = [];
  for (const scope of Object.values(at))
    for (const consistency of ['cached', 'strong'] as const)
      reasons.push((await engine.check(`user:${user}`, PAGE, scope, { consistency })).reason);
  return [
    reasons[0],
    reasons[2],
    reasons[4],
    new Set([0, 2, 4].map((n) => reasons[n] === reasons[n + 1])).size,
  ];
}

const [ALLOWED, DENIED, NOTHING] = ['role', 'denied_by_role', 'no_grant'];
const THREE = ['a allowed', 'a denied', 'b allowed'] as const;

describe('gatehouse migrate', () => {
  test('lets them stand apart beyond the threshold, and nothing else', async () => {
    const [few, many] = [await member('a allowed', 'b allowed'), await member(...THREE)];
    expect(await migrating({ writer: undefined as unknown as Writer })).toMatchObject({
      split: 0,
      unsplit: 1,
    });
    const done = await migrating();
    expect(done).toMatchObject({ split: 1, unsplit: 0 });
    expect(groupsIn(await read(decision(few)))).toHaveLength(2);
    expect(await read(decision(many))).toMatchObject({ groupsIn: 'scope', v: FORMS.writes });
    expect((await read(decision(many)))?.groups).toBeUndefined();
    expect(groupsIn(await read(partKey(many, 'a')))).toEqual([idOf('a allowed'), idOf('a denied')].sort());
    expect(await read(partKey(many, 'b'))).toMatchObject({ v: FORMS.writes, Type: 'Decision' });
    expect(await migrating()).toMatchObject({ split: 0, unsplit: 0 });
    expect(await findings()).toEqual([]);
    expect(await decisions(many)).toEqual([DENIED, ALLOWED, NOTHING, 1]);
    expect(await decisions(few)).toEqual([ALLOWED, ALLOWED, NOTHING, 1]);
    // A part is of a scope, so that a check reads it together with what stands above.
    for (const [user, scope] of [
      [few, at.a],
      [many, at.a],
      [many, tenant],
    ] as const) {
      const calls: number[] = [];
      const engine = world.newEngine({ observe: (seen) => calls.push(seen.calls) });
      await engine.check(`user:${user}`, PAGE, scope);
      expect(calls, `${user} ${scope}`).toEqual([2]);
    }
  });

  test('brings them back, and what stood apart goes by itself', async () => {
    const user = await split(...THREE);
    expect(await migrating({ joins: true })).toMatchObject({ unsplit: 0 });
    const item = await read(decision(user));
    expect(item).toMatchObject({ v: FORMS.usual });
    expect(item?.groupsIn).toBeUndefined();
    expect(groupsIn(item)).toEqual(THREE.map(idOf).sort());
    expect(await read(partKey(user, 'a'))).toMatchObject({ ttl: expect.any(Number) });
    expect(groupsIn(await read(partKey(user, 'a')))).toEqual([]);
    expect(await decisions(user)).toEqual([DENIED, ALLOWED, NOTHING, 1]);
    // What was on its way out at a scope that the user has left since says nothing when they stand apart again.
    await leave(user, 'b allowed');
    await join(user, 'c allowed');
    await migrating();
    await join(user, 'b denied');
    expect((await read(partKey(user, 'b')))?.ttl).toBeUndefined();
    expect(await decisions(user)).toEqual([DENIED, DENIED, ALLOWED, 1]);
    expect(await findings()).toEqual([]);
  });

  test('a membership that comes or goes meanwhile is not lost', async () => {
    const user = await member(...THREE, 'c allowed');
    let raced = 0;
    const racing: Writer = {
      send: async (actions: readonly Action[]) => {
        const isOfUser = actions.some(
          (action) => action.kind === 'update' && action.key.PK === `USER#${user}`,
        );
        if (isOfUser && raced === 0) await leave(user, 'a denied');
        if (isOfUser && raced === 1) await join(user, 'c denied');
        if (isOfUser) raced += 1;
        await world.writer.send(actions);
      },
    };
    await migrating({ writer: racing });
    expect(raced).toBe(3);
    expect((await read(decision(user)))?.groupsIn).toBe('scope');
    expect(await decisions(user)).toEqual([ALLOWED, ALLOWED, DENIED, 1]);
    expect(await findings()).toEqual([]);
  });

  test('leaves a subject alone whose edges do not say the same', async () => {
    const user = await member(...THREE);
    const item = (await read(decision(user))) as Item;
    await world.writer.send([
      { kind: 'put', item: { ...item, groups: new Set([...(item.groups as Set<string>), 'x']) } },
    ]);
    expect(await migrating()).toMatchObject({ split: 0, unsplit: 1 });
    await world.writer.send([{ kind: 'put', item }]);
  });
});

describe('commands on a subject whose groups stand apart', () => {
  test('come and go as ever: each one transaction, and one more try where that is not known yet', async () => {
    const user = await split(...THREE);
    const writes = () => world.calls.filter(({ operation }) => operation === 'TransactWriteItems').length;
    const before = writes();
    await join(user, 'c allowed');
    expect(writes() - before).toBe(2);
    await leave(user, 'a denied');
    expect(writes() - before).toBe(3);
    expect(await decisions(user)).toEqual([ALLOWED, ALLOWED, ALLOWED, 1]);
    expect(groupsIn(await read(partKey(user, 'c')))).toEqual([idOf('c allowed')]);
    await world.run('user.update', { id: user, status: 'disabled' });
    expect(await read(decision(user))).toMatchObject({
      v: FORMS.writes,
      groupsIn: 'scope',
      status: 'disabled',
    });
    await world.run('user.update', { id: user, status: 'active' });
    expect(await findings()).toEqual([]);
  });

  test('from one group to another in one transaction, in either form', async () => {
    for (const user of [
      await member('a denied', 'b allowed'),
      await split('a denied', 'b allowed', 'c denied'),
    ]) {
      const command = (name: string, of: string) => ({
        command: `membership.${name}`,
        input: { user, group: idOf(of) },
      });
      await world.run('transaction.write', {
        commands: [command('delete', 'a denied'), command('create', 'a allowed')],
      });
      expect((await decisions(user)).slice(0, 2)).toEqual([ALLOWED, ALLOWED]);
    }
    expect(await findings()).toEqual([]);
  });

  test('a group goes with many members in it, however their groups stand', async () => {
    const { id } = await world.run('group.create', { scope: at.a, name: 'going' });
    const users = [await member('a allowed'), ...(await Promise.all([1, 2, 3].map(() => member(...THREE))))];
    for (const user of users) await world.run('membership.create', { user, group: id });
    await migrating();
    await world.run('group.delete', { id });
    for (const user of users) expect(groupsIn(await read(partKey(user, 'a')))).not.toContain(id);
    expect(await findings()).toEqual([]);
  });

  test('it goes, and so does what stands apart, by itself: one of the same id begins with nothing', async () => {
    const user = await split('a allowed', 'b allowed', 'c allowed');
    await world.run('user.delete', { id: user });
    expect(await read(decision(user))).toBeUndefined();
    expect(await read(partKey(user, 'a'))).toMatchObject({ ttl: expect.any(Number) });
    expect(await findings()).toEqual([]);
    await world.run('user.create', { id: user });
    for (const name of ['c denied', 'b denied', 'c allowed']) await join(user, name);
    await migrating();
    expect(await decisions(user)).toEqual([NOTHING, DENIED, DENIED, 1]);
    expect(await findings()).toEqual([]);
  });
});

describe('gatehouse verify', () => {
  test.each([
    [
      'a part that is gone',
      (part: Item) => ({ kind: 'delete', key: { PK: part.PK, SK: part.SK } }),
      'decision_missing',
    ],
    [
      'a group too many',
      (part: Item) => ({
        kind: 'put',
        item: { ...part, groups: new Set([...(part.groups as Set<string>), 'x']) },
      }),
      'decision_more',
    ],
    [
      'a group too few',
      (part: Item) => ({ kind: 'put', item: { ...part, groups: new Set([idOf('a allowed')]) } }),
      'decision_less',
    ],
    [
      'what is no attribute',
      (part: Item) => ({ kind: 'put', item: { ...part, more: 1 } }),
      'decision_damaged',
    ],
  ] as const)('finds and mends %s', async (_, damage, code) => {
    const user = await split(...THREE);
    const part = (await read(partKey(user, 'a'))) as Item;
    await world.writer.send([damage(part) as Action]);
    expect((await findings()).map((each) => each.split(' ')[0])).toContain(code);
    await repairOn(world);
    expect(await findings()).toEqual([]);
    expect(groupsIn(await read(partKey(user, 'a')))).toEqual(groupsIn(part));
    expect(await decisions(user)).toEqual([DENIED, ALLOWED, NOTHING, 1]);
  });

  test('makes the item of the subject anew as it stood', async () => {
    const user = await split(...THREE);
    for (const damage of [(item: Item) => ({ ...item, status: 'x' }), undefined]) {
      const item = (await read(decision(user))) as Item;
      await world.writer.send([
        damage ? { kind: 'put', item: damage(item) } : { kind: 'delete', key: decision(user) },
      ]);
      await repairOn(world);
      expect(await read(decision(user))).toMatchObject({
        groupsIn: 'scope',
        v: FORMS.writes,
        status: 'active',
      });
      expect(await findings()).toEqual([]);
    }
  });
});

describe('a reader', () => {
  test('of the access difference sees who loses and gains what', async () => {
    const user = await split('a allowed', 'b allowed', 'c denied');
    const difference = (command: string, of: string) =>
      accessDifference([{ command, input: { user, group: idOf(of) } }], {
        reader: world.reader,
        commands: COMMANDS,
        at: world.clock.now(),
      });
    expect(await difference('membership.delete', 'a allowed')).toMatchObject({
      loses: { people: 1 },
      gains: { people: 0 },
    });
    expect(await difference('membership.create', 'c allowed')).toMatchObject({
      loses: { people: 0 },
      gains: { people: 0 },
    });
  });

  test('fails closed on a marker that it does not know, on one without its form, and on groups beside it', async () => {
    const user = await split(...THREE);
    const item = (await read(decision(user))) as Item;
    for (const damage of [{ groupsIn: 'root' }, { v: FORMS.usual }, { groups: new Set(['g']) }]) {
      await world.writer.send([{ kind: 'put', item: { ...item, ...damage } }]);
      world.settle();
      await expect(world.newEngine().check(`user:${user}`, PAGE, at.b)).rejects.toMatchObject({
        code: 'damaged_item',
      });
    }
    await world.writer.send([{ kind: 'put', item }]);
  });

  test('searches answer as checks do', async () => {
    const user = await split('a allowed', 'b denied', 'c allowed');
    world.settle();
    const lists = createLists({ reader: world.reader, engine: world.newEngine(), clock: world.clock });
    const { items: scopes } = await lists.listScopes(`user:${user}`, PAGE, {});
    expect([...scopes].sort()).toEqual([at.a, at.c].sort());
    for (const [scope, isThere] of [
      [at.a, true],
      [at.b, false],
    ] as const) {
      const { items } = await lists.listSubjects(PAGE, scope, {});
      expect(items.includes(`user:${user}`)).toBe(isThere);
    }
  });
});

describe('more than one transaction holds', () => {
  test('stopped between two transactions, it goes on; until the marker is set, nothing has changed', async () => {
    const user = await member(...THREE, 'c allowed');
    for (let n = 0; n < 20; n++)
      await world.run('transaction.write', {
        commands: Array.from({ length: 5 }, (_, place) => {
          const [id, group] = [ulid(), ulid()];
          const name = `place-${n}-${place}`;
          return [
            { command: 'location.create', input: { id, name, code: name, parent: tenant } },
            { command: 'group.create', input: { id: group, scope: `location:${id}`, name: 'g' } },
            { command: 'membership.create', input: { user, group } },
          ];
        }).flat(),
      });
    let sent = 0;
    const killed: Writer = {
      send: (actions) => {
        sent += 1;
        return sent > 1 ? Promise.reject(new Error('killed')) : world.writer.send(actions);
      },
    };
    await expect(migrating({ writer: killed })).rejects.toThrow('killed');
    expect((await read(decision(user)))?.groupsIn).toBeUndefined();
    expect(await findings()).toEqual([]);
    expect(await decisions(user)).toEqual([DENIED, ALLOWED, ALLOWED, 1]);
    await leave(user, 'a denied');
    await migrating();
    expect((await read(decision(user)))?.groupsIn).toBe('scope');
    expect(await decisions(user)).toEqual([ALLOWED, ALLOWED, ALLOWED, 1]);
    await world.run('user.delete', { id: user });
    expect(await findings()).toEqual([]);
  });
});
