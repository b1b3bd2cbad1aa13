import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Edge } from '../../provisioning/edges/edge.ts';
import {
  admin,
  assignment,
  globalRole,
  groupRole,
  membership,
  role,
  rolePermission,
  tenantGrant,
} from '../../provisioning/edges/rights.ts';
import { changeEntries, createEntries, removeEntries } from '../../provisioning/kinds/entries.ts';
import {
  decodeGlobal,
  decodePermission,
  decodeScope,
  decodeStamp,
  decodeSubject,
} from '../../table/decision/decode.ts';
import { decodeCredential } from '../../table/decision/decode-credentials.ts';
import { changesEntries, entryChanges } from '../../table/decision/entries.ts';
import { createKnownSplits, noteSplits } from '../../table/decision/split.ts';
import { changeApiRevision, newGlobal, removeGroupRoles, stamped } from '../../table/decision/writes.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  apiRevisionKey,
  decisionKey,
  globalKey,
  guardKey,
  type Key,
  nodeKey,
  permissionRef,
  tenantEffectsKey,
} from '../../table/keys.ts';
import type { PermissionName } from '../../table/permission-name.ts';
import type { Action, Update } from '../../table/write/action.ts';
import { scopeItem } from '../engine/items.ts';
import fc from '../support/fast-check.ts';
import { createWorld } from '../support/world.ts';
import { refusalOf } from './support.ts';

const added = (edge: Edge) => entryChanges([], edge.entries);
const changed = (before: Edge, after: Edge) => entryChanges(before.entries, after.entries);
const nodeOf = (ref: Ref, attributes: object) => ({ ref, item: { ...nodeKey(ref), ...attributes } as Item });
const created = (ref: Ref, attributes: object) => createEntries(nodeOf(ref, attributes));
const updated = (ref: Ref, before: object, after: object) =>
  changeEntries(nodeOf(ref, before), nodeOf(ref, after).item);
const deleted = (ref: Ref, attributes: object) => removeEntries(nodeOf(ref, attributes));
const removed = (edge: Edge) => entryChanges(edge.entries, []);

/** What is written into decision items comes out of them as facts, through a real DynamoDB engine. */
const world = await createWorld();
const fresh = (type: string): Ref => ({ type, id: ulid() });
const send = (...actions: readonly Action[]) =>
  world.writer.send(stamped(actions, { writtenAt: world.clock.now(), writeId: ulid() }));

async function read(key: Key): Promise<Item> {
  const item = await world.reader.get(key);
  if (!item) throw new Error(`there is no ${key.PK} / ${key.SK}`);
  return item;
}

/** The members of a set come in no order. */
const sorted = (sets: ReadonlyMap<string, readonly string[]>) =>
  new Map([...sets].map(([name, members]) => [name, [...members].sort()]));

const PLACE = 'location:1';
const [START, END] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
const FOREVER = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

