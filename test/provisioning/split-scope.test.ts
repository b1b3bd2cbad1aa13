import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { createExplainer, createLists } from '../../engine/index.ts';
import { accessDifference } from '../../provisioning/access-difference/index.ts';
import { COMMANDS } from '../../provisioning/all-commands.ts';
import { migrate } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, type Key, membershipsKey, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { commandsOf, copyOf, createMemoryWorld, type World } from '../support/world.ts';
import { findingsOn, repairOn } from './findings.ts';

/** The groups of a scope that stand apart (ADR 0003): everything is as it was, in other items. */
const PAGE = 'dashboard';
const SCOPE_ONLY = { groupsOfSubject: 1_000, groupsOfScope: 1, rolesOfRoot: 1_000 };
const [ALLOWED, DENIED, NOTHING] = ['role', 'denied_by_role', 'no_grant'];

const MANIFEST = `
pages: [dashboard]
scopes:
  acme: { id: acme, type: client, combination: deny-overrides }
  p: { type: project, parent: acme }
  b: { id: b, type: building, parent: p }
roles:
  allows: { id: allows, owner: acme, allow: [dashboard] }
  denies: { id: denies, owner: acme, deny: [dashboard] }
`;
const [tenant, building, allows, denies] = ['client:acme', 'building:b', 'allows', 'denies'];

let world: ReturnType<typeof createMemoryWorld>;
/** A small world, before its groups stand apart and after; each test has a copy of one of them. */
let made: { readonly site: Site; readonly whole: typeof world; readonly split: typeof world };

beforeAll(async () => {
  world = createMemoryWorld();
  await world.apply(MANIFEST);
  const [first, whole] = [await site(), world];
  world = copyOf(whole);
  await migrating();
  expect((await scopeItem(first.scope))?.groupRoles).toBe('apart');
  made = { site: first, whole, split: world };
});
/** Begins in a world whose groups stand in the item of their scope. */
function whole(): Site {
  world = copyOf(made.whole);
  return made.site;
}
/** Begins in a world whose groups stand apart. */
function split(): Site {
  world = copyOf(made.split);
  return made.site;
}

const refOf = (text: string) => {
  const [type = '', id = ''] = text.split(':');
  return { type, id };
};
const read = (key: Key) => world.reader.get(key);
const scopeItem = (scope: string) => read(decisionKey(refOf(scope)));
const rolesItem = (group: string) => read(decisionKey({ type: 'group', id: group }));
const subjectItem = (user: string) => read(decisionKey({ type: 'user', id: user }));
const membersIn = (value: unknown) => [...((value ?? []) as Iterable<string>)].sort();

const migrating = (more: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ ...world, newId: ulid, thresholds: SCOPE_ONLY, ...more });
const findings = async () => {
  world.settle();
  return findingsOn(world);
};
async function decided(user: string, scope: string): Promise<string> {
  world.settle();
  const engine = world.newEngine();
  const [cached, strong] = await Promise.all(
    (['cached', 'strong'] as const).map((consistency) =>
      engine.check(`user:${user}`, PAGE, scope, { consistency }),
    ),
  );
  expect(cached?.reason).toBe(strong?.reason);
  return cached?.reason ?? '';
}

const join = (user: string, group: string) => world.run('membership.create', { user, group });
const leave = (user: string, group: string) => world.run('membership.delete', { user, group });
const give = (group: string, role: string) => world.run('group-role.create', { group, role });
const take = (group: string, role: string) => world.run('group-role.delete', { group, role });
const groupAt = async (scope: string, ...roles: readonly string[]): Promise<string> => {
  const { id } = await world.run('group.create', { scope, name: ulid() });
  for (const role of roles) await give(id, role);
  return id;
};
const userIn = async (...groups: readonly string[]): Promise<string> => {
  const { id } = await world.run('user.create', {});
  for (const group of groups) await join(id, group);
  return id;
};

