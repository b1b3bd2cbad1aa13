import { ulid } from 'ulid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLists } from '../../engine/index.ts';
import { accessDifference } from '../../provisioning/access-difference/index.ts';
import { COMMANDS } from '../../provisioning/all-commands.ts';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, type Key, membershipsKey, nodeKey } from '../../table/keys.ts';
import type { Writer } from '../../table/writer.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf, copyOf, createMemoryWorld, type World } from '../support/world.ts';
import { findingsOn, repairOn } from './findings.ts';

/** Groups of a scope, or of a subject, that stand apart (ADR 0003): everything is as it was, in other items. */
const PAGE = 'dashboard';
const [ALLOWED, DENIED, NOTHING] = ['role', 'denied_by_role', 'no_grant'];
const NEVER = 1_000;

/** From how many groups or roles on they stand apart, and what their items say then. */
const beyond = (groupsOfSubject: number, groupsOfScope: number) =>
  ({ groupsOfSubject, groupsOfScope, rolesOfRoot: NEVER }) as const;
const OF_SCOPE = { thresholds: beyond(NEVER, 1), marks: { scope: 'apart' } };
const OF_SUBJECT = { thresholds: beyond(0, NEVER), marks: { subject: 'scope' } };
const OF_BOTH = { thresholds: beyond(0, 1), marks: { scope: 'apart', subject: 'scope' } };
const FORMS = Object.entries({ 'a scope': OF_SCOPE, 'a subject': OF_SUBJECT, both: OF_BOTH });
type Form = (typeof FORMS)[number][1];

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
let form: Form = OF_SCOPE;
/** Whether the groups of the world stand apart: those of a user whom a test makes then do, too. */
let isSplit = false;
/** A small world before its groups stand apart; each test has a copy of it. */
let made: { readonly site: Site; readonly world: typeof world };
/** The same after they stand apart, in each form. */
const splitWorlds = new Map<Form, typeof world>();

beforeAll(async () => {
  world = createMemoryWorld();
  await world.apply(MANIFEST);
  made = { site: await site(), world };
});
beforeEach(() => {
  form = OF_SCOPE;
});
/** Begins in a world whose groups stand in the item of their scope. */
function whole(): Site {
  world = copyOf(made.world);
  isSplit = false;
  return made.site;
}
/** Begins in a world whose groups stand apart. */
async function split(): Promise<Site> {
  whole();
  isSplit = true;
  const known = splitWorlds.get(form);
  if (known) world = copyOf(known);
  else {
    await migrating();
    splitWorlds.set(form, copyOf(world));
  }
  return made.site;
}
const begin = async (isOut: boolean): Promise<Site> => (isOut ? whole() : split());

const refOf = (text: string) => {
  const [type = '', id = ''] = text.split(':');
  return { type, id };
};
const read = (key: Key) => world.reader.get(key);
const scopeItem = (scope: string) => read(decisionKey(refOf(scope)));
const rolesItem = (group: string) => read(decisionKey({ type: 'group', id: group }));
const subjectItem = (user: string) => read(decisionKey({ type: 'user', id: user }));
const partKey = (user: string, scope: string) => membershipsKey({ type: 'user', id: user }, refOf(scope));
const membersIn = (value: unknown) => [...((value ?? []) as Iterable<string>)].sort();
/** What the items of a scope and a user say of where their groups stand. */
const marksOf = async (scope: string, user: string) => ({
  scope: (await scopeItem(scope))?.groupRoles,
  subject: (await subjectItem(user))?.groupsIn,
});