describe('a subject', () => {
  const NOBODY = {
    active: true,
    endsAt: Number.POSITIVE_INFINITY,
    isAdmin: false,
    groups: [],
    globalRoles: [],
    grants: new Map(),
    assignments: new Map(),
  };
  const decoded = async (user: Ref) => {
    const { active, endsAt, isAdmin, groups, globalRoles, grants, assignments } = decodeSubject(
      await read(decisionKey(user)),
    );
    // One by one: of who is nothing out of the ordinary only the groups are the object's own.
    return {
      active,
      endsAt,
      isAdmin,
      globalRoles,
      assignments,
      groups: [...groups].sort(),
      grants: sorted(grants),
    };
  };

  test('begins with nothing', async () => {
    const [ann, bob] = [fresh('user'), fresh('user')];
    await send(...created(ann, { status: 'active' }), ...created(bob, { status: 'disabled', endsAt: END }));
    expect(await decoded(ann)).toEqual(NOBODY);
    expect(await decoded(bob)).toEqual({ ...NOBODY, active: false, endsAt: Date.parse(END) });
  });

  test('gains and loses what each change says, and nothing else', async () => {
    const ann = fresh('user');
    const [here, there] = ['location:1', 'tenant:2'];
    await send(...created(ann, { status: 'active' }));
    const user = ann.id;
    const inGroup = (id: string) => membership({ user, group: id, scope: PLACE, joinedAt: START });
    const everywhere = globalRole({ user, role: 'r1' });
    const granted = (...roles: string[]) =>
      tenantGrant({ id: 'g', user, scope: there, roles, joinedAt: START });
    const assigned = (startsAt?: string, endsAt?: string) =>
      assignment({ id: 'a', user, scope: here, role: 'r1', startsAt, endsAt });
    const [active, ended] = [{ status: 'active' }, { status: 'disabled', endsAt: END }];
    const steps: readonly (readonly [actions: readonly Action[], expected: object])[] = [
      [added(inGroup('g1')), { groups: ['g1'] }],
      [added(inGroup('g2')), { groups: ['g1', 'g2'] }],
      [added(inGroup('g2')), { groups: ['g1', 'g2'] }],
      [added(everywhere), { groups: ['g1', 'g2'], globalRoles: ['r1'] }],
      [removed(inGroup('g1')), { groups: ['g2'], globalRoles: ['r1'] }],
      [removed(everywhere), { groups: ['g2'] }],
      [removed(inGroup('g2')), {}],
      [removed(inGroup('g2')), {}],
      [added(granted('r1', 'r2')), { grants: new Map([[there, ['r1', 'r2']]]) }],
      [changed(granted('r1', 'r2'), granted('r2')), { grants: new Map([[there, ['r2']]]) }],
      [changed(granted('r2'), granted()), {}],
      [
        added(assigned(START, END)),
        { assignments: new Map([[here, [{ role: 'r1', start: Date.parse(START), end: Date.parse(END) }]]]) },
      ],
      [
        changed(assigned(START, END), assigned(undefined, END)),
        { assignments: new Map([[here, [{ ...FOREVER, role: 'r1', end: Date.parse(END) }]]]) },
      ],
      [
        changed(assigned(undefined, END), assigned(START)),
        { assignments: new Map([[here, [{ ...FOREVER, role: 'r1', start: Date.parse(START) }]]]) },
      ],
      [
        changed(assigned(START), assigned()),
        { assignments: new Map([[here, [{ role: 'r1', ...FOREVER }]]]) },
      ],
      [removed(assigned()), {}],
      [added(admin({ user })), { isAdmin: true }],
      [removed(admin({ user })), {}],
      [updated(ann, active, ended), { active: false, endsAt: Date.parse(END) }],
      [updated(ann, ended, active), {}],
      [updated(ann, active, { ...active, deletingSince: START }), { active: false }],
    ];
    for (const [actions, expected] of steps) {
      await send(...actions);
      expect(await decoded(ann)).toEqual({ ...NOBODY, ...expected });
    }
  });

  test('holds several assignments at one scope', async () => {
    const ann = fresh('user');
    await send(...created(ann, { status: 'active' }));
    for (const role of ['r1', 'r2'])
      await send(...added(assignment({ id: role, user: ann.id, scope: PLACE, role })));
    const { assignments } = await decoded(ann);
    expect(new Set(assignments.get('location:1')?.map(({ role }) => role))).toEqual(new Set(['r1', 'r2']));
  });

  test('cannot be changed before it exists, so nothing is granted to nobody', async () => {
    const nobody = fresh('user');
    expect(await refusalOf(() => send(...added(admin({ user: nobody.id }))))).toMatchObject({
      code: 'not_found',
    });
    expect(await world.reader.get(decisionKey(nobody))).toBeUndefined();
  });

  test('cannot begin twice', async () => {
    const ann = fresh('user');
    await send(...created(ann, { status: 'disabled' }));
    const again = created(ann, { status: 'active' });
    expect(await refusalOf(() => send(...again))).toMatchObject({ code: 'conflict', field: 'id' });
    expect(await decoded(ann)).toMatchObject({ active: false });
  });
});

