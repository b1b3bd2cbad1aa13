import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readLogLine } from '../../../../provisioning/evidence/log-lines.ts';
import { createUses } from '../../../../provisioning/evidence/usage/uses.ts';
import { createMemoryWorld } from '../../../support/world.ts';
import { decisionLine, heartbeatLine } from '../lines.ts';
import { DAY_MS, type LogWorld, unusedIn, usageIn } from './support.ts';

const SCHOOL = `
pages: [roster, grades, budget]
modules: { invoices: {} }
permissions: { 'invoices:read:invoice': {}, 'invoices:pay:invoice': {} }
scopes:
  north: { type: client, id: north }
  building: { type: project, id: building, parent: north }
roles:
  teacher: { id: teacher, owner: north, allow: [roster, grades] }
  clerk: { id: clerk, owner: north, allow: ['invoices:*:invoice'] }
  barred: { id: barred, owner: north, allow: [budget], deny: [roster] }
groups:
  teachers: { id: teachers, scope: north, roles: [teacher] }
  barred: { id: barred, scope: north, roles: [barred] }
users:
  ann: { id: ann, tenant: north, groups: [teachers] }
  bob: { id: bob, tenant: north, groups: [teachers], assignments: [{ role: clerk, scope: building }] }
`;

let world: LogWorld;
beforeEach(async () => {
  world = createMemoryWorld();
  await world.apply(SCHOOL);
  world.clock.advance(100 * DAY_MS);
});

let sequence = 0;
beforeEach(() => {
  sequence = 0;
});
const ago = (days: number) => new Date(world.clock.now() - days * DAY_MS).toISOString();
/** A line of a log without gaps; days ago. */
const line = (days: number, fields: Readonly<Record<string, unknown>>): string =>
  decisionLine({ timestamp: ago(days), sequence: ++sequence, ...fields });
const user = (id: string) => ({ type: 'user', id });
const used = (subject: string, permission: string, scope = 'client:north', days = 1, more = {}): string => {
  const [type, id] = scope.split(':');
  const resource = { type, id };
  return line(days, { subject: user(subject), action: { name: permission }, resource, ...more });
};
const NOTHING = { decision: false, context: { reason: 'no_grant', api: 'default' } };
/** Each permission was asked for at the beginning of the period, by somebody without any right. */
const begun = () =>
  ['roster', 'grades', 'budget', 'invoices:read:invoice', 'invoices:pay:invoice'].map((name) =>
    used('nobody', name, 'client:north', 29.5, NOTHING),
  );

const unusedBeside = async (...lines: readonly string[]) =>
  unusedIn(await usageIn(world, [...begun(), ...lines]));
const [MEMBERSHIP, BUILDING] = ['bob membership teachers', 'project:building'];

/** Beside what random-histories.integration.test.ts compares, and transcripts/usage.txt shows. */
describe('what nobody used', () => {
  test('a permission of a role, a membership and an assignment; not what was used once', async () => {
    expect(await unusedBeside(used('ann', 'roster'))).toEqual([
      'bob assignment clerk project:building',
      MEMBERSHIP,
      'role barred budget',
      'role clerk invoices:*:invoice',
      'role teacher grades',
    ]);
  });

  test('a pattern is used by any permission that it covers, a scope by whatever is below it', async () => {
    const below = [used('ann', 'grades', BUILDING), used('bob', 'invoices:pay:invoice', BUILDING)];
    expect(await unusedBeside(...below)).toEqual([MEMBERSHIP, 'role barred budget', 'role teacher roster']);
  });

  test('what somebody did for another is a use by both', async () => {
    const acted = used('ann', 'grades', 'client:north', 1, { actor: user('bob') });
    expect((await unusedBeside(acted)).filter((each) => each.includes('membership'))).toEqual([]);
    const refused = used('ann', 'roster', 'client:north', 1, { actor: user('bob'), decision: false });
    expect(await unusedBeside(refused)).toContain(MEMBERSHIP);
  });

  test('a refusal is no use, nor is what was asked for another person or about another instant alone', async () => {
    const refused = used('bob', 'roster', 'client:north', 1, { decision: false });
    const search = line(1, { kind: 'search', subject: undefined, action: { name: 'roster' } });
    expect(await unusedBeside(refused, search)).toContain(MEMBERSHIP);
    const roster = { kind: 'search', action: { name: 'roster' } };
    const somewhere = line(1, { ...roster, subject: user('bob'), resource: undefined });
    expect(await unusedBeside(somewhere)).not.toContain(MEMBERSHIP);
  });

  test('pseudonyms stand for the ids of the table', async () => {
    await world.run('user.create', { id: 'cy@north.example', tenant: 'client:north' });
    await world.run('membership.create', { user: 'cy@north.example', group: 'teachers' });
    world.clock.advance(60 * DAY_MS);
    const own = 'cy@north.example membership teachers';
    expect(await unusedBeside()).toContain(own);
    const digest = createHash('sha256').update('cy@north.example').digest('base64url').slice(0, 22);
    expect(await unusedBeside(used(`sha256:${digest}`, 'roster'))).not.toContain(own);
  });
});

