import { describe, expect, test } from 'vitest';
import { createService } from '../../explorer/service/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { gatehouse } from '../cli/support.ts';
import { createMemoryWorld } from '../support/world.ts';
import { tableOf } from './served-table.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const school = await tableOf(() => NOW, { isNamed: true });
const { service, ref: refOf } = school;

const ASKED = { subject: refOf('subject', 'dora'), permission: 'grades', scope: refOf('scope', 'south') };

describe('the service', () => {
  test('decides for the instant that is asked for: an assignment from March to April', async () => {
    const at = (instant: string) => service('check', { ...ASKED, at: Date.parse(instant) });
    expect(await at('2026-02-28')).toMatchObject({ result: { allowed: false, reason: 'no_grant' } });
    expect(await at('2026-03-01')).toMatchObject({ result: { allowed: true, reason: 'role' } });
    expect(await at('2026-04-01')).toMatchObject({ result: { allowed: false } });
  });

  test('explains with the names of the table, or else those of the manifest', async () => {
    const subject = refOf('subject', 'ann@school.example');
    const reply = await service('explain', { ...ASKED, subject, scope: refOf('scope', 'north') });
    expect(reply).toMatchObject({
      ok: true,
      result: {
        allowed: true,
        subject: { ref: subject, name: 'Ann' },
        path: [{ name: 'north' }, { name: 'Lindgren School' }],
      },
    });
    const of = { ...ASKED, subject: refOf('subject', 'dora') };
    expect(await service('explain', of)).toMatchObject({ result: { subject: { name: 'dora' } } });
  });

  test('answers with roles by permissions, and refuses a scope that does not exist', async () => {
    expect(await service('matrix', { scope: refOf('scope', 'north') })).toMatchObject({
      ok: true,
      result: {
        scope: { ref: refOf('scope', 'school'), name: 'Lindgren School' },
        combination: 'deny-overrides',
        roles: [{ name: 'bursar' }, { name: 'member' }, { name: 'teacher' }, { name: 'volunteer' }],
      },
    });
    expect(await service('matrix', { scope: 'tenant:nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'not_found', field: 'scope' },
    });
  });

  test('searches for subjects, permissions and scopes, with their names', async () => {
    const [north, ann] = [refOf('scope', 'north'), refOf('subject', 'ann@school.example')];
    expect(await service('subjects', { permission: 'grades', scope: north })).toEqual({
      ok: true,
      result: { items: [{ ref: ann, name: 'Ann' }] },
    });
    const permissions = await service('permissions', { subject: ann, scope: north });
    const items = ['grades', 'dashboard', 'library:lend:book'].map((permission) => ({ permission }));
    expect(permissions).toEqual({ ok: true, result: { items: expect.arrayContaining(items) } });
    expect(await service('scopes', { subject: ann, permission: 'grades' })).toEqual({
      ok: true,
      result: { items: [{ ref: north, name: 'north' }] },
    });
  });

  test('names references, and leaves out those that lead nowhere', async () => {
    const [north, nobody] = [refOf('scope', 'north'), 'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C'];
    expect(await service('names', { refs: [north, nobody, 'not a reference'] })).toEqual({
      ok: true,
      result: { [north]: 'north' },
    });
  });

  test('sends commands to provisioning, and its refusal is an answer', async () => {
    const { service: writing } = await tableOf(() => NOW, { canWrite: true });
    const name = (input: object) => writing('command', { command: 'tenant.create', input });
    expect(await name({ name: 'Acme' })).toMatchObject({ ok: true, result: { ok: true } });
    expect(await name({})).toMatchObject({
      ok: true,
      result: { ok: false, error: { code: 'invalid', field: 'name' } },
    });
    const log = await writing('command', { command: 'audit.list', input: {} });
    expect(JSON.stringify(log)).not.toContain('Acme');
  });
});

test('it decides as the command line does, by what is given with the question and for who acts', async () => {
  const world = createMemoryWorld();
  await world.apply(`
pages: [roster]
scopes: { school: { type: tenant, id: school } }
roles:
  teacher: { owner: school, allow: [{ permission: roster, when: 'context.ip == "10.0.0.1"' }] }
users: { ann: { id: ann, grants: { school: [teacher] } } }
subjects: { bot: { id: bot, type: agent, mandateOptional: true } }
`);
  world.settle();
  const about = { place: 'a test', canWrite: false, isLive: false };
  const here = createService({ ...world, provisioning: world.provision, about });
  const ask = (more: object) =>
    here('check', { subject: 'user:ann', permission: 'roster', scope: 'tenant:school', ...more });
  expect(await ask({})).toMatchObject({ result: { reason: 'condition_failed' } });
  const given = { context: { ip: '10.0.0.1' } };
  expect(await ask({ given })).toMatchObject({ result: { reason: 'role' } });
  const check = (...more: readonly string[]) =>
    gatehouse(['check', 'user:ann', 'roster', 'tenant:school', ...more], {
      env: { TABLE_NAME: world.table },
      now: world.clock.now,
    });
  expect((await check()).out).toContain('condition_failed');
  expect(await check('--given', JSON.stringify(given))).toMatchObject({ code: 0 });
  const actor = { subject: 'agent:bot' };
  expect(await ask({ given, actor })).toMatchObject({ result: { reason: 'actor_no_grant' } });
});

describe('a service that only reads', () => {
  test('refuses commands that write, but for dry runs', async () => {
    const create = { command: 'tenant.create', input: { name: 'Acme' } };
    expect(await service('command', create)).toMatchObject({
      result: { ok: false, error: { code: 'invalid', retryable: false } },
    });
    expect(await service('command', { ...create, dryRun: true })).toMatchObject({ result: { ok: true } });
    const tenants = await service('command', { command: 'tenant.list', input: {} });
    expect(JSON.stringify(tenants)).not.toContain('Acme');
  });

  test.each(['tenant.onboard', 'transaction.write', 'tenant.apply', 'admin.create'])(
    'refuses %s',
    async (command) => {
      expect(await service('command', { command, input: {} })).toMatchObject({
        result: { ok: false, error: { message: expect.stringContaining('read-only') } },
      });
    },
  );
});

describe('what is not a call', () => {
  test.each([
    ['nothing', {}, 'not_found'],
    ['constructor', {}, 'not_found'],
    ['check', undefined, 'invalid'],
    ['check', { subject: '', permission: 'a', scope: 'b' }, 'invalid'],
    ['check', { subject: 's', permission: 'p', scope: 'x', more: 1 }, 'invalid'],
    ['check', { subject: 's'.repeat(1_025), permission: 'p', scope: 'x' }, 'invalid'],
    ['names', { refs: Array.from({ length: 101 }, () => 'user:1') }, 'invalid'],
  ])('%s %j', async (method, input, code) => {
    expect(await service(method, input)).toMatchObject({ ok: false, error: { code, retryable: false } });
  });
});

test.each([
  [
    'says whether to try again',
    new GatehouseError('throttled', 'the table is throttled'),
    { code: 'throttled', message: 'the table is throttled', retryable: true },
  ],
  [
    'keeps what is not ours to itself',
    new Error('password is hunter2'),
    { code: 'internal', message: expect.not.stringContaining('hunter2'), retryable: false },
  ],
])('a table that fails is an error, never a decision, and %s', async (_, thrown, error) => {
  const reader = { ...school.reader, getMany: () => Promise.reject(thrown) };
  const about = { place: 'a test', canWrite: false, isLive: false };
  const failing = createService({ ...school, reader, clock: { now: () => NOW }, about });
  expect(await failing('check', ASKED)).toEqual({ ok: false, error });
});

describe('a saved plan', () => {
  const saved = (more: object) => ({
    gatehousePlan: 1,
    place: 'table school',
    madeAt: '2026-03-01T00:00:00.000Z',
    prune: false,
    pruneShared: false,
    changes: [],
    manifest: {},
    ...more,
  });
  const manifest = { scopes: { annexe: { type: 'tenant', name: 'Annexe' } } };

  test('that has all changes of a new one is current', async () => {
    expect(await service('savedPlan', { data: saved({}) })).toMatchObject({
      ok: true,
      result: { saved: { place: 'table school' }, plan: { changes: [] } },
    });
  });

  test('is out of date where the table takes other changes', async () => {
    expect(await service('savedPlan', { data: saved({ manifest }) })).toMatchObject({
      result: { plan: { create: 1, changes: [{ verb: 'create', kind: 'tenant', isBeyond: true }] } },
    });
  });
});