test('a scope', async () => {
  const place = fresh('location');
  const [parent, root] = [formatRef(fresh('location')), formatRef(fresh('tenant'))];
  const decoded = async () => decodeScope(formatRef(place), await read(decisionKey(place)));
  const first = { status: 'active', combination: 'deny-overrides', ancestors: [parent, root] };
  await send(...created(place, first));
  const bare = scopeItem(formatRef(place), { ancestors: [parent, root], combination: 'deny-overrides' });
  expect(await decoded()).toEqual(bare);
  const carried = (id: string, role: string) =>
    groupRole({ group: id, role, scope: formatRef(place), assignedAt: START });
  for (const each of [carried('g1', 'r1'), carried('g1', 'r2'), carried('g2', 'r1')])
    await send(...added(each));
  expect(sorted((await decoded()).groups)).toEqual(
    new Map([
      ['g1', ['r1', 'r2']],
      ['g2', ['r1']],
    ]),
  );
  await send(...removed(carried('g2', 'r1')));
  const second = { ...first, status: 'suspended', combination: 'allow-overrides' };
  const steps = [
    first,
    second,
    { ...second, properties: { status: 'archived', levels: [1, 2] } },
    { ...second, properties: { levels: [3] } },
    second,
  ];
  const step = (n: number) => send(...updated(place, steps[n - 1] ?? {}, steps[n] ?? {}));
  for (const n of [1, 2, 3]) await step(n);
  const { groups, ...others } = await decoded();
  expect({ ...others, groups: sorted(groups) }).toEqual({
    ...bare,
    active: false,
    combination: 'allow-overrides',
    groups: new Map([['g1', ['r1', 'r2']]]),
    properties: { levels: [3] },
  });
  await step(4);
  expect(await read(decisionKey(place))).not.toHaveProperty('properties');
});

test('a scope lists what it is entitled to, its groups, and what a role of its own refuses', async () => {
  const account = fresh('account');
  const item = async () => decodeScope(formatRef(account), await read(decisionKey(account)));
  await send(...created(account, { status: 'active', ancestors: [] }));
  const scope = formatRef(account);
  const denied = { role: 'r1', permission: 'dashboard', effect: 'DENY', roleScope: scope } as const;
  const nodes: readonly (readonly [ref: Ref, attributes: object])[] = [
    [
      { type: 'subscription', id: 's1' },
      { scope, module: 'hvac', status: 'trial', startDate: START, endDate: END },
    ],
    [
      { type: 'license', id: 'l1' },
      { account: scope, enterprise: 'enterprise:e', status: 'active', endDate: END },
    ],
  ];
  const changes = [
    ...nodes.flatMap(([ref, attributes]) => created(ref, attributes)),
    ...added(groupRole({ group: 'g1', role: 'r1', scope, assignedAt: START })),
    ...added(rolePermission(denied)),
    // Noted once, and for good.
    ...removed(rolePermission(denied)),
  ];
  for (const each of changes) await send(each);
  const end = Date.parse(END);
  expect(await item()).toMatchObject({
    subscriptions: new Map([['hvac', [{ start: Date.parse(START), end }]]]),
    licenses: new Map([['enterprise:e', [{ start: Number.NEGATIVE_INFINITY, end }]]]),
    groups: new Map([['g1', ['r1']]]),
    denials: new Set(['dashboard']),
  });
  const [subscription, license] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  const [ref, attributes] = subscription;
  for (const each of [
    ...updated(ref, attributes, { ...attributes, status: 'expired' }),
    ...deleted(...license),
    removeGroupRoles(account, 'g1'),
  ])
    await send(each);
  const none = { subscriptions: new Map(), licenses: new Map(), groups: new Map() };
  expect(await item()).toMatchObject(none);
});

test('a credential', async () => {
  const token = fresh('token');
  const item = async () => decodeCredential(await read(decisionKey(token)));
  const ann = formatRef(fresh('user'));
  const issued = { user: ann, hash: 'abc', revoked: false, expiresAt: END };
  await send(...created(token, issued));
  const active = { subject: ann, hash: 'abc', active: true, endsAt: Date.parse(END) };
  expect(await item()).toEqual(active);
  expect(await read(decisionKey(token))).toMatchObject({ ttl: Date.parse(END) / 1_000 });
  await send(...updated(token, issued, { ...issued, revoked: true }));
  expect(await item()).toEqual({ ...active, active: false });
});

