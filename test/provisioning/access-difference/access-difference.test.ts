import { describe, expect, test } from 'vitest';
import { accessDifference } from '../../../provisioning/access-difference/access-difference.ts';
import { createSide, peopleText } from '../../../provisioning/access-difference/summary.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { watchReads } from '../../support/watched-reader.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { NOBODY } from '../support.ts';
import { createSchool } from './school.ts';

/** Who loses and who gains what by commands, found without sending them. */

const world = await createSchool();
const { idOf, differenceBy } = world;

test('who loses what: how many people, where, which permissions', async () => {
  const difference = await differenceBy({ command: 'role.delete', input: { id: idOf('role', 'teacher') } });
  const north = `location:${idOf('location', 'north')}`;
  expect(difference.gains).toEqual({ people: 0, more: false, rows: [], moreRows: 0 });
  expect(difference.incomplete).toBeUndefined();
  expect(difference.loses).toMatchObject({ people: 3, more: false, moreRows: 0 });
  expect(difference.loses.rows).toContainEqual({
    scope: north,
    name: 'north',
    scopesBelow: 1,
    people: 3,
    subjects: ['ann', 'ben', 'cyd'].map((name) => `user:${idOf('user', name)}`).sort(),
    permissions: ['grades'],
    morePermissions: 0,
  });
});

test('a command that would be refused is refused with the same error', async () => {
  for (const [code, input] of Object.entries({
    conflict: { id: idOf('role', 'reader') },
    not_found: { id: NOBODY },
    invalid: {},
  }))
    await expect(differenceBy({ command: 'role.delete', input })).rejects.toMatchObject({ code });
});

describe('what is too much is named', () => {
  const suspend = () => ({
    command: 'tenant.update',
    input: { id: idOf('tenant', 'school'), status: 'suspended' },
  });
  test.each([
    ['people', { people: 2 }, /more than 2 people/],
    ['scopes', { scopes: 1 }, /more than 1 scopes/],
    ['decisions', { decisions: 3 }, /more than 3 decisions/],
    ['items', { items: 2 }, /more than 2 items/],
    ['calls', { calls: 3 }, /3 calls/],
  ])('%s', async (_, bounds, message) => {
    let calls = 0;
    const reader = watchReads(world.reader, () => {
      calls += 1;
    });
    const options = { reader, commands: COMMANDS, at: world.clock.now(), bounds };
    const { incomplete, loses } = await accessDifference([suspend()], options);
    expect(incomplete).toMatch(message);
    expect(loses.people).toBeLessThan(6);
    if ('calls' in bounds) expect(calls).toBeLessThan(10);
  });

  test('more than 1,000 people, 50 rows, 10 permissions and 10 names', async () => {
    const side = createSide();
    const people = Array.from({ length: 1_001 }, (_, n) => `user:u${n}`);
    const permissions = Array.from({ length: 12 }, (_, n) => `p${n}`);
    for (let n = 0; n < 51; n++)
      side.add({
        scope: `tenant:${NOBODY.slice(0, -2)}${n + 10}`,
        parent: undefined,
        people: people.slice(n),
        permissions,
      });
    const { rows, ...rest } = await side.sum(world.reader);
    expect(rest).toEqual({ people: 1_000, more: true, moreRows: 1 });
    expect(rows).toHaveLength(50);
    expect(rows[0]).toMatchObject({ people: 1_001, morePermissions: 2 });
    expect([rows[0]?.permissions.length, rows[0]?.subjects.length]).toEqual([10, 10]);
  });
});

test.each<[number, boolean, boolean, string]>([
  [0, false, false, 'nobody'],
  [0, false, true, 'not known'],
  [1, false, false, '1 person'],
  [2, false, true, 'at least 2 people'],
  [1_000, true, true, 'more than 1,000 people'],
])('%i people, more: %s, the least: %s, are %s', (people, more, isLeast, text) => {
  expect(peopleText({ people, more, rows: [], moreRows: 0 }, isLeast)).toBe(text);
});

test('access.compare answers it, of a transaction too', async () => {
  const role = idOf('role', 'teacher');
  const commands = [{ command: 'role.delete', input: { id: role } }];
  const one = await world.run('access.compare', { commands });
  expect(one).toEqual(await differenceBy(...commands));
  const together = [{ command: 'transaction.write', input: { commands } }];
  expect(await world.run('access.compare', { commands: together })).toEqual(one);
});

test('an error says which of several commands is refused', async () => {
  const right = { command: 'role.delete', input: { id: idOf('role', 'teacher') } };
  const wrong = { command: 'group.delete', input: { id: 'nothing' } };
  const refused = async (...commands: readonly object[]) => {
    const answer = await world.provision({ command: 'access.compare', input: { commands } });
    return !answer.ok && answer.error.code === 'not_found' && answer.error.field;
  };
  expect(await refused(wrong)).toBe('id');
  expect(await refused(right, wrong)).toBe('commands.1.id');
  const together = { command: 'transaction.write', input: { commands: [right, wrong] } };
  expect(await refused(together)).toBe('commands.0.commands.1.id');
});

test('what a group of everyone is given, everybody gains who is in no list of its members', async () => {
  const all = createMemoryWorld();
  await all.apply(`
pages: [lobby]
scopes: { acme: { id: acme, type: tenant } }
roles: { visitor: { id: visitor, owner: acme, allow: [lobby] } }
groups: { all: { id: all, scope: acme, everyone: true } }
users: { ann: { id: ann }, ben: { id: ben } }
`);
  const give = { command: 'group-role.create', input: { group: 'all', role: 'visitor' } };
  const options = { reader: all.reader, commands: COMMANDS, at: all.clock.now() };
  expect(await accessDifference([give], options)).toMatchObject({ gains: { people: 2 } });
});