describe('nothing is said', () => {
  test('of what was not there all the time', async () => {
    await world.run('membership.create', { user: 'ann', group: 'barred' });
    await world.run('role-permission.create', { role: 'teacher', permission: 'budget', effect: 'ALLOW' });
    world.clock.advance(10 * DAY_MS);
    const found = await usageIn(world, [...begun(), used('ann', 'roster'), used('bob', 'roster')]);
    expect(unusedIn(found)).not.toContain('ann membership barred');
    expect(unusedIn(found)).not.toContain('role teacher budget');
    expect(found.unsteady).toBeGreaterThan(0);
  });

  test('of a membership, a part of which is new', async () => {
    await world.run('role-permission.create', { role: 'teacher', permission: 'budget', effect: 'ALLOW' });
    world.clock.advance(10 * DAY_MS);
    expect(await unusedBeside()).not.toContain(MEMBERSHIP);
  });

  test('of what somebody had who was not active for a while', async () => {
    await world.run('user.update', { id: 'bob', status: 'inactive' });
    world.clock.advance(DAY_MS);
    await world.run('user.update', { id: 'bob', status: 'active' });
    world.clock.advance(DAY_MS);
    expect((await unusedBeside()).filter((each) => each.startsWith('bob'))).toEqual([]);
  });

  test('of a role that somebody lost who used the same permission', async () => {
    await world.run('role.create', { id: 'reader', name: 'reader', scope: 'client:north' });
    await world.run('role-permission.create', { role: 'reader', permission: 'roster', effect: 'ALLOW' });
    await world.run('assignment.create', { user: 'ann', scope: 'client:north', role: 'reader' });
    world.clock.advance(60 * DAY_MS);
    const log = [...begun(), used('ann', 'roster', 'client:north', 20)];
    await world.run('membership.delete', { user: 'ann', group: 'teachers' });
    world.clock.advance(1_000);
    expect(unusedIn(await usageIn(world, log))).not.toContain('role teacher roster');
  });

  test('of a permission that is checked without the log', async () => {
    const log = [...begun(), used('ann', 'roster')];
    const elsewhere = unusedIn(await usageIn(world, log, { elsewhere: ['invoices:*:*', 'grades'] }));
    expect(elsewhere).toEqual(['role barred budget']);
    const { unlogged } = await usageIn(world, [used('ann', 'roster')], { isComplete: false });
    expect(unlogged).toEqual(['budget', 'grades', 'invoices:pay:invoice', 'invoices:read:invoice']);
  });

  test('of what a route of an API asks for that writes no log, answers from a cache, or logs no allow', async () => {
    const route = { api: 'shop', method: 'GET', path: '/budget', scope: 'client:north' };
    await world.run('route.create', { ...route, permission: 'budget' });
    world.clock.advance(1_000);
    const context = { reason: 'role', api: 'shop' };
    const shop = (more: object) =>
      line(29.5, { action: { name: 'budget' }, context, decision: false, ...more });
    expect(await unusedBeside()).not.toContain('role barred budget');
    expect((await usageIn(world, begun())).silent).toEqual(['shop']);
    expect(await unusedBeside(shop({}))).toContain('role barred budget');
    expect(await unusedBeside(shop({ kind: 'policy' }))).not.toContain('role barred budget');
    const of = { timestamp: ago(1), sequence: 50, api: 'shop' };
    const silent = heartbeatLine({ ...of, rate: 0, decisions: 3 });
    expect(await unusedBeside(shop({}), silent)).not.toContain('role barred budget');
  });

  test('of a source that began to write later than the others', async () => {
    const context = { reason: 'no_grant', api: 'shop' };
    const late = line(10, { action: { name: 'budget' }, decision: false, context });
    const log = [...begun().filter((each) => !each.includes('"budget"')), late];
    const { unlogged } = await usageIn(world, log, { isComplete: false });
    expect(unlogged).toEqual(['budget']);
  });
});

describe('administrators', () => {
  beforeEach(async () => {
    await world.run('admin.create', { user: 'ann' });
    world.clock.advance(60 * DAY_MS);
  });

  test('what they did as such', async () => {
    const did = used('ann', 'budget', 'client:north', 2, { context: { reason: 'admin', api: 'default' } });
    const { admins } = await usageIn(world, [...begun(), did]);
    const last = world.clock.now() - 2 * DAY_MS;
    const uses = [{ permission: 'budget', scope: 'client:north' }];
    expect([...admins]).toEqual([['user:ann', { decisions: 1, last, uses }]]);
  });

  test('one who was allowed something for another, or was found a scope, may have been it as such', async () => {
    const acted = used('bob', 'roster', 'client:north', 2, { actor: user('ann') });
    expect(await unusedBeside(acted)).not.toContain('ann admin');
    const context = { reason: 'found', api: 'default' };
    const found = used('ann', 'roster', 'client:north', 2, { kind: 'search', resource: undefined, context });
    expect(await unusedBeside(found)).not.toContain('ann admin');
  });

  test('one who did nothing as such, neither in the log nor by a command', async () => {
    expect(await unusedBeside()).toContain('ann admin');
    await world.provision({ command: 'page.create', input: { name: 'menu' }, actor: 'user:ann' });
    world.clock.advance(1_000);
    expect(await unusedBeside()).not.toContain('ann admin');
  });
});

test('more uses than fit are an error that says what to narrow', () => {
  const { add } = createUses(2);
  const record = (id: string) => readLogLine(decisionLine({ subject: { type: 'user', id } })) as never;
  for (const id of ['a', 'b', 'a', 'b']) add(record(id));
  expect(() => add(record('c'))).toThrow('narrow it by --tenant, or give fewer --days');
});