test('what holds everywhere begins once, and lists the modules that are sold', async () => {
  const { writer, reader } = await createWorld();
  const sendThere = (...actions: readonly Action[]) =>
    writer.send(stamped(actions, { writtenAt: 1, writeId: 'w' }));
  const sold = { soldBySubscription: true };
  const moduleOf = (id: string): Ref => ({ type: 'module', id });
  const item = async () => decodeGlobal((await reader.get(globalKey())) as Item);
  await sendThere(newGlobal());
  expect(await item()).toEqual({ roles: new Map(), soldModules: new Set(), declarations: new Map() });
  for (const id of ['hvac', 'lifts']) await sendThere(...created(moduleOf(id), sold));
  expect(created(moduleOf('free'), {})).toEqual([]);
  await sendThere(...updated(moduleOf('hvac'), sold, {}));
  expect((await item()).soldModules).toEqual(new Set(['lifts']));
  const stored = { type: 'string', source: 'stored' } as const;
  const property = { type: 'property', id: 'any' };
  const passed = { of: 'context', name: 'reason', type: 'string', source: 'passed' };
  await sendThere(...created(property, { of: 'subject:user', name: 'department', ...stored }));
  await sendThere(...created(property, passed));
  await sendThere(...deleted(property, passed));
  const declarations = new Map([['subject:user', new Map([['department', stored]])]]);
  expect((await item()).declarations).toEqual(declarations);
  expect(await refusalOf(() => sendThere(newGlobal()))).toMatchObject({ code: 'stale' });
});

test('a permission is registered or not, of a module or of none, and has effects of several roles', async () => {
  const name: PermissionName = { kind: 'page', text: ulid() };
  const page = permissionRef(name);
  const item = async () => decodePermission(await read(decisionKey(permissionRef(name))));
  const effect = (role: string, of: 'ALLOW' | 'DENY', when?: string) =>
    rolePermission({ role, permission: name.text, effect: of, when, roleScope: 'global' });
  const ofModule = { module: 'hvac' };
  await send(...created(page, ofModule));
  await send(...added(effect('r1', 'ALLOW')));
  await send(...added(effect('r2', 'DENY')));
  await send(...added(effect('r3', 'ALLOW', 'subject.id == resource.id')));
  const conditional = new Map([['r3', { effect: 'ALLOW', when: 'subject.id == resource.id' }]]);
  const registered = { registered: true, allow: new Set(['r1']), deny: new Set(['r2']), conditional };
  expect(await item()).toEqual({ ...registered, module: 'hvac' });
  await send(...updated(page, ofModule, {}));
  expect(await item()).toEqual({ ...registered, module: undefined });
  await send(...updated(page, {}, { deletingSince: START }));
  expect((await item()).registered).toBe(false);
});

test.each([
  ['global roles', undefined],
  ['roles that a root owns', fresh('tenant')],
])('%s', async (_what, owner) => {
  if (owner)
    await send(...created(owner, { status: 'active', combination: 'allow-overrides', ancestors: [] }));
  const roles = async () =>
    owner
      ? decodeScope(formatRef(owner), await read(decisionKey(owner))).roles
      : decodeGlobal(await read(globalKey())).roles;
  const roleScope = owner ? formatRef(owner) : 'global';
  await send(...created(role('r1'), { scope: roleScope }));
  await send(...created(role('r2'), { scope: roleScope, parent: 'r1' }));
  const holding = (permission: string, effect: 'ALLOW' | 'DENY', when?: string) =>
    rolePermission({ role: 'r2', permission, effect, when, roleScope });
  await send(...added(holding('a:*:*', 'ALLOW')));
  await send(...changed(holding('a:*:*', 'ALLOW'), holding('a:*:*', 'DENY')));
  await send(...added(holding('*:*:*', 'ALLOW', 'has(context.reason)')));
  const r1 = { parent: undefined, patterns: new Map() };
  const patterns = new Map<string, unknown>([
    ['a:*:*', 'DENY'],
    ['*:*:*', { effect: 'ALLOW', when: 'has(context.reason)' }],
  ]);
  expect(await roles()).toEqual(new Map(Object.entries({ r1, r2: { parent: 'r1', patterns } })));
  await send(...removed(holding('*:*:*', 'ALLOW', 'has(context.reason)')));
  await send(...deleted(role('r1'), { scope: roleScope }));
  expect(await roles()).toEqual(new Map([['r2', { parent: 'r1', patterns: new Map([['a:*:*', 'DENY']]) }]]));
});