interface Site {
  readonly scope: string;
  readonly below: string;
  readonly allowed: string;
  readonly denied: string;
  readonly empty: string;
}
/** A scope with a group that allows, one that denies and one without roles, and a scope below it. */
async function site(): Promise<Site> {
  const place = async (parent: string) =>
    `zone:${(await world.run('zone.create', { name: 'z', parent })).id}`;
  const scope = await place(building);
  const [allowed, denied, empty] = [
    await groupAt(scope, allows),
    await groupAt(scope, denies),
    await groupAt(scope),
  ];
  return { scope, below: await place(scope), allowed, denied, empty };
}

describe('gatehouse migrate', () => {
  test('lets the groups of a scope stand apart beyond the threshold, and those of no other', async () => {
    const few = whole();
    await take(few.denied, denies);
    const { scope, below, allowed, denied, empty } = await site();
    const [ann, bob] = [await userIn(allowed, few.allowed), await userIn(allowed, denied, empty)];
    const dry = await migrating({ writer: undefined as unknown as Writer });
    expect(dry).toMatchObject({ split: 0, unsplit: 1 });
    expect(await migrating()).toMatchObject({ split: 1, unsplit: 0 });
    const item = (await scopeItem(scope)) as Item;
    expect(item).toMatchObject({ groupRoles: 'apart', v: 2 });
    expect(Object.keys(item).filter((name) => name.startsWith('group|'))).toEqual([]);
    expect(await rolesItem(allowed)).toMatchObject({ Type: 'Decision', v: 2, roles: new Set([allows]) });
    expect(await rolesItem(empty)).toBeUndefined();
    expect(await subjectItem(ann)).toMatchObject({
      v: 2,
      groups: new Set([few.allowed]),
      [`at|${scope}`]: new Set([allowed]),
    });
    expect((await scopeItem(few.scope))?.groupRoles).toBeUndefined();
    expect(await migrating()).toMatchObject({ split: 0, unsplit: 0 });
    expect(await findings()).toEqual([]);
    for (const at of [scope, below]) {
      expect(await decided(ann, at)).toBe(ALLOWED);
      expect(await decided(bob, at)).toBe(DENIED);
    }
    expect(await decided(ann, few.scope)).toBe(ALLOWED);
  });

  test('brings them back, with nothing left of form 2', async () => {
    const { scope, allowed, denied } = split();
    const user = await userIn(allowed, denied);
    expect(await subjectItem(user)).toMatchObject({ [`at|${scope}`]: new Set([allowed, denied]), v: 2 });
    expect(await migrating({ joins: true })).toMatchObject({ unsplit: 0 });
    expect(await scopeItem(scope)).toMatchObject({ v: 1, [`group|${allowed}`]: new Set([allows]) });
    expect((await scopeItem(scope))?.groupRoles).toBeUndefined();
    expect(await subjectItem(user)).toMatchObject({ v: 1, groups: new Set([allowed, denied]) });
    expect((await subjectItem(user))?.[`at|${scope}`]).toBeUndefined();
    expect(await rolesItem(allowed)).toMatchObject({ ttl: expect.any(Number) });
    expect((await rolesItem(allowed))?.roles).toBeUndefined();
    for (const key of [nodeKey(refOf(scope)), nodeKey({ type: 'group', id: allowed })]) {
      expect(await read(key)).toMatchObject({ v: 1 });
      expect((await read(key))?.byScope).toBeUndefined();
    }
    expect(await decided(user, scope)).toBe(DENIED);
    await take(denied, denies);
    expect(await decided(user, scope)).toBe(ALLOWED);
    await give(denied, denies);
    await migrating();
    expect((await rolesItem(allowed))?.ttl).toBeUndefined();
    expect(await decided(user, scope)).toBe(DENIED);
    expect(await findings()).toEqual([]);
  });
});

