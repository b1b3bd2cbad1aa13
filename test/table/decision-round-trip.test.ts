import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Edge } from '../../provisioning/edges/edge.ts';
import { admin, groupRole, membership, role, rolePermission } from '../../provisioning/edges/rights.ts';
import { changeEntries, createEntries, removeEntries } from '../../provisioning/kinds/entries.ts';
import { decodeGlobal, decodeScope, decodeStamp, decodeSubject } from '../../table/decision/decode.ts';
import { decodeCredential } from '../../table/decision/decode-credentials.ts';
import { entryChanges } from '../../table/decision/entries.ts';
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
  tenantEffectsKey,
} from '../../table/keys.ts';
import type { Action, Update } from '../../table/write/action.ts';
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

/**
 * What is written into decision items comes out of them as facts, through a real DynamoDB engine. Of all that commands write:
 * proof/oracle.
 */
const world = await createWorld();
const fresh = (type: string): Ref => ({ type, id: ulid() });
const send = (...actions: readonly Action[]) =>
  world.writer.send(stamped(actions, { writtenAt: world.clock.now(), writeId: ulid() }));

async function read(key: Key): Promise<Item> {
  const item = await world.reader.get(key);
  if (!item) throw new Error(`there is no ${key.PK} / ${key.SK}`);
  return item;
}

const PLACE = 'location:1';
const [START, END] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];

describe('a subject', () => {
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
    expect(decodeSubject(await read(decisionKey(ann)))).toMatchObject({ active: false });
  });
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

test('what holds everywhere begins once', async () => {
  const { writer, reader } = await createWorld();
  const begin = () => writer.send(stamped([newGlobal()], { writtenAt: 1, writeId: 'w' }));
  await begin();
  const nothing = { roles: new Map(), soldModules: new Set(), declarations: new Map() };
  expect(decodeGlobal((await reader.get(globalKey())) as Item)).toEqual(nothing);
  expect(await refusalOf(begin)).toMatchObject({ code: 'stale' });
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