test('roles of a root that are folded', async () => {
  const owner = fresh('tenant');
  const key = decisionKey(owner);
  await send(...created(owner, { status: 'active', combination: 'allow-overrides', ancestors: [] }));
  await send({ kind: 'update', key, set: { roleTable: 'folded', v: 2 } });
  const splits = createKnownSplits();
  const sendFolded = async (...actions: readonly Action[]) => {
    noteSplits(splits, key, await read(key));
    await world.writer.send(stamped(actions, { writtenAt: world.clock.now(), writeId: ulid() }, splits));
  };
  const scope = formatRef(owner);
  const holding = (role: string, permission: string, effect: 'ALLOW' | 'DENY', when?: string) =>
    rolePermission({ role, permission, effect, when, roleScope: scope });
  const root = async () => decodeScope(formatRef(owner), await read(key));
  expect(await refusalOf(() => send(...created(role('r1'), { scope })))).toMatchObject({ code: 'stale' });
  await sendFolded(...created(role('r1'), { scope }));
  expect(await root()).toMatchObject({ roles: new Map(), closing: new Set() });
  const heir = { scope, parent: 'global' };
  await sendFolded(...created(role('r2'), { scope, parent: 'r1' }));
  await sendFolded(...updated(role('r2'), { scope, parent: 'r1' }, heir));
  await sendFolded(...added(holding('r2', 'a:*:*', 'ALLOW')));
  await sendFolded(...changed(holding('r2', 'a:*:*', 'ALLOW'), holding('r2', 'a:*:*', 'DENY')));
  await sendFolded(...added(holding('r3', 'a:*:*', 'ALLOW')));
  const [always, sometimes] = [holding('r2', '*:*:*', 'ALLOW'), holding('r2', '*:*:*', 'ALLOW', 'true')];
  await sendFolded(...added(always));
  await sendFolded(...changed(always, sometimes));
  const conditional = { effect: 'ALLOW', when: 'true' };
  const r2 = {
    parent: 'global',
    patterns: new Map<string, unknown>([
      ['a:*:*', 'DENY'],
      ['*:*:*', conditional],
    ]),
  };
  const r3 = { parent: undefined, patterns: new Map([['a:*:*', 'ALLOW']]) };
  expect((await root()).roles).toEqual(new Map(Object.entries({ r2, r3 })));
  await sendFolded(...changed(sometimes, always));
  const closing = { ...heir, deletingSince: START };
  await sendFolded(...updated(role('r2'), heir, closing));
  expect(await root()).toMatchObject({ roles: new Map([['r3', r3]]), closing: new Set(['r2']) });
  for (const each of [holding('r2', 'a:*:*', 'DENY'), always]) await sendFolded(...removed(each));
  await sendFolded(...deleted(role('r2'), closing));
  await sendFolded(...removed(holding('r3', 'a:*:*', 'ALLOW')));
  const { writtenAt: _, writeId: __, ...bare } = await read(key);
  expect(bare).toMatchObject({ roleTable: 'folded', v: 2 });
  expect(Object.keys(bare).filter((name) => /closing|\|/.test(name))).toEqual([]);
});