const migrating = (more: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ ...world, newId: ulid, thresholds: form.thresholds, ...more });
const findings = async () => {
  world.settle();
  return findingsOn(world);
};
const put = (item: Item) => world.writer.send([{ kind: 'put', item }]);
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
/** The calls that a check takes with nothing cached. */
async function callsOf(user: string, scope: string) {
  world.settle();
  const calls: number[] = [];
  await world.newEngine({ observe: (seen) => calls.push(seen.calls) }).check(`user:${user}`, PAGE, scope);
  return calls;
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
  if (isSplit && 'subject' in form.marks) await migrating();
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
  const [allowed, denied] = [await groupAt(scope, allows), await groupAt(scope, denies)];
  return { scope, below: await place(scope), allowed, denied, empty: await groupAt(scope) };
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
    const { scope, allowed, denied } = await split();
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
    await migrating();
    expect((await rolesItem(allowed))?.ttl).toBeUndefined();
    expect(await decided(user, scope)).toBe(DENIED);
    expect(await findings()).toEqual([]);
  });

  describe('of a subject', () => {
    beforeEach(() => {
      form = { ...OF_SUBJECT, thresholds: { ...OF_SUBJECT.thresholds, groupsOfSubject: 2 } };
    });

    test('lets them stand apart beyond the threshold, in an item for each scope', async () => {
      const [one, other] = [whole(), await site()];
      const few = await userIn(one.allowed, other.allowed);
      const many = await userIn(one.allowed, one.denied, other.allowed);
      expect(await migrating({ writer: undefined as unknown as Writer })).toMatchObject({ unsplit: 1 });
      expect(await migrating()).toMatchObject({ split: 1, unsplit: 0 });
      expect(await migrating()).toMatchObject({ split: 0, unsplit: 0 });
      expect(membersIn((await subjectItem(few))?.groups)).toHaveLength(2);
      expect(await subjectItem(many)).toMatchObject({ groupsIn: 'scope', v: 2 });
      expect((await subjectItem(many))?.groups).toBeUndefined();
      const part = await read(partKey(many, one.scope));
      expect(part).toMatchObject({ Type: 'Decision', v: 2, groups: new Set([one.allowed, one.denied]) });
      expect(await findings()).toEqual([]);
      expect([await decided(many, one.scope), await decided(many, other.scope)]).toEqual([DENIED, ALLOWED]);
      // A part is of a scope, so that a check reads it together with what stands above.
      for (const user of [few, many]) expect(await callsOf(user, one.scope)).toEqual([2]);
      expect(await callsOf(many, tenant)).toEqual([2]);
    });

    test('brings them back, and what stood apart goes by itself', async () => {
      const [one, other] = [whole(), await site()];
      const user = await userIn(one.allowed, one.denied, other.allowed);
      await migrating();
      expect(await migrating({ joins: true })).toMatchObject({ unsplit: 0 });
      const item = await subjectItem(user);
      expect(item).toMatchObject({ v: 1, groups: new Set([one.allowed, one.denied, other.allowed]) });
      expect(item?.groupsIn).toBeUndefined();
      expect(await read(partKey(user, one.scope))).toMatchObject({ ttl: expect.any(Number) });
      expect(await read(partKey(user, one.scope))).not.toHaveProperty('groups');
      // What was on its way out at a scope that the user has left since says nothing when they stand apart again.
      await leave(user, other.allowed);
      await join(user, one.empty);
      await migrating();
      await join(user, other.denied);
      expect((await read(partKey(user, other.scope)))?.ttl).toBeUndefined();
      expect([await decided(user, one.scope), await decided(user, other.scope)]).toEqual([DENIED, DENIED]);
      expect(await findings()).toEqual([]);
    });

    test('leaves one alone whose edges do not say the same', async () => {
      const { allowed, denied, empty } = whole();
      const item = (await subjectItem(await userIn(allowed, denied, empty))) as Item;
      await put({ ...item, groups: new Set([...(item.groups as Set<string>), 'x']) });
      expect(await migrating()).toMatchObject({ split: 0, unsplit: 1 });
    });

    test('of more than one transaction holds, changes nothing until the marker is set', async () => {
      const { scope, allowed, denied } = whole();
      const user = await userIn(allowed, denied);
      for (let n = 0; n < 20; n++)
        await world.run('transaction.write', {
          commands: Array.from({ length: 5 }, () => {
            const [id, group] = [ulid(), ulid()];
            return [
              { command: 'zone.create', input: { id, name: 'z', parent: building } },
              { command: 'group.create', input: { id: group, scope: `zone:${id}`, name: 'g' } },
              { command: 'membership.create', input: { user, group } },
            ];
          }).flat(),
        });
      const { writer } = interrupted(2, () => Promise.reject(new Error('killed')));
      await expect(migrating({ writer })).rejects.toThrow('killed');
      expect((await subjectItem(user))?.groupsIn).toBeUndefined();
      expect(await findings()).toEqual([]);
      await leave(user, denied);
      await migrating();
      expect((await subjectItem(user))?.groupsIn).toBe('scope');
      expect(await decided(user, scope)).toBe(ALLOWED);
      await world.run('user.delete', { id: user });
      expect(await findings()).toEqual([]);
    });
  });
});

/** Runs a command before the transaction of this number is sent, or stops there. */
function interrupted(number: number, run: () => Promise<unknown>) {
  let sent = 0;
  const writer = watchWrites(world.writer, async (nth) => {
    sent = nth;
    if (nth === number) await run();
  });
  return { writer, sent: () => sent };
}

