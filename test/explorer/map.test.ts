import { describe, expect, test } from 'vitest';
import type { Item } from '../../explorer/page/load-page.ts';
import { DAY } from '../../explorer/page/parts/instant.ts';
import {
  byOwner,
  coverageOf,
  type Entitlement,
  type Entitlements,
} from '../../explorer/page/views/map/entitlements.ts';
import {
  childSources,
  inOrder,
  levelPages,
  PAGE,
  rootSources,
  type Scope,
  type Source,
  scopeOf,
} from '../../explorer/page/views/map/levels.ts';
import { marksOf, membershipMarks } from '../../explorer/page/views/map/marks.ts';
import { formatOpen, readOpen, toggled } from '../../explorer/page/views/map/open-scopes.ts';
import { createMemoryWorld } from '../support/world.ts';

/** What the map draws: levels in pages, marks, and the opened scopes of the address. */
const NOW = Date.parse('2026-03-01T12:00:00Z');
const ISSUER = 'https://login.example.com';

const scope = (ref: string, more: Partial<Scope> = {}): Scope => ({
  ref,
  type: ref.slice(0, ref.indexOf(':')),
  name: ref,
  ancestors: [],
  status: 'active',
  isMoving: false,
  isBeingDeleted: false,
  enterprise: undefined,
  ...more,
});

describe('levels', () => {
  /** Lists of items by command, in pages as long as what is asked for. */
  const lists = (all: Readonly<Record<string, readonly object[]>>) => {
    const asked: string[] = [];
    const pageOf = (source: Source, limit: number) => async (cursor: string | undefined) => {
      asked.push(`${source.command} ${limit}`);
      const from = Number(cursor ?? 0);
      const items = (all[source.command] ?? []).slice(from, from + limit) as readonly Record<
        string,
        unknown
      >[];
      const next = from + limit;
      const isLast = next >= (all[source.command] ?? []).length;
      return { ok: true as const, result: { items, ...(isLast ? {} : { cursor: String(next) }) } };
    };
    return { asked, pageOf };
  };
  const zones = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `z${at}`,
      name: `Zone ${at}`,
      ancestors: ['building:b'],
    }));

  test('the roots are those of every type, locations without a tenant among them', async () => {
    const { asked, pageOf } = lists({
      'tenant.list': [{ id: 't', name: 'T', ancestors: [] }],
      'location.list': [
        { id: 'below', name: 'Below', ancestors: ['tenant:t'] },
        { id: 'own', name: 'Own', ancestors: [] },
      ],
      'scope.list': [{ id: 'c', name: 'Campus', ancestors: [] }],
    });
    const sources = rootSources([
      { name: 'campus', root: true },
      { name: 'room', root: false },
    ]);
    const reply = await levelPages(sources, undefined, pageOf)(undefined);
    expect(reply.ok && reply.result.items.map(({ ref }) => ref)).toEqual([
      'tenant:t',
      'location:own',
      'campus:c',
    ]);
    expect(reply.ok && reply.result.cursor).toBeUndefined();
    expect(asked).toHaveLength(6);
  });

  test('a level goes from one list to the next, a page at a time, and ends', async () => {
    const { pageOf } = lists({
      'zone.list': zones(PAGE + 10),
      'device.list': [{ id: 'd', name: 'Door', ancestors: ['building:b'] }],
    });
    const building = scope('building:b');
    const load = levelPages(childSources(building, []), building, pageOf);
    const first = await load(undefined);
    if (!first.ok) throw new Error('no page');
    expect(first.result.items).toHaveLength(PAGE);
    const second = await load(first.result.cursor);
    if (!second.ok) throw new Error('no page');
    expect(second.result.items.map(({ ref }) => ref).slice(-2)).toEqual(['zone:z59', 'device:d']);
    expect(second.result.cursor).toBeUndefined();
  });

  test('what a building lists of its zones is not in its own level', async () => {
    const { pageOf } = lists({
      'zone.list': [...zones(1), { id: 'deep', name: 'Deep', ancestors: ['zone:z0', 'building:b'] }],
    });
    const building = scope('building:b');
    const reply = await levelPages(childSources(building, []), building, pageOf)(undefined);
    expect(reply.ok && reply.result.items.map(({ ref }) => ref)).toEqual(['zone:z0']);
  });

  test('a page takes a bounded number of reads, however much it passes over', async () => {
    const { asked, pageOf } = lists({
      'location.list': Array.from({ length: 5_000 }, (_, at) => ({ id: `l${at}`, ancestors: ['tenant:t'] })),
    });
    const reply = await levelPages(rootSources([]), undefined, pageOf)(undefined);
    expect(asked).toHaveLength(8);
    expect(reply.ok && reply.result.items).toEqual([]);
    expect(reply.ok && reply.result.cursor).toBeDefined();
  });

  test('a list that fails is an error, not a shorter level', async () => {
    const error = { code: 'throttled', message: 'later', retryable: true } as const;
    const reply = await levelPages(rootSources([]), undefined, () => async () => ({ ok: false, error }))(
      undefined,
    );
    expect(reply).toEqual({ ok: false, error });
  });

  test('anything may be below a scope of an added type', () => {
    const campus = { name: 'campus', root: true };
    expect(childSources(scope('campus:c'), [campus]).map(({ type }) => type)).toEqual([
      ...['location', 'project', 'building', 'zone', 'device', 'workstream', 'campus'],
    ]);
    expect(childSources(scope('device:d'), [])).toEqual([]);
    // A name of every object's, too.
    const named = { ...campus, name: 'constructor' };
    expect(childSources(scope('constructor:c'), [named]).map(({ type }) => type)).toContain('constructor');
    expect(childSources(scope('device:d'), [campus]).map(({ input }) => input)).toEqual([
      { type: 'campus', parent: 'device:d' },
    ]);
  });

  test('a level on one page comes by name, numbers in their order', () => {
    const named = ['Room 10', 'Room 9', 'atrium'].map((name) => scope(`zone:${name}`, { name }));
    expect(inOrder(named, true).map(({ name }) => name)).toEqual(['atrium', 'Room 9', 'Room 10']);
    expect(inOrder(named, false)).toEqual(named);
  });

  test('an item without a name is called by its id', () => {
    expect(scopeOf('zone', { id: 'z' })).toMatchObject({ ref: 'zone:z', name: 'z', status: 'active' });
  });
});