test('effects on a permission: one role has one effect, whatever the order of the changes', async () => {
  const step = fc.tuple(
    fc.constantFrom('r1', 'r2', 'r3'),
    fc.constantFrom('ALLOW' as const, 'DENY' as const, undefined),
    fc.constantFrom(undefined, 'true', 'false'),
  );
  const tenant = fresh('tenant');
  await send(...created(tenant, { status: 'active', ancestors: [] }));
  const owner = fc.constantFrom(undefined, tenant);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), owner, async (steps, root) => {
      const name: PermissionName = { kind: 'page', text: ulid() };
      const expected = new Map<string, { effect: 'ALLOW' | 'DENY'; when: string | undefined }>();
      await send(...created(permissionRef(name), {}));
      if (root) await send({ kind: 'update', key: tenantEffectsKey(root, name), set: { registered: true } });
      const saidOf = (role: string) => {
        const said = expected.get(role);
        const roleScope = root ? formatRef(root) : 'global';
        return said ? rolePermission({ role, permission: name.text, ...said, roleScope }).entries : [];
      };
      for (const [role, effect, when] of steps) {
        const before = saidOf(role);
        if (effect) expected.set(role, { effect, when });
        else expected.delete(role);
        const changes = entryChanges(before, saidOf(role)).filter(changesEntries);
        if (changes.length > 0) await send(...changes);
      }
      const item = await read(root ? tenantEffectsKey(root, name) : decisionKey(permissionRef(name)));
      const having = (effect: string) =>
        new Set(
          [...expected].flatMap(([role, each]) =>
            each.effect === effect && each.when === undefined ? [role] : [],
          ),
        );
      expect(decodePermission(item)).toEqual({
        registered: true,
        allow: having('ALLOW'),
        deny: having('DENY'),
        conditional: new Map([...expected].filter(([, { when }]) => when !== undefined)),
      });
    }),
    { numRuns: 20 },
  );
});

test('each change stamps the item with the time of its sending, and with an id of its own', async () => {
  const ann = fresh('user');
  const stamp = async () => decodeStamp(await read(decisionKey(ann)));
  await send(...created(ann, { status: 'active' }));
  const first = await stamp();
  expect(first.writtenAt).toBe(world.clock.now());
  const inGroup = (group: string) => membership({ user: ann.id, group, scope: PLACE, joinedAt: START });
  await send(...added(inGroup('g')));
  const second = await stamp();
  expect(second.writtenAt).toBe(first.writtenAt);
  expect(second.writeId).not.toBe(first.writeId);
  world.clock.advance(1);
  await send(...added(inGroup('h')));
  expect((await stamp()).writtenAt).toBe(world.clock.now());
});

describe('a stamp', () => {
  const STAMP = { writtenAt: 5, writeId: 'w' };
  const [ann, name] = [fresh('user'), { kind: 'page', text: 'dashboard' } as const];
  const one = (action: Action) => stamped([action], STAMP)[0];

  test.each([
    ['decision items', decisionKey(ann)],
    ['effects under a root', tenantEffectsKey(fresh('tenant'), name)],
    ['guards', guardKey('EMAIL', 'ann@example.org')],
    ["APIs' revisions", apiRevisionKey('api')],
  ])('is on what is written of %s, and on nothing else', (_, key) => {
    expect(one({ kind: 'put', item: { ...key, a: 1 } })).toMatchObject({
      kind: 'put',
      item: { ...key, a: 1, v: 1, ...STAMP },
    });
    const set = { a: 1 };
    expect(one({ kind: 'update', key, set })).toMatchObject({
      key,
      set: { a: 1, ...STAMP },
      initial: { v: 1 },
    });
    const deletion = { kind: 'delete', key } as const;
    expect(one(deletion)).toMatchObject(deletion);
  });

  test.each([
    ['a node', { PK: 'USER#1', SK: 'META' }],
    ['what is no key of ours', { PK: 'x', SK: 'y' }],
  ])('is not on %s, which says its form only', (_, key) => {
    const sent = one({ kind: 'put', item: { ...key, a: 1 } } as const);
    expect(sent).toMatchObject({ kind: 'put' });
    expect((sent as { item: unknown }).item).toEqual({ ...key, a: 1, v: 1 });
  });

  test('is all that a change of an API writes', () => {
    const { key, set } = changeApiRevision('api') as Update;
    expect(key).toEqual(apiRevisionKey('api'));
    expect(set).toEqual({ Type: 'Decision' });
  });
});