describe('commands on a scope whose groups stand apart', () => {
  test('members come and go, roles too, and new groups are as the others', async () => {
    const { scope, below, allowed, denied, empty } = split();
    const user = await userIn(allowed);
    expect(await decided(user, below)).toBe(ALLOWED);
    await join(user, denied);
    expect(await decided(user, below)).toBe(DENIED);
    await leave(user, denied);
    expect(await decided(user, below)).toBe(ALLOWED);
    await take(allowed, allows);
    expect(await decided(user, scope)).toBe(NOTHING);
    await give(empty, allows);
    await join(user, empty);
    expect(await decided(user, scope)).toBe(ALLOWED);
    const fresh = await groupAt(scope, denies);
    await join(user, fresh);
    expect(membersIn((await subjectItem(user))?.[`at|${scope}`])).toEqual([allowed, empty, fresh].sort());
    expect(await decided(user, scope)).toBe(DENIED);
    await world.run('membership.update', { user, group: fresh, joinedAt: '2026-01-01T00:00:00.000Z' });
    await world.run('group-role.update', {
      group: fresh,
      role: denies,
      assignedAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await subjectItem(user))?.groups).toBeUndefined();
    await world.run('group.delete', { id: fresh });
    expect(await decided(user, scope)).toBe(ALLOWED);
    expect(await rolesItem(fresh)).toMatchObject({ ttl: expect.any(Number) });
    expect((await rolesItem(fresh))?.roles).toBeUndefined();
    expect(await findings()).toEqual([]);
  });

  test('a role that goes is taken from its groups', async () => {
    const { scope, allowed } = split();
    const { id: role } = await world.run('role.create', { name: ulid(), scope: tenant });
    await world.run('role-permission.create', { role, permission: PAGE, effect: 'DENY' });
    await give(allowed, role);
    const user = await userIn(allowed);
    expect(await decided(user, scope)).toBe(DENIED);
    await world.run('role.delete', { id: role });
    expect(await decided(user, scope)).toBe(ALLOWED);
    expect((await rolesItem(allowed))?.roles).toEqual(new Set([allows]));
    expect(await findings()).toEqual([]);
  });

  test('the group of everyone keeps its roles in the item of the scope, in either form', async () => {
    for (const begin of [whole, split]) {
      const { scope, denied } = begin();
      const user = await userIn();
      const { id } = await world.run('group.create', { scope, name: 'everyone', everyone: true });
      await give(id, allows);
      expect(await scopeItem(scope)).toMatchObject({ [`group|${id}`]: new Set([allows]), everyone: id });
      expect(await decided(user, scope)).toBe(ALLOWED);
      await join(user, denied);
      expect(await decided(user, scope)).toBe(DENIED);
      await leave(user, denied);
      await migrating();
      await take(id, allows);
      expect(await decided(user, scope)).toBe(NOTHING);
      await give(id, allows);
      await world.run('group.delete', { id });
      expect(await decided(user, scope)).toBe(NOTHING);
      expect((await scopeItem(scope))?.everyone).toBeUndefined();
      expect(await findings()).toEqual([]);
    }
  });

  test('a group of everyone whose roles never stood apart leaves nothing there when it goes', async () => {
    const { scope } = split();
    const other = await site();
    const { id } = await world.run('group.create', { scope, name: 'everyone', everyone: true });
    await give(id, allows);
    await world.run('group.delete', { id });
    expect(await findings()).toEqual([]);
    expect((await rolesItem(id)) ?? { ttl: 0 }).toHaveProperty('ttl');
    await world.run('group.create', { id, scope: other.scope, name: 'g' });
    expect(await findings()).toEqual([]);
  });

  test('several in one transaction: a group, its role and its first member', async () => {
    const { scope } = split();
    const [user, id] = [await userIn(), ulid()];
    await world.run('transaction.write', {
      commands: [
        { command: 'group.create', input: { id, scope, name: 'g' } },
        { command: 'group-role.create', input: { group: id, role: allows } },
        { command: 'membership.create', input: { group: id, user } },
      ],
    });
    expect(await decided(user, scope)).toBe(ALLOWED);
    await world.run('transaction.write', {
      commands: [
        { command: 'group-role.create', input: { group: id, role: denies } },
        { command: 'group-role.delete', input: { group: id, role: allows } },
        { command: 'membership.delete', input: { group: id, user } },
      ],
    });
    await join(user, id);
    expect(await decided(user, scope)).toBe(DENIED);
    expect(await findings()).toEqual([]);
  });

  test('it moves, and it goes when its groups have gone', async () => {
    const [{ scope, below, allowed, denied, empty }, other] = [split(), await site()];
    const user = await userIn(allowed);
    await world.run('scope.move', { scope, parent: other.scope });
    expect(await decided(user, below)).toBe(ALLOWED);
    await world.run('zone.delete', { id: refOf(below).id });
    for (const id of [allowed, denied, empty]) await world.run('group.delete', { id });
    await world.run('zone.delete', { id: refOf(scope).id });
    expect(await scopeItem(scope)).toBeUndefined();
    expect(await findings()).toEqual([]);
  });

  test('a group with many members goes in steps: from the first one on it gives nothing', async () => {
    const { scope, denied, allowed } = split();
    const users = [
      await userIn(denied, allowed),
      ...(await Promise.all(Array.from({ length: 59 }, () => userIn(denied)))),
    ];
    await world.run('group.delete', { id: denied });
    for (const [n, user] of users.entries())
      expect(membersIn((await subjectItem(user))?.[`at|${scope}`])).toEqual(n === 0 ? [allowed] : []);
    expect(await decided(users[0] as string, scope)).toBe(ALLOWED);
    expect(await findings()).toEqual([]);
  });

  test('users go', async () => {
    const { allowed } = split();
    for (const command of ['user.delete', 'user.erase']) {
      const user = await userIn(allowed);
      await world.run(command, { id: user });
      expect(await subjectItem(user)).toBeUndefined();
    }
    expect(await findings()).toEqual([]);
  });
});