describe.each(FORMS)('where the groups of %s stand apart', (_, given) => {
  beforeEach(() => {
    form = given;
  });

  test('members come and go, roles too, and new groups are as the others', async () => {
    const { scope, below, allowed, denied, empty } = await split();
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
    expect(await decided(user, scope)).toBe(DENIED);
    const joinedAt = '2026-01-01T00:00:00.000Z';
    await world.run('membership.update', { user, group: fresh, joinedAt });
    await world.run('group-role.update', { group: fresh, role: denies, assignedAt: joinedAt });
    await world.run('user.update', { id: user, displayName: 'Ann' });
    expect(await marksOf(scope, user)).toEqual({ scope: undefined, subject: undefined, ...form.marks });
    await world.run('group.delete', { id: fresh });
    expect(await decided(user, scope)).toBe(ALLOWED);
    expect(await findings()).toEqual([]);
  });

  test.each([true, false])(
    'the group of everyone keeps its roles in the item of the scope (there before: %s)',
    async (isOut) => {
      const { scope, denied } = await begin(isOut);
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
      // Its roles never stood apart, so they leave nothing there.
      expect((await rolesItem(id)) ?? { ttl: 0 }).toHaveProperty('ttl');
      await world.run('group.create', { id, scope: (await site()).scope, name: 'g' });
      expect(await findings()).toEqual([]);
    },
  );

  test('several in one transaction: a group, its role and its first member, and from one to another', async () => {
    const { scope, allowed } = await split();
    const [user, id] = [await userIn(allowed), ulid()];
    const write = (...commands: readonly (readonly [string, object])[]) =>
      world.run('transaction.write', { commands: commands.map(([command, input]) => ({ command, input })) });
    await write(
      ['group.create', { id, scope, name: 'g' }],
      ['group-role.create', { group: id, role: denies }],
      ['membership.create', { group: id, user }],
    );
    expect(await decided(user, scope)).toBe(DENIED);
    await write(
      ['group-role.create', { group: id, role: allows }],
      ['group-role.delete', { group: id, role: denies }],
      ['membership.delete', { group: allowed, user }],
    );
    expect(await decided(user, scope)).toBe(ALLOWED);
    expect(await findings()).toEqual([]);
  });

  test('a group with many members goes in steps: from the first one on it gives nothing', async () => {
    const { scope, denied, allowed } = await split();
    const user = await userIn(denied, allowed);
    const others = Array.from({ length: 59 }, () => ulid());
    for (const id of others) await world.run('user.create', { id });
    await Promise.all(others.map((id) => join(id, denied)));
    await migrating();
    await world.run('group.delete', { id: denied });
    expect(await decided(user, scope)).toBe(ALLOWED);
    expect(await decided(others[0] as string, scope)).toBe(NOTHING);
    expect(await findings()).toEqual([]);
  });

  test('users go, and one of the same id begins with nothing', async () => {
    const { scope, allowed } = await split();
    for (const command of ['user.delete', 'user.erase']) {
      const user = await userIn(allowed);
      await world.run(command, { id: user });
      expect(await subjectItem(user)).toBeUndefined();
      await world.run('user.create', { id: user, again: true });
      expect(await decided(user, scope)).toBe(NOTHING);
    }
    expect(await findings()).toEqual([]);
  });

  test('the access difference sees who loses and gains what', async () => {
    const { allowed, denied, empty } = await split();
    const [user] = [await userIn(allowed), await userIn(empty)];
    const options = { reader: world.reader, commands: COMMANDS, at: world.clock.now() };
    const difference = (command: string, input: Readonly<Record<string, unknown>>) =>
      accessDifference([{ command, input }], options);
    const [loses, gains] = [{ loses: { people: 1 } }, { gains: { people: 1 } }];
    expect(await difference('membership.delete', { user, group: allowed })).toMatchObject(loses);
    expect(await difference('membership.create', { user, group: denied })).toMatchObject(loses);
    expect(await difference('group-role.delete', { group: allowed, role: allows })).toMatchObject(loses);
    expect(await difference('group-role.create', { group: empty, role: allows })).toMatchObject(gains);
    expect(await difference('group.delete', { id: allowed })).toMatchObject(loses);
  });
});

