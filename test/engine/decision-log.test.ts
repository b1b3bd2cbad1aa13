import { beforeEach, expect, test } from 'vitest';
import type { DecisionLog, LoggedDecision } from '../../engine/decision-log.ts';
import { createLists, type Engine } from '../../engine/index.ts';
import { createVisibleRows, defineRows, type Row, text } from '../../engine/rows/index.ts';
import { createMemoryWorld } from '../support/world.ts';

/** What an engine with a decision log writes to it: each decision once, as what it was asked for. */
const MANIFEST = `
pages: [home, news]
permissions: ["billing:read:invoice"]
properties:
  - { of: context, name: channel, type: string, source: passed }
  - { of: "resource:invoice", name: owner, type: string, source: passed }
scopes:
  t: { id: t, type: tenant }
  l: { id: l, type: location, parent: t }
  m: { id: m, type: location, parent: t }
roles:
  reader: { global: true, allow: [home] }
  careful: { global: true, allow: [{ permission: news, when: context.channel == "web" }] }
  owner: { global: true, allow: [{ permission: "billing:read:invoice", when: resource.properties.owner == subject.id }] }
users:
  ann: { id: ann, grants: { t: [reader, owner] } }
  ben: { id: ben, grants: { t: [careful] } }
`;
const [ann, ben, t, l, m] = ['user:ann', 'user:ben', 'tenant:t', 'location:l', 'location:m'];

let logged: LoggedDecision[] = [];
const decisionLog: DecisionLog = { log: (decision) => void logged.push(decision), end: () => {} };
const world = createMemoryWorld();
await world.apply(MANIFEST);
world.settle();
let engine: Engine;
beforeEach(() => {
  logged = [];
  engine = world.newEngine({ decisionLog });
});

const line = (permission: string, scope: string, allowed: boolean, more: object = {}) => ({
  kind: 'check',
  subject: ann,
  permission,
  scope,
  allowed,
  reason: allowed ? 'role' : 'no_grant',
  tenant: t,
  at: undefined,
  rests: undefined,
  ...more,
});

test('a check is a line, cold and warm, with roles and without', async () => {
  await engine.check(ann, 'home', l);
  await engine.check(ann, 'home', l);
  await engine.checkWithRoles(ann, 'home', l);
  await engine.checkAsked(() => ({ subject: ann, permission: 'news', scope: l }));
  await engine.check(ann, 'home', l, { consistency: 'strong' });
  const home = line('home', l, true);
  expect(logged).toEqual([home, home, home, line('news', l, false), home]);
});

test('many are a line each, in their order', async () => {
  const requests = ['home', 'news'].map((permission) => ({ subject: ann, permission, scope: l }));
  await engine.checkMany(requests);
  await engine.decideAsked(requests.map((request) => () => request));
  await engine.checkManyAsked(requests.map((request) => () => request));
  const both = [line('home', l, true), line('news', l, false)];
  expect(logged).toEqual([...both, ...both, ...both]);
});

test('with an observer it writes the same', async () => {
  const seen: unknown[] = [];
  engine = world.newEngine({ decisionLog, observe: (each) => seen.push(each) });
  await engine.check(ann, 'home', l);
  await engine.check(ann, 'home', l);
  expect([logged.length, seen.length]).toEqual([2, 2]);
});

test('of an unknown scope the tenant is not known; of another instant the line says so', async () => {
  await engine.check(ann, 'home', 'location:nowhere');
  await engine.check(ann, 'home', l, { at: 1_000 });
  expect(logged).toEqual([
    line('home', 'location:nowhere', false, { reason: 'scope_unknown', tenant: undefined }),
    line('home', l, true, { at: 1_000 }),
  ]);
});

test('a refused credential, a fault and a mistake of the caller are no decisions', async () => {
  const credential = { ref: 'token:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C', hash: 'no hash' };
  const refused = await engine.check(ann, 'home', l, { credential });
  expect(refused.reason).toBe('credential_refused');
  await expect(engine.check('', 'home', l)).rejects.toMatchObject({ code: 'invalid' });
  const reader = { ...world.reader, getMany: () => Promise.reject(new Error('down')) };
  await expect(world.newEngine({ decisionLog, reader }).check(ann, 'home', l)).rejects.toThrow();
  expect(logged).toEqual([]);
});