describe('a command that comes between', () => {
  /** Runs a command before the transaction of this number is sent, or stops there. */
  const interrupted = (number: number, run: () => Promise<unknown>) => {
    let sent = 0;
    const writer: Writer = {
      send: async (actions: readonly Action[]) => {
        sent += 1;
        if (sent === number) await run();
        await world.writer.send(actions);
      },
    };
    return { writer, sent: () => sent };
  };

  test.each([true, false])('of members and roles is not lost (way out: %s)', async (isOut) => {
    let last = Number.POSITIVE_INFINITY;
    for (let number = 1; number <= last; number++) {
      const { scope, below, allowed, denied, empty } = isOut ? whole() : split();
      const [user, other] = [await userIn(allowed), await userIn(allowed, denied)];
      const run = async () => {
        await join(user, empty);
        await give(empty, denies);
        await take(denied, denies);
        await leave(other, allowed);
        await join(user, await groupAt(scope, allows));
        await take(allowed, allows);
      };
      const racing = interrupted(number, run);
      await migrating({ writer: racing.writer, joins: !isOut });
      last = racing.sent();
      if (last < number) await run();
      expect((await scopeItem(scope))?.groupRoles).toBe(isOut ? 'apart' : undefined);
      expect([await decided(user, below), await decided(other, scope)]).toEqual([DENIED, NOTHING]);
      await take(empty, denies);
      expect(await decided(user, scope)).toBe(ALLOWED);
      expect(await findings()).toEqual([]);
    }
    expect(last).toBeGreaterThan(4);
  });

  test.each([true, false])(
    'stopped anywhere, everything is as it was, and it goes on (way out: %s)',
    async (isOut) => {
      for (let number = 1, isStopped = true; isStopped; number++) {
        const { scope, below, allowed, denied, empty } = isOut ? whole() : split();
        const users = [await userIn(allowed), await userIn(allowed, denied), await userIn(empty)];
        isStopped = false;
        const { writer } = interrupted(number, () => {
          isStopped = true;
          return Promise.reject(new Error('killed'));
        });
        await migrating({ writer, joins: !isOut }).catch((error: Error) =>
          expect(error.message).toBe('killed'),
        );
        const all = async () => Promise.all(users.map((user) => decided(user, below)));
        expect(await all()).toEqual([ALLOWED, DENIED, NOTHING]);
        expect(await findings()).toEqual([]);
        // Whichever way it goes on.
        for (const joins of [number % 2 === 0, number % 2 !== 0]) {
          await join(users[2] as string, denied);
          expect(await all()).toEqual([ALLOWED, DENIED, DENIED]);
          await leave(users[2] as string, denied);
          await migrating({ joins });
          expect((await scopeItem(scope))?.groupRoles).toBe(joins ? undefined : 'apart');
          expect(await all()).toEqual([ALLOWED, DENIED, NOTHING]);
        }
        expect(await findings()).toEqual([]);
      }
    },
  );
});

