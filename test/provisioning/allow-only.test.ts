import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Item } from '../../table/item.ts';
import { DECISION, edgeKey, type Key, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { findingsOn, linesOf, repairOn } from './findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/**
 * An allow-only role denies nothing and has no permission of operators, by itself or by what it inherits, and an
 * allow-only group carries no other role: whoever is not in the group has no access that members have not, and whoever
 * fills it from outside makes nobody an operator.
 */
const WORLD = `
pages: [grades]
permissions: ['school:read:grades', 'provisioning:create:user']
scopes: { school: { type: tenant, id: school } }
roles:
  teacher: { id: teacher, allow: [grades] }
  strict: { id: strict, deny: [grades] }
  heir: { id: heir, parent: teacher }
  head: { id: head }
  helper: { id: helper, allowOnly: true, allow: [grades] }
  reader: { id: reader, allowOnly: true, parent: helper }
groups:
  staff: { id: staff, scope: school, roles: [teacher] }
  helpers: { id: helpers, scope: school, roles: [helper] }
  mapped: { id: mapped, scope: school, allowOnly: true, roles: [reader] }
`;

let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(WORLD);
});
afterEach(async () => expect(await findingsOn(world)).toEqual([]));

type Sent = readonly [command: string, input: Input];
const deny = (role: string, permission = 'grades', more: Input = {}): Sent => [
  'role-permission.create',
  { role, permission, effect: 'DENY', ...more },
];
const operate = (role: string, permission = '*:*:*') => deny(role, permission, { effect: 'ALLOW' });
const carry = (group: string, role: string): Sent => ['group-role.create', { group, role }];
const mark = (type: 'role' | 'group', id: string): Sent => [`${type}.update`, { id, allowOnly: true }];
const inherit = (id: string, parent: string): Sent => ['role.update', { id, parent }];
const clash = (field: string, message: string) => ({ code: 'conflict', field, message, retryable: false });
/** Expects that it is refused with a conflict of this field. */
const expectClash = async (sent: Sent, field: string, message: string) =>
  expect(await world.refused(...sent)).toMatchObject(clash(field, message));
const holds = (role: string) => `role:${role} is allow-only: it holds no effect DENY`;
const holdsNone = (role: string) => `role:${role} is allow-only: it holds no permission of operators`;
const isNot = (ref: string) => `${ref} is not allow-only`;

describe('an allow-only role holds no DENY', () => {
  test.each<[string, Sent]>([
    ['on a page', deny('helper', 'grades')],
    ['on a permission', deny('helper', 'school:read:grades')],
    ['on a pattern', deny('helper', 'school:*:*')],
    ['with a condition', deny('helper', 'school:read:grades', { when: 'context.method == "GET"' })],
    ['in place of an ALLOW', ['role-permission.update', deny('helper')[1]]],
  ])('%s', async (_, sent) => {
    await world.run('role-permission.delete', { role: 'helper', permission: 'grades' });
    if (sent[0].endsWith('update'))
      await world.run('role-permission.create', { role: 'helper', permission: 'grades', effect: 'ALLOW' });
    await expectClash(sent, 'effect', holds('helper'));
  });

  test('so a role with one does not become allow-only', async () => {
    await world.run(...deny('teacher', 'school:*:*'));
    await expectClash(mark('role', 'teacher'), 'allowOnly', 'role:teacher denies school:*:*');
    await world.run('role-permission.delete', { role: 'teacher', permission: 'school:*:*' });
    expect(await world.run(...mark('role', 'teacher'))).toMatchObject({ allowOnly: true });
  });
});

describe('an allow-only role holds no permission of operators', () => {
  test.each(['provisioning:create:user', 'provisioning:*:user', 'provisioning:*:*', '*:*:*'])(
    '%s, with a condition or without',
    async (permission) => {
      const sent = operate('helper', permission);
      await expectClash(sent, 'permission', holdsNone('helper'));
      const when = 'context.method == "GET"';
      expect(await world.refused(sent[0], { ...sent[1], when })).toMatchObject({ field: 'permission' });
      await world.run(...operate('teacher', permission));
      await expectClash(
        mark('role', 'teacher'),
        'allowOnly',
        `role:teacher allows ${permission}, a permission of operators`,
      );
      await world.run('role-permission.delete', { role: 'teacher', permission });
      await world.run(...mark('role', 'teacher'));
    },
  );

  test('nor by inheritance, nor does an allow-only group', async () => {
    await world.run(...operate('teacher'));
    expect(await world.refused(...inherit('helper', 'teacher'))).toMatchObject({ field: 'parent' });
    expect(await world.refused(...carry('mapped', 'teacher'))).toMatchObject({ field: 'role' });
    expect(await world.refused(...mark('group', 'staff'))).toMatchObject({ field: 'allowOnly' });
  });

  test('while other modules are no matter', async () => world.run(...operate('helper', 'provisionings:*:*')));
});