const DAY_ENDS = NOW + 10 * DAY;
const paid = (owner: string, of: string, more: Partial<Entitlement> = {}): Entitlement => ({
  owner,
  of,
  isOpen: true,
  start: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  ...more,
});

describe('what is paid for', () => {
  test.each([
    ['one in force', [paid('a', 'm')], 'covered'],
    ['one that has not begun', [paid('a', 'm', { start: NOW + 1 })], 'none'],
    ['one that ends now', [paid('a', 'm', { end: NOW })], 'over'],
    ['one that begins now', [paid('a', 'm', { start: NOW })], 'covered'],
    ['one whose status is expired', [paid('a', 'm', { isOpen: false })], 'over'],
    ['one in force beside one that is over', [paid('a', 'm', { end: NOW }), paid('a', 'm')], 'covered'],
    ['one of another module', [paid('a', 'other')], 'none'],
  ])('%s', (_, all, state) => {
    expect(coverageOf(all, 'm', NOW).state).toBe(state);
  });

  const entitlements = (more: Partial<Entitlements> = {}): Entitlements => ({
    modules: ['library'],
    subscriptions: new Map(),
    licences: new Map(),
    endingUsers: [],
    unread: [],
    ...more,
  });
  const subscribed = (...all: readonly Entitlement[]) => entitlements({ subscriptions: byOwner(all) });
  const licensed = (...all: readonly Entitlement[]) => entitlements({ modules: [], licences: byOwner(all) });
  const library = (end: number) => paid('tenant:t', 'library', { end });
  const bare = entitlements({ modules: [] });
  const ending = licensed(paid('account:a', 'enterprise:e', { end: DAY_ENDS }));
  const endingUsers = ['a', 'b'].map((name) => ({
    ref: `user:${name}`,
    name,
    tenant: 'tenant:t',
    end: DAY_ENDS,
  }));
  const tenant = scope('tenant:t');
  const below = scope('location:l', { ancestors: ['tenant:t'] });
  const workstream = scope('workstream:w', { ancestors: ['account:a'], enterprise: 'enterprise:e' });

  test.each<[string, Scope, Entitlements | undefined, readonly string[], boolean?]>([
    ['no mark for a module that was never subscribed to', tenant, entitlements(), []],
    ['no mark before it is known', tenant, undefined, []],
    [
      'that a subscription ends soon',
      tenant,
      subscribed(library(DAY_ENDS)),
      ['ending: library ends 2026-03-11'],
    ],
    ['that a subscription is over', tenant, subscribed(library(NOW - 1)), ['unlicensed: library is over']],
    ['nothing of one that ends late', tenant, subscribed(library(NOW + 31 * DAY)), []],
    [
      'nothing where one above lasts longer',
      below,
      subscribed(paid('tenant:t', 'library'), paid('location:l', 'library', { end: DAY_ENDS })),
      [],
    ],
    ['that a workstream has no licence', workstream, licensed(), ['unlicensed: no licence']],
    [
      'that its account has one for another enterprise',
      workstream,
      licensed(paid('account:a', 'enterprise:other')),
      ['unlicensed: no licence'],
    ],
    ['nothing of a licence', workstream, licensed(paid('account:a', 'enterprise:e')), []],
    ['that a licence ends', workstream, ending, ['ending: licence ends 2026-03-11']],
    ['that licences of an account end', scope('account:a'), ending, ['ending: 1 licence ends soon']],
    [
      'nothing of one that is over where not all were read',
      tenant,
      { ...subscribed(library(NOW - 1)), unread: ['subscriptions'] },
      [],
    ],
    [
      'that one is over where all subscriptions were read, and not all licences',
      tenant,
      { ...subscribed(library(NOW - 1)), unread: ['licences'] },
      ['unlicensed: library is over'],
    ],
    [
      'nothing of a licence that is over where not all were read',
      workstream,
      { ...licensed(paid('account:a', 'enterprise:e', { end: NOW })), unread: ['licences'] },
      [],
    ],
    [
      'that there is no licence where all were read, and not all subscriptions',
      workstream,
      { ...licensed(), unread: ['subscriptions'] },
      ['unlicensed: no licence'],
    ],
    ['that it is not active', scope('tenant:t', { status: 'suspended' }), bare, ['suspended: suspended']],
    ['that one above is not', below, bare, ['closed: closed above'], true],
    ['that users end', tenant, entitlements({ modules: [], endingUsers }), ['ending: 2 users end soon']],
  ])('says %s', (_, of, known, expected, isClosed = false) => {
    expect(marksOf(of, isClosed, known, NOW).map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected);
  });
});