test.each([true, false])(
  'what was planned before a migration and is sent after it goes where it belongs (way out: %s)',
  async (isOut) => {
    const { scope, below, allowed, denied } = isOut ? whole() : split();
    const user = await userIn();
    let isLate = false;
    const writer: Writer = {
      send: async (actions, notes) => {
        if (!isLate) {
          isLate = true;
          await migrating({ joins: !isOut });
        }
        await world.writer.send(actions, notes);
      },
    };
    for (const [command, input] of [
      ['membership.create', { user, group: allowed }],
      ['group-role.create', { group: allowed, role: denies }],
      ['group-role.delete', { group: allowed, role: denies }],
      ['membership.create', { user, group: denied }],
      ['group.create', { scope, name: 'late' }],
    ] as const) {
      isLate = false;
      const { id = 'none' } = await commandsOf({ ...world, writer }).run(command, input);
      const names = Object.keys((await subjectItem(user)) as Item);
      expect(names.filter((name) => name === 'groups' || name.startsWith('at|'))).toEqual([
        isOut ? `at|${scope}` : 'groups',
      ]);
      const late = await read(nodeKey({ type: 'group', id }));
      expect(late?.byScope !== undefined).toBe(late !== undefined && isOut);
      expect(await findings()).toEqual([]);
      await migrating({ joins: isOut });
    }
    expect(await decided(user, below)).toBe(DENIED);
    expect(await findings()).toEqual([]);
  },
);

describe('with subjects whose groups stand apart as well', () => {
  const BOTH = { groupsOfSubject: 1, groupsOfScope: 1, rolesOfRoot: 1_000 };

  test('in whichever order they are split and joined', async () => {
    for (const first of [SCOPE_ONLY, { ...BOTH, groupsOfScope: 1_000 }]) {
      const [one, other] = [whole(), await site()];
      const user = await userIn(one.allowed, one.denied, other.allowed);
      const check = async () =>
        expect([
          ...[await decided(user, one.below), await decided(user, other.below), await findings()],
        ]).toEqual([DENIED, ALLOWED, []]);
      for (const thresholds of [first, BOTH]) {
        await migrating({ thresholds });
        await check();
      }
      expect(await subjectItem(user)).toMatchObject({ groupsIn: 'scope' });
      expect(await scopeItem(one.scope)).toMatchObject({ groupRoles: 'apart' });
      await leave(user, one.denied);
      expect(await decided(user, one.scope)).toBe(ALLOWED);
      await join(user, one.denied);
      await migrating({ joins: true });
      await check();
      expect(await subjectItem(user)).toMatchObject({ v: 1 });
    }
  });

  test('a check takes three calls', async () => {
    const { scope, below, allowed, denied } = whole();
    const user = await userIn(allowed, denied);
    await migrating({ thresholds: BOTH });
    await migrating({ thresholds: { ...BOTH, rolesOfRoot: 0 } });
    world.settle();
    for (const at of [scope, below]) {
      const calls: number[] = [];
      const engine = world.newEngine({ observe: (seen) => calls.push(seen.calls) });
      expect((await engine.check(`user:${user}`, PAGE, at)).reason).toBe(DENIED);
      expect(calls).toEqual([3]);
    }
  });
});