test.each([
  ['what denies', { permission: 'school:*:*', effect: 'DENY' }, holds, 'effect'],
  ['a permission of operators', { permission: 'provisioning:*:*', effect: 'ALLOW' }, holdsNone, 'permission'],
] as const)(
  'a template with %s makes no allow-only role, and is applied to none',
  async (_, permission, says, field) => {
    const { id } = await world.run('role-template.create', { name: 'template', permissions: [permission] });
    const made = { id: 'made', name: 'made', scope: 'tenant', allowOnly: true, customTemplateId: id };
    expect(await world.refused('role.create', made)).toMatchObject(clash('customTemplateId', says('made')));
    expect(await world.refused('role-template.apply', { id, role: 'helper' })).toMatchObject(
      clash(field, says('helper')),
    );
  },
);

describe('an allow-only role inherits only from allow-only roles', () => {
  test('when it is made, and when it is given another parent', async () => {
    const made = { name: 'new', scope: 'tenant', allowOnly: true };
    const create = (parent: string): Sent => ['role.create', { ...made, parent }];
    await expectClash(create('teacher'), 'parent', isNot('role:teacher'));
    await world.run(...create('reader'));
    await expectClash(inherit('helper', 'teacher'), 'parent', isNot('role:teacher'));
    await world.run('role.update', { id: 'reader', parent: null });
    await world.run(...inherit('helper', 'reader'));
  });

  test('so one with another parent does not become allow-only, unless it is given one at once', async () => {
    await expectClash(mark('role', 'heir'), 'parent', isNot('role:teacher'));
    await world.run('role.update', { id: 'heir', allowOnly: true, parent: 'helper' });
  });

  test('while others inherit from it as they like', async () => {
    await world.run(...inherit('strict', 'helper'));
    await world.run('role-permission.delete', { role: 'strict', permission: 'grades' });
    await world.run(...deny('strict'));
  });
});

describe('an allow-only group carries only allow-only roles', () => {
  test('when it is given one', async () => {
    await expectClash(carry('mapped', 'teacher'), 'role', isNot('role:teacher'));
    await world.run(...carry('mapped', 'helper'));
    const assignedAt = '2026-01-01T00:00:00.000Z';
    await world.run('group-role.update', { group: 'mapped', role: 'helper', assignedAt });
  });

  test('so a group with another one does not become allow-only', async () => {
    await world.run(...carry('helpers', 'teacher'));
    await expectClash(mark('group', 'helpers'), 'allowOnly', isNot('role:teacher'));
    await world.run('group-role.delete', { group: 'helpers', role: 'teacher' });
    expect(await world.run(...mark('group', 'helpers'))).toMatchObject({ allowOnly: true });
    expect(await world.refused(...carry('helpers', 'teacher'))).toMatchObject({ code: 'conflict' });
  });

  test('of at most 1,000, when it becomes allow-only', async () => {
    const group = { type: 'group', id: 'helpers' };
    const keys = Array.from({ length: 1_000 }, (_, n) => edgeKey(group, { type: 'role', id: `role-${n}` }));
    const each = async (action: (key: Key) => Action) => {
      for (let n = 0; n < keys.length; n += 100) await world.writer.send(keys.slice(n, n + 100).map(action));
    };
    const edge = { Type: 'GroupRole', group: 'helpers', role: 'helper' };
    await each((key) => ({ kind: 'put', item: { ...key, ...edge } }));
    expect(await world.refused(...mark('group', 'helpers'))).toMatchObject({
      code: 'limit_exceeded',
      field: 'allowOnly',
      message: 'the group carries 1001 roles: at most 1000 are looked at',
    });
    await each((key) => ({ kind: 'delete', key }));
  });

  test('also the group of everyone', async () => {
    const everyone = { id: 'all', name: 'all', scope: 'tenant:school', everyone: true };
    await world.run('group.create', { ...everyone, allowOnly: true });
    await expectClash(carry('all', 'teacher'), 'role', isNot('role:teacher'));
    await world.run(...carry('all', 'helper'));
  });
});

test.each(['role', 'group'])('a %s that is allow-only stays so', async (type) => {
  const id = type === 'role' ? 'helper' : 'mapped';
  for (const allowOnly of [null, false])
    expect(await world.outcome(`${type}.update`, { id, allowOnly })).toBe('invalid allowOnly');
  expect(await world.run(`${type}.update`, { id, allowOnly: true, name: 'renamed' })).toMatchObject({
    allowOnly: true,
  });
});

test('no decision rests on it', async () => {
  const before = world.transactions.length;
  await world.run(...mark('role', 'teacher'));
  await world.run(...mark('group', 'staff'));
  const written = world.transactions.slice(before).flat();
  expect(written.filter(({ key }) => key.SK.startsWith(DECISION))).toEqual([]);
});