test('a line says where the question brought what the decision rests on, and nothing of it', async () => {
  await engine.check(ben, 'news', l, { context: { channel: 'web', secret: 'x' } });
  const groups = { issuer: 'https://issuer.example', ids: ['staff'], until: world.clock.now() + 60_000 };
  await engine.check(ben, 'news', l, { context: { channel: 'app' }, groups });
  await engine.check(ann, 'home', l, { context: { channel: 'web' } });
  expect(logged.map(({ allowed, rests }) => [allowed, rests])).toEqual([
    [true, ['properties']],
    [false, ['properties', 'token']],
    [true, undefined],
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/web|app|secret|staff/);
});

test('a session writes what it is asked for, once, and nothing when it is over', async () => {
  const session = await engine.session(ann, l, { permissions: ['home', 'news'] });
  expect(logged).toEqual([]);
  for (let times = 0; times < 2; times++) expect(session.can('home')).toBe(true);
  session.decide('home');
  expect(session.can('unnamed')).toBe(false);
  expect(logged).toEqual([line('home', l, true, { kind: 'session' })]);
  world.clock.advance(120_000);
  expect(session.can('news')).toBe(false);
  expect(logged).toHaveLength(1);
});

test('a page of rows writes a line for each scope, which allows if one row there is allowed', async () => {
  const rows: Row[] = [
    { id: 1, place: 'l', owner: 'eve' },
    { id: 2, place: 'l', owner: 'ann' },
    { id: 3, place: 'l', owner: 'eve' },
    { id: 4, place: 'm', owner: 'eve' },
  ];
  const invoices = defineRows({
    type: 'invoice',
    id: 'id',
    scope: { column: 'place', type: 'location' },
    properties: { owner: text('owner') },
    order: [],
    key: ['id'],
  });
  const visibleRows = createVisibleRows({
    reader: world.reader,
    engine,
    clock: world.clock,
    cursorSecret: 'cursors of tests are encrypted with this',
  });
  const permission = 'billing:read:invoice';
  const page = await visibleRows({ subject: ann, permission, rows: invoices, fetch: async () => rows });
  expect(page.rows.map(({ id }) => id)).toEqual([2]);
  expect(logged).toEqual([
    line(permission, l, true, { kind: 'rows', rests: ['properties'] }),
    line(permission, m, false, { kind: 'rows', rests: ['properties'] }),
  ]);
});

test('a search writes one line without what it looks for', async () => {
  const lists = createLists({ reader: world.reader, engine, clock: world.clock });
  expect((await lists.listScopes(ann, 'home', { type: 'location' })).items).toEqual([l, m]);
  expect((await lists.listSubjects('home', l)).items).toEqual([ann]);
  expect((await lists.listPermissions(ann, l)).items).toEqual(['home']);
  expect((await lists.listPermissions(ben, l)).items).toEqual([]);
  const found = { kind: 'search', reason: 'found' };
  expect(logged.map(({ rests, ...each }) => each)).toMatchObject([
    { ...found, subject: ann, permission: 'home', scope: undefined, allowed: true },
    { ...found, subject: undefined, permission: 'home', scope: l, allowed: true },
    { ...found, subject: ann, permission: undefined, scope: l, allowed: true },
    {
      kind: 'search',
      subject: ben,
      permission: undefined,
      scope: l,
      allowed: false,
      reason: 'nothing_found',
    },
  ]);
});

test('a log that fails never fails a decision', async () => {
  const broken = () => {
    throw new Error('the log is broken');
  };
  engine = world.newEngine({ decisionLog: { log: broken, end: broken } });
  expect((await engine.check(ann, 'home', l)).allowed).toBe(true);
  expect((await engine.check(ann, 'home', l)).allowed).toBe(true);
  expect((await engine.checkMany([{ subject: ann, permission: 'home', scope: l }])).decisions).toHaveLength(
    1,
  );
  const session = await engine.session(ann, l, { permissions: ['home'] });
  expect([session.can('home'), session.decide('home').allowed]).toEqual([true, true]);
});