describe('gatehouse verify', () => {
  const PART = 'a part';
  test.each([
    ['roles that are gone', PART, () => undefined, 'decision_missing'],
    [
      'a role too many',
      PART,
      (part: Item) => ({ ...part, roles: new Set([allows, denies]) }),
      'decision_more',
    ],
    ['a role too few', PART, ({ roles: _, ...part }: Item) => part, 'decision_less'],
    ['what is no attribute', PART, (part: Item) => ({ ...part, more: 1 }), 'decision_damaged'],
    ['another scope', PART, (part: Item) => ({ ...part, scope: tenant }), 'decision_'],
    [
      'a membership among all',
      'a subject',
      (item: Item) => ({
        ...item,
        groups: new Set([...Object.values(item).flatMap((v) => (v instanceof Set ? [...v] : []))]),
        ...Object.fromEntries(
          Object.keys(item)
            .filter((name) => name.startsWith('at|'))
            .map((name) => [name, undefined]),
        ),
      }),
      'decision_less',
    ],
    [
      'roles in the item of the scope',
      'a scope',
      (item: Item) => ({ ...item, 'group|x': new Set(['r']) }),
      'decision_damaged',
    ],
    ['a mark that is gone', 'a node', ({ byScope: _, ...item }: Item) => item, 'node_damaged'],
  ] as const)('finds and mends %s', async (_, which, damage, code) => {
    const { scope, allowed, denied } = split();
    const user = await userIn(allowed, denied);
    const key = {
      [PART]: decisionKey({ type: 'group', id: allowed }),
      'a subject': decisionKey({ type: 'user', id: user }),
      'a scope': decisionKey(refOf(scope)),
      'a node': nodeKey({ type: 'group', id: allowed }),
    }[which];
    const sound = (await read(key)) as Item;
    const damaged = (damage as (item: Item) => Item | undefined)(sound);
    await world.writer.send([
      damaged
        ? {
            kind: 'put',
            item: Object.fromEntries(Object.entries(damaged).filter(([, v]) => v !== undefined)) as Item,
          }
        : { kind: 'delete', key },
    ]);
    expect((await findings()).join()).toContain(code);
    await repairOn(world);
    expect(await findings()).toEqual([]);
    expect(await decided(user, scope)).toBe(DENIED);
    await leave(user, denied);
    expect(await decided(user, scope)).toBe(ALLOWED);
  });

  test.each(['roles', 'groups'] as const)(
    'mends %s that a migration has read and not brought back yet',
    async (which) => {
      const { scope, denied, empty } = split();
      const user = await userIn(empty, denied);
      if (which === 'groups')
        await migrating({ thresholds: { ...SCOPE_ONLY, groupsOfSubject: 0, groupsOfScope: 1_000 } });
      const key =
        which === 'roles'
          ? decisionKey({ type: 'group', id: denied })
          : membershipsKey({ type: 'user', id: user }, refOf(scope));
      const [name, too, wanted] = {
        roles: ['roles', allows, denies],
        groups: ['groups', 'gone', denied],
      }[which] as [string, string, string];
      for (const damage of [new Set([wanted, too]), new Set([too])]) {
        await world.writer.send([{ kind: 'put', item: { ...((await read(key)) as Item), [name]: damage } }]);
        world.settle();
        let isFirst = true;
        const writer: Writer = {
          send: async (actions) => {
            const isIt =
              which === 'roles' || actions.some((each) => each.kind === 'put' && each.item.SK === key.SK);
            if (isFirst && isIt) await repairOn(world);
            isFirst &&= !isIt;
            await world.writer.send(actions);
          },
        };
        await migrating({ writer, joins: true });
        expect(isFirst).toBe(false);
        expect(await findings()).toEqual([]);
        expect(await decided(user, scope)).toBe(DENIED);
        await migrating({ thresholds: { ...SCOPE_ONLY, groupsOfSubject: which === 'groups' ? 0 : 1_000 } });
      }
    },
  );

  test('mends a membership that a migration has read and not moved yet', async () => {
    const { scope, allowed, denied } = whole();
    const user = await userIn(allowed);
    const item = (await subjectItem(user)) as Item;
    await world.writer.send([{ kind: 'put', item: { ...item, groups: new Set([allowed, denied]) } }]);
    world.settle();
    let isFirst = true;
    const writer: Writer = {
      send: async (actions) => {
        const isIt = actions.some((each) => each.kind === 'update' && each.key.PK === `USER#${user}`);
        if (isFirst && isIt) await repairOn(world);
        isFirst &&= !isIt;
        await world.writer.send(actions);
      },
    };
    await migrating({ writer });
    expect(isFirst).toBe(false);
    expect(await findings()).toEqual([]);
    expect(await decided(user, scope)).toBe(ALLOWED);
  });

  test('makes the items of the scope and of a subject anew as they stood', async () => {
    const { scope, allowed } = split();
    const user = await userIn(allowed);
    for (const key of [decisionKey(refOf(scope)), decisionKey({ type: 'user', id: user })]) {
      const item = (await read(key)) as Item;
      await world.writer.send([{ kind: 'put', item: { ...item, status: 'x' } }]);
      await repairOn(world);
      const { writtenAt: _, writeId: __, ...stood } = item;
      expect(await read(key)).toMatchObject(stood);
      expect(await findings()).toEqual([]);
    }
  });
});