/** Of each pair only one may happen, in whichever order, and the other one says why. */
const PAIRS: readonly (readonly [Sent, Sent, field: string, field: string])[] = [
  [mark('role', 'teacher'), operate('teacher', 'provisioning:create:user'), 'permission', 'allowOnly'],
  [mark('role', 'teacher'), operate('teacher'), 'permission', 'allowOnly'],
  [mark('role', 'teacher'), deny('teacher', 'school:*:*'), 'effect', 'allowOnly'],
  [mark('role', 'teacher'), ['role-permission.update', deny('teacher')[1]], 'effect', 'allowOnly'],
  [['role.update', { id: 'heir', allowOnly: true, parent: null }], inherit('heir', 'strict'), 'parent', ''],
  [mark('group', 'helpers'), carry('helpers', 'teacher'), 'role', 'allowOnly'],
];

describe.each(PAIRS)('%s and %s', (marks, breaks, whenMarked, whenBroken) => {
  const orders = [
    { first: marks, second: breaks, field: whenMarked },
    { first: breaks, second: marks, field: whenBroken },
  ].filter(({ field }) => field !== '');
  const part = ([command, input]: Sent) => ({ command, input });

  test.each(orders)(
    'one between what the other reads and writes: $second.0 fails on $field',
    async (order) => {
      const { first, second, field } = order;
      const answer = await world.provisionAround(part(second), () => world.run(...first));
      expect(answer).toMatchObject({ error: { code: 'conflict', field } });
    },
  );
});

describe('what is made anew under its id is not what was allow-only', () => {
  const again = async (type: string, input: Input) => {
    await world.run(`${type}.delete`, { id: input.id });
    world.clock.advance(1);
    await world.run(`${type}.create`, input);
  };
  const helper = { id: 'helper', name: 'helper', scope: 'tenant' };

  const INHERITS = { name: 'new', scope: 'tenant', allowOnly: true, parent: 'helper' };

  test.each<[what: string, Sent, field: string, then: readonly Sent[]]>([
    ['a role that a group is given', carry('mapped', 'helper'), 'role', []],
    ['one that a group carries', mark('group', 'helpers'), 'allowOnly', [carry('helpers', 'helper')]],
    ['one from which another one is to inherit', ['role.create', INHERITS], 'parent', []],
  ])('%s', async (_, [command, input], field, then) => {
    await world.run('role.update', { id: 'reader', parent: null });
    const answer = await world.provisionAround({ command, input }, async () => {
      await again('role', helper);
      for (const sent of then) await world.run(...sent);
    });
    expect(answer).toMatchObject({ error: clash(field, isNot('role:helper')) });
  });

  test('a group: it carries what it likes', async () => {
    const [command, input] = carry('mapped', 'helper');
    const answer = await world.provisionAround({ command, input }, () =>
      again('group', { id: 'mapped', name: 'mapped', scope: 'tenant:school' }),
    );
    expect(answer).toMatchObject({ ok: true });
    await world.run(...carry('mapped', 'teacher'));
  });
});

test('an edit by hand that breaks it is found, and not repaired', async () => {
  const byHand = (type: string, id: string) => {
    const key = nodeKey({ type, id });
    return world.writer.send([{ kind: 'update', key, set: { allowOnly: true } }]);
  };
  await byHand('role', 'strict');
  await world.run(...operate('head', 'provisioning:*:*'));
  await byHand('role', 'head');
  await byHand('role', 'heir');
  await byHand('group', 'staff');
  const lines = [
    'allow_only_broken GROUP#staff / ROLE#teacher role: expected an allow-only role, as role:teacher is not',
    'allow_only_broken ROLE#head / PERMISSION#provisioning:*:* permission: expected no permission of operators',
    'allow_only_broken ROLE#heir / META parent: expected an allow-only role, as role:teacher is not',
    'allow_only_broken ROLE#strict / PAGE#grades effect: expected ALLOW, or no effect',
  ];
  expect(await findingsOn(world)).toEqual(expect.arrayContaining(lines));
  // What repeats the nodes at their owners follows them.
  const { open } = await repairOn(world);
  expect(linesOf(open)).toEqual(lines);
  expect(open.every(({ dangerous, repairable }) => dangerous && !repairable)).toBe(true);
  await world.run('role-permission.delete', { role: 'strict', permission: 'grades' });
  await world.run('role-permission.delete', { role: 'head', permission: 'provisioning:*:*' });
  await world.run(...inherit('heir', 'helper'));
  await world.run('group-role.delete', { group: 'staff', role: 'teacher' });
});

test('half of an edge that would break it is not put back', async () => {
  const [strict, grades] = [
    { type: 'role', id: 'strict' },
    { type: 'page', id: 'grades' },
  ];
  const key = edgeKey(strict, grades);
  const half = (await world.reader.get(key)) as Item;
  await world.writer.send([{ kind: 'delete', key }]);
  await world.run('role.update', { id: 'strict', allowOnly: true });
  const line = 'allow_only_broken ROLE#strict / PAGE#grades effect: expected ALLOW, or no effect';
  expect(await findingsOn(world)).toContain(line);
  expect(linesOf((await repairOn(world)).open)).toContain(line);
  expect(await world.reader.get(key)).toBeUndefined();
  await world.writer.send([{ kind: 'put', item: half }]);
  await world.run('role-permission.delete', { role: 'strict', permission: 'grades' });
});