describe.each(FORMS)('while the groups of %s go apart or come back', (_, given) => {
  beforeEach(() => {
    form = given;
  });

  test.each([true, false])('a command that comes between is not lost (way out: %s)', async (isOut) => {
    let last = Number.POSITIVE_INFINITY;
    for (let number = 1; number <= last; number++) {
      const { scope, below, allowed, denied, empty } = await begin(isOut);
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
      const marks = { scope: undefined, subject: undefined, ...(isOut ? form.marks : {}) };
      expect(await marksOf(scope, user)).toEqual(marks);
      expect([await decided(user, below), await decided(other, scope)]).toEqual([DENIED, NOTHING]);
      await take(empty, denies);
      expect(await decided(user, scope)).toBe(ALLOWED);
      expect(await findings()).toEqual([]);
    }
    expect(last).toBeGreaterThan(1);
  });

  /** What comes between two transactions of a migration; `isOut` says which way it goes. */
  const BETWEEN = {
    'stopped anywhere': () => Promise.reject(new Error('killed')),
    'with the other way between': (isOut: boolean) => migrating({ joins: isOut }),
  };
  test.each(
    Object.entries(BETWEEN).flatMap(([name, act]) =>
      [true, false].map((isOut) => [name, isOut, act] as const),
    ),
  )('%s, everything is as it was, and it goes on (way out: %s)', async (_, isOut, act) => {
    for (let number = 1, isStopped = true; isStopped; number++) {
      const { scope, below, allowed, denied, empty } = await begin(isOut);
      const users = [await userIn(allowed), await userIn(allowed, denied), await userIn(empty)] as const;
      isStopped = false;
      const { writer } = interrupted(number, () => {
        isStopped = true;
        return act(isOut);
      });
      await migrating({ writer, joins: !isOut }).catch((error: Error) =>
        expect(error.message).toBe('killed'),
      );
      const all = async () => {
        const reasons: string[] = [];
        for (const user of users) reasons.push(await decided(user, below));
        return reasons;
      };
      expect(await all()).toEqual([ALLOWED, DENIED, NOTHING]);
      expect(await findings()).toEqual([]);
      // Whichever way it goes on.
      for (const joins of [number % 2 === 0, number % 2 !== 0]) {
        await join(users[2], denied);
        expect(await all()).toEqual([ALLOWED, DENIED, DENIED]);
        await leave(users[2], denied);
        await migrating({ joins });
        const marks = { scope: undefined, subject: undefined, ...(joins ? {} : form.marks) };
        expect(await marksOf(scope, users[0])).toEqual(marks);
        expect(await all()).toEqual([ALLOWED, DENIED, NOTHING]);
      }
      expect(await findings()).toEqual([]);
    }
  });

  test.each([true, false])(
    'what was planned before a migration and is sent after it goes where it belongs (way out: %s)',
    async (isOut) => {
      const { scope, below, allowed, denied } = await begin(isOut);
      const user = await userIn();
      for (const [command, input] of [
        ['membership.create', { user, group: allowed }],
        ['group-role.create', { group: allowed, role: denies }],
        ['group-role.delete', { group: allowed, role: denies }],
        ['membership.create', { user, group: denied }],
        ['group.create', { scope, name: 'late' }],
      ] as const) {
        const { writer } = interrupted(1, () => migrating({ joins: !isOut }));
        await commandsOf({ ...world, writer }).run(command, input);
        expect(await findings()).toEqual([]);
        await migrating({ joins: isOut });
      }
      expect(await decided(user, below)).toBe(DENIED);
      expect(await findings()).toEqual([]);
    },
  );
});

test('a command that does not know yet how the groups of its subject stand takes one more try', async () => {
  form = OF_SUBJECT;
  const { allowed, denied, empty } = await split();
  const user = await userIn(allowed);
  const writes = () => world.calls.filter(({ operation }) => operation === 'TransactWriteItems').length;
  const before = writes();
  await join(user, denied);
  expect(writes() - before).toBe(2);
  await join(user, empty);
  expect(writes() - before).toBe(3);
});