describe('a reader', () => {
  test('of more items than one snapshot holds answers from what was true at one instant', async () => {
    const { scope, below, allowed, denied } = split();
    const user = await userIn(allowed);
    const part = (await rolesItem(allowed)) as Item;
    const groups = Array.from({ length: 110 }, () => ulid());
    await world.writer.send([
      { kind: 'put', item: { ...((await subjectItem(user)) as Item), [`at|${scope}`]: new Set(groups) } },
      ...groups
        .slice(0, 60)
        .map((id) => ({ kind: 'put', item: { ...part, ...decisionKey({ type: 'group', id }) } }) as const),
    ]);
    await world.writer.send(
      groups
        .slice(60)
        .map((id) => ({ kind: 'put', item: { ...part, ...decisionKey({ type: 'group', id }) } })),
    );
    expect(await decided(user, below)).toBe(ALLOWED);
    await join(user, denied);
    expect(await decided(user, below)).toBe(DENIED);
    const engine = world.newEngine();
    await engine.check(`user:${user}`, PAGE, below);
    await leave(user, denied);
    // Within the margin, and with all of it in the cache.
    const { reason } = await engine.check(`user:${user}`, PAGE, below, { consistency: 'strong' });
    expect(reason).toBe(ALLOWED);
  });

  test('fails closed on a marker that it does not know, without its form, and with roles beside it', async () => {
    const { scope, allowed } = split();
    const user = await userIn(allowed);
    const items = [
      [await scopeItem(scope), { groupRoles: 'elsewhere' }],
      [await scopeItem(scope), { v: 1 }],
      [await scopeItem(scope), { 'group|g': new Set(['r']) }],
      [await subjectItem(user), { v: 1 }],
      [await subjectItem(user), { [`at|${scope}`]: 'g' }],
      [await rolesItem(allowed), { other: 1 }],
      [await rolesItem(allowed), { roles: 'r' }],
    ] as const;
    for (const [item, damage] of items) {
      await world.writer.send([{ kind: 'put', item: { ...(item as Item), ...damage } }]);
      world.settle();
      await expect(world.newEngine().check(`user:${user}`, PAGE, scope)).rejects.toMatchObject({
        code: 'damaged_item',
      });
      await world.writer.send([{ kind: 'put', item: item as Item }]);
    }
    expect(await decided(user, scope)).toBe(ALLOWED);
  });

  test('searches and explanations answer as checks do, page by page', async () => {
    const { scope, below, allowed, denied, empty } = split();
    const second = await groupAt(scope, allows);
    const users = await Promise.all([
      ...Array.from({ length: 5 }, () => userIn(allowed, second)),
      ...Array.from({ length: 5 }, () => userIn(second, empty)),
      userIn(allowed, denied),
      userIn(empty),
    ]);
    world.settle();
    const engine = world.newEngine();
    const lists = createLists({ reader: world.reader, engine, clock: world.clock });
    for (const limit of [1, 3, 100]) {
      const found: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await lists.listSubjects(PAGE, below, { limit, cursor });
        found.push(...page.items);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      expect(found.sort()).toEqual(
        users
          .slice(0, 10)
          .map((id) => `user:${id}`)
          .sort(),
      );
    }
    const { items } = await lists.listScopes(`user:${users[0]}`, PAGE, {});
    expect([...items].sort()).toEqual([scope, below].sort());
    expect((await lists.listScopes(`user:${users[10]}`, PAGE, {})).items).toEqual([]);
    const explainer = createExplainer({ reader: world.reader, clock: world.clock });
    const denial = await explainer.explain(`user:${users[10]}`, PAGE, below);
    expect(denial).toMatchObject({ allowed: false, reason: DENIED });
    expect(denial.allowedBy.items.concat(denial.deniedBy.items)).toMatchObject([
      { effect: 'ALLOW', from: { kind: 'group', scope: { ref: scope } } },
      { effect: 'DENY', from: { kind: 'group', scope: { ref: scope } } },
    ]);
    // What somebody has elsewhere is among the suggestions.
    const other = await site();
    const { suggestions } = await explainer.explain(`user:${users[0]}`, PAGE, other.scope);
    expect(suggestions?.granted.items).toMatchObject([{ from: { scope: { ref: scope } } }, {}]);
  });

  test.each([true, false])(
    'that searches while groups go apart or come back leaves nobody out (way out: %s)',
    async (isOut) => {
      const { scope, allowed } = isOut ? whole() : split();
      const user = await userIn(allowed);
      world.settle();
      const engine = world.newEngine();
      let isFirst = true;
      // Between the reads of scopes and those of subjects, whichever come first.
      const between = async (keys: readonly Key[]) => {
        const isSecond = keys.some(({ PK, SK }) =>
          isOut ? SK === 'DECISION' && PK.startsWith('ZONE#') : PK === `USER#${user}`,
        );
        if (!isFirst || !isSecond) return;
        isFirst = false;
        await migrating({ joins: !isOut });
      };
      const reader: World['reader'] = {
        ...world.reader,
        getMany: async (keys, ...rest) => {
          await between(keys);
          return world.reader.getMany(keys, ...rest);
        },
      };
      const lists = createLists({ reader, engine, clock: world.clock });
      const { items } = isOut
        ? await lists.listScopes(`user:${user}`, PAGE, {})
        : await lists.listSubjects(PAGE, scope, {});
      expect(isFirst).toBe(false);
      expect(items).toContain(isOut ? scope : `user:${user}`);
    },
  );

  test('of the access difference sees who loses and gains what', async () => {
    const { allowed, denied, empty } = split();
    const [user] = [await userIn(allowed), await userIn(empty)];
    const difference = (command: string, input: Readonly<Record<string, unknown>>) =>
      accessDifference([{ command, input }], {
        reader: world.reader,
        commands: COMMANDS,
        at: world.clock.now(),
      });
    const [loses, gains] = [{ loses: { people: 1 } }, { gains: { people: 1 } }];
    expect(await difference('membership.delete', { user, group: allowed })).toMatchObject(loses);
    expect(await difference('membership.create', { user, group: denied })).toMatchObject(loses);
    expect(await difference('group-role.delete', { group: allowed, role: allows })).toMatchObject(loses);
    expect(await difference('group-role.create', { group: empty, role: allows })).toMatchObject(gains);
    expect(await difference('group.delete', { id: allowed })).toMatchObject(loses);
  });
});