test('a membership is marked while nobody who gives it says that the person is active', async () => {
  const world = createMemoryWorld();
  await world.apply(`
scopes:
  acme: { id: acme, type: tenant }
groups:
  staff: { id: staff, scope: acme, allowOnly: true }
users:
  ann: { id: ann, email: ann@acme.example }
`);
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  await world.run('scim-connection.create', { id: 'c', scope: 'tenant:acme', name: 'c', issuer: ISSUER });
  await world.run('external-group.create', {
    scope: 'tenant:acme',
    issuer: ISSUER,
    externalId: 'x',
    group: 'staff',
  });
  const { group } = await world.run('scim-group.create', {
    connection: 'c',
    displayName: 'staff',
    externalId: 'x',
  });
  const user = { connection: 'c', user: 'ann' };
  await world.run('scim-user.create', { connection: 'c', userName: 'ann', email: 'ann@acme.example' });
  await world.run('scim-group.members', { connection: 'c', group, add: ['ann'] });
  const marks = async () => {
    const { items } = await world.run('membership.list', { group });
    return (items as readonly Item[]).flatMap(membershipMarks);
  };
  expect(await marks()).toEqual([]);
  await world.run('scim-user.update', { ...user, active: false });
  expect(await marks()).toEqual([{ kind: 'suspended', text: 'suspended', title: 'not active in c' }]);
  await world.run('membership.create', { user: 'ann', group });
  expect(await marks()).toEqual([]);
});

describe('the opened scopes of the address', () => {
  test('they are read as they are written, each once', () => {
    expect(readOpen(formatOpen(['tenant:t', 'location:l', 'tenant:t']))).toEqual(['tenant:t', 'location:l']);
    expect(readOpen('nonsense,,tenant:t')).toEqual(['tenant:t']);
  });

  test('none is not the same as not said', () => {
    expect(formatOpen([])).toBe('none');
    expect(readOpen('none')).toEqual([]);
  });

  test('those opened first are closed when there are too many', () => {
    const many = Array.from({ length: 60 }, (_, at) => `zone:${at}`);
    expect(readOpen(formatOpen(many))).toEqual(many.slice(20));
  });

  test('one is opened and closed', () => {
    expect(toggled(['zone:a'], 'zone:b')).toEqual(['zone:a', 'zone:b']);
    expect(toggled(['zone:a', 'zone:b'], 'zone:a')).toEqual(['zone:b']);
  });
});