test.each([true, false])(
  'searches while groups go apart or come back leave nobody out (way out: %s)',
  async (isOut) => {
    const { scope, allowed } = await begin(isOut);
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

describe('both of a scope and of its subjects', () => {
  test('in whichever order they are split and joined', async () => {
    form = OF_BOTH;
    for (const { thresholds: first } of [OF_SCOPE, OF_SUBJECT]) {
      const [one, other] = [whole(), await site()];
      const user = await userIn(one.allowed, one.denied, other.allowed);
      const check = async () =>
        expect([
          ...[await decided(user, one.below), await decided(user, other.below), await findings()],
        ]).toEqual([DENIED, ALLOWED, []]);
      for (const thresholds of [first, OF_BOTH.thresholds]) {
        await migrating({ thresholds });
        await check();
      }
      expect(await marksOf(one.scope, user)).toEqual(OF_BOTH.marks);
      await migrating({ joins: true });
      await check();
      expect(await subjectItem(user)).toMatchObject({ v: 1 });
    }
  });

  test('a check takes three calls', async () => {
    form = OF_BOTH;
    const { scope, below, allowed, denied } = whole();
    const user = await userIn(allowed, denied);
    await migrating();
    await migrating({ thresholds: { ...OF_BOTH.thresholds, rolesOfRoot: 0 } });
    for (const at of [scope, below]) {
      expect(await decided(user, at)).toBe(DENIED);
      expect(await callsOf(user, at)).toEqual([3]);
    }
  });
});

describe('gatehouse verify', () => {
  test('finds and mends a mark of its scope that a group has not', async () => {
    const { allowed } = await split();
    await world.writer.send([
      { kind: 'update', key: nodeKey(refOf(`group:${allowed}`)), remove: ['byScope'] },
    ]);
    expect((await findings()).join()).toContain('node_damaged');
    await repairOn(world);
    expect(await findings()).toEqual([]);
  });

  test.each<[string, Form, string, boolean, (sound: string) => readonly (readonly string[])[]]>([
    ['roles', OF_SCOPE, 'roles', true, (role) => [[role, denies], [denies]]],
    ['groups', OF_SUBJECT, 'part', true, (group) => [[group, 'gone'], ['gone']]],
    ['a membership', OF_SCOPE, 'subject', false, (group) => [[group, made.site.denied]]],
  ])('mends %s that a migration has read and not moved yet', async (_, of, which, joins, damages) => {
    form = of;
    for (const damage of damages(which === 'roles' ? allows : made.site.allowed)) {
      const { scope, allowed } = await begin(!joins);
      const user = await userIn(allowed);
      const key = {
        roles: decisionKey({ type: 'group', id: allowed }),
        part: partKey(user, scope),
        subject: decisionKey({ type: 'user', id: user }),
      }[which as 'roles' | 'part' | 'subject'];
      const name = which === 'roles' ? 'roles' : 'groups';
      await put({ ...((await read(key)) as Item), [name]: new Set(damage) });
      world.settle();
      let isFirst = true;
      const writer = watchWrites(world.writer, async (_number, actions) => {
        const isIt =
          which === 'roles' ||
          actions.some((each) => each.kind !== 'check' && JSON.stringify(each).includes(key.PK));
        if (isFirst && isIt) await repairOn(world);
        isFirst &&= !isIt;
      });
      await migrating({ writer, joins });
      expect(isFirst).toBe(false);
      expect(await findings()).toEqual([]);
      expect(await decided(user, scope)).toBe(ALLOWED);
    }
  });
});

describe('a reader', () => {
  test('of more items than one snapshot holds answers from what was true at one instant', async () => {
    const { scope, below, allowed, denied } = await split();
    const user = await userIn(allowed);
    const part = (await rolesItem(allowed)) as Item;
    const groups = Array.from({ length: 110 }, () => ulid());
    await put({ ...((await subjectItem(user)) as Item), [`at|${scope}`]: new Set(groups) });
    for (const id of groups) await put({ ...part, ...decisionKey({ type: 'group', id }) });
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

  test.each<[Form, 'scope' | 'subject' | 'roles', Readonly<Record<string, unknown>>]>([
    [OF_SCOPE, 'scope', { groupRoles: 'elsewhere' }],
    [OF_SCOPE, 'scope', { v: 1 }],
    [OF_SCOPE, 'scope', { 'group|g': new Set(['r']) }],
    [OF_SCOPE, 'subject', { v: 1 }],
    [OF_SCOPE, 'subject', { 'at|zone:z': 'g' }],
    [OF_SCOPE, 'roles', { other: 1 }],
    [OF_SCOPE, 'roles', { roles: 'r' }],
    [OF_SUBJECT, 'subject', { groupsIn: 'root' }],
    [OF_SUBJECT, 'subject', { v: 1 }],
    [OF_SUBJECT, 'subject', { groups: new Set(['g']) }],
  ])('fails closed on a form that it does not know, or half of one: %#', async (of, which, damage) => {
    form = of;
    const { scope, allowed } = await split();
    const user = await userIn(allowed);
    const items = { scope: scopeItem(scope), subject: subjectItem(user), roles: rolesItem(allowed) };
    await put({ ...((await items[which]) as Item), ...damage });
    world.settle();
    const check = world.newEngine().check(`user:${user}`, PAGE, scope);
    await expect(check).rejects.toMatchObject({ code: 'damaged_item' });
  });
});
