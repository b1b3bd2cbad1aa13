import { describe, expect, test } from 'vitest';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import type { Ref } from '../../table/identifiers.ts';
import {
  ANY_TENANT,
  apiRef,
  apiRevisionKey,
  decisionKey,
  edgeKey,
  edgePrefix,
  GLOBAL,
  globalKey,
  guardKey,
  type Key,
  keyPrefix,
  LOG_SHARDS,
  listPartition,
  logKey,
  logPartition,
  mandateUsesKey,
  nodeKey,
  operationKey,
  parseKey,
  partitionOf,
  permissionRef,
  shardOf,
  tenantEffectsKey,
  wideEdgeKey,
} from '../../table/keys.ts';
import type { PermissionName } from '../../table/permission-name.ts';
import { ID, OTHER_ID, refusalNow, UNSAFE_TEXT, UUID } from './support.ts';

const user: Ref = { type: 'user', id: ID };
const technicalUser: Ref = { type: 'technical-user', id: UUID };
const location: Ref = { type: 'location', id: OTHER_ID };
const role: Ref = { type: 'role', id: ID };
const tenant: Ref = { type: 'tenant', id: OTHER_ID };
const page: PermissionName = { kind: 'page', text: 'dashboard' };
const permission: PermissionName = { kind: 'permission', text: 'reports:read:monthly' };
const TIME = '2026-01-15T12:00:00.000Z';

describe('every key, as it stands in the table', () => {
  const GOLDEN: readonly (readonly [what: string, key: Key, PK: string, SK: string])[] = [
    ['node', nodeKey(user), `USER#${ID}`, 'META'],
    ['node of two words', nodeKey(technicalUser), `TECHNICAL_USER#${UUID}`, 'META'],
    ['page', nodeKey(permissionRef(page)), 'PAGE#dashboard', 'META'],
    ['permission', nodeKey(permissionRef(permission)), 'PERMISSION#reports:read:monthly', 'META'],
    ['edge', edgeKey(user, location), `USER#${ID}`, `LOCATION#${OTHER_ID}`],
    ['its mirror', edgeKey(location, user), `LOCATION#${OTHER_ID}`, `USER#${ID}`],
    ['revision of an API', apiRevisionKey('default'), 'API#default', 'DECISION'],
    ['edge of an API', edgeKey(apiRef('default'), { type: 'route', id: ID }), 'API#default', `ROUTE#${ID}`],
    ['edge of an administrator', edgeKey(GLOBAL, user), 'GLOBAL#GATEHOUSE', `USER#${ID}`],
    ['role for any tenant', edgeKey(ANY_TENANT, role), 'GLOBAL#ANY_TENANT', `ROLE#${ID}`],
    [
      'wide edge',
      wideEdgeKey(user, 'assignment', location, role),
      `USER#${ID}`,
      `ASSIGNMENT#LOCATION#${OTHER_ID}#ROLE#${ID}`,
    ],
    ['wide edge to one', wideEdgeKey(role, 'grant-role', user), `ROLE#${ID}`, `GRANT_ROLE#USER#${ID}`],
    ['guard', guardKey('EMAIL', 'ann@example.com'), 'EMAIL#ann@example.com', 'META'],
    [
      'guard within a scope',
      guardKey('ROLE_NAME', 'the clerk', `tenant:${OTHER_ID}`),
      `ROLE_NAME#tenant:${OTHER_ID}#the clerk`,
      'META',
    ],
    ['decision item of a user', decisionKey(user), `USER#${ID}`, 'DECISION'],
    ['decision item of a page', decisionKey(permissionRef(page)), 'PAGE#dashboard', 'DECISION'],
    ['decision item of the global roles', globalKey(), 'GLOBAL#GATEHOUSE', 'DECISION'],
    ['tenant effects', tenantEffectsKey(tenant, page), `TENANT#${OTHER_ID}`, 'DECISION#PAGE#dashboard'],
    [
      'tenant effects on a permission',
      tenantEffectsKey(tenant, permission),
      `TENANT#${OTHER_ID}`,
      'DECISION#PERMISSION#reports:read:monthly',
    ],
    ['operation', operationKey('op-1'), 'OPERATION#op-1', 'META'],
    ['uses of a mandate', mandateUsesKey('m-1'), 'OPERATION#MANDATE#m-1', 'META'],
    ['log of a tenant', logKey(tenant, TIME, ID), `AUDIT#TENANT#${OTHER_ID}#2`, `${TIME}#${ID}`],
    ['log of no tenant', logKey(undefined, TIME, ID), 'AUDIT#GLOBAL#2', `${TIME}#${ID}`],
  ];

  test.each(GOLDEN)('%s', (_what, key, PK, SK) => {
    expect(key).toEqual({ PK, SK });
  });

  test('no two of them are one item', () => {
    const identities = GOLDEN.map(([, { PK, SK }]) => `${PK}\n${SK}`);
    expect(new Set(identities).size).toBe(identities.length);
  });

  test('partitions for Query', () => {
    expect(partitionOf(technicalUser)).toBe(`TECHNICAL_USER#${UUID}`);
    expect(logPartition(tenant, 0)).toBe(`AUDIT#TENANT#${OTHER_ID}#0`);
    expect(logPartition(undefined, 3)).toBe('AUDIT#GLOBAL#3');
    expect(listPartition('technical-user', 12)).toBe('LIST#TECHNICAL_USER#12');
  });
});

describe('prefixes of sort keys', () => {
  const CHILDREN: readonly (readonly [what: string, key: Key])[] = [
    ['a role', edgeKey(user, role)],
    ['a role template', edgeKey(user, { type: 'role-template', id: ID })],
    ['an assignment of a role', wideEdgeKey(user, 'assignment', location, role)],
    ['an assignment of another role', wideEdgeKey(user, 'assignment', location, { type: 'role', id: UUID })],
    ['an assignment elsewhere', wideEdgeKey(user, 'assignment', { type: 'location', id: UUID }, role)],
    ['a wide edge whose kind begins alike', wideEdgeKey(user, 'assignment-history', location, role)],
    ['a location', edgeKey(user, location)],
    ['a location of which the id begins alike', edgeKey(user, { type: 'location', id: `${OTHER_ID}9` })],
    ['its own node', nodeKey(user)],
    ['its decision item', decisionKey(user)],
    ['effects of its own roles', tenantEffectsKey(user, page)],
  ];
  const found = (prefix: string) =>
    CHILDREN.filter(([, { SK }]) => SK.startsWith(prefix)).map(([what]) => what);

  test.each([
    ['roles', edgePrefix('role'), ['a role']],
    ['locations', edgePrefix('location'), ['a location', 'a location of which the id begins alike']],
    [
      'assignments',
      edgePrefix('assignment'),
      ['an assignment of a role', 'an assignment of another role', 'an assignment elsewhere'],
    ],
    [
      'assignments at one location',
      edgePrefix('assignment', location),
      ['an assignment of a role', 'an assignment of another role'],
    ],
  ])('%s are found, and nothing that begins alike', (_what, prefix, expected) => {
    expect(found(prefix)).toEqual(expected);
  });
});

describe('the last line of defence', () => {
  const BUILDERS: readonly (readonly [what: string, build: (text: string) => unknown])[] = [
    ['nodeKey', (id) => nodeKey({ type: 'user', id })],
    ['nodeKey, type', (type) => nodeKey({ type, id: ID })],
    ['partitionOf', (id) => partitionOf({ type: 'user', id })],
    ['edgeKey, from', (id) => edgeKey({ type: 'user', id }, location)],
    ['edgeKey, to', (id) => edgeKey(user, { type: 'location', id })],
    ['wideEdgeKey, from', (id) => wideEdgeKey({ type: 'user', id }, 'assignment', location)],
    ['wideEdgeKey, kind', (kind) => wideEdgeKey(user, kind, location)],
    ['wideEdgeKey, to', (id) => wideEdgeKey(user, 'assignment', location, { type: 'role', id })],
    ['edgePrefix', (type) => edgePrefix(type)],
    ['edgePrefix, to', (id) => edgePrefix('assignment', { type: 'location', id })],
    ['guardKey', (value) => guardKey('EMAIL', value)],
    ['guardKey, kind', (kind) => guardKey(kind, 'x')],
    ['guardKey, within', (within) => guardKey('ROLE_NAME', 'x', within)],
    ['decisionKey', (id) => decisionKey({ type: 'user', id })],
    ['tenantEffectsKey, owner', (id) => tenantEffectsKey({ type: 'tenant', id }, page)],
    ['tenantEffectsKey, permission', (text) => tenantEffectsKey(tenant, { kind: 'page', text })],
    ['operationKey', (id) => operationKey(id)],
    ['mandateUsesKey', (id) => mandateUsesKey(id)],
    ['logPartition', (id) => logPartition({ type: 'tenant', id }, 0)],
    ['logKey, owner', (id) => logKey({ type: 'tenant', id }, TIME, ID)],
    ['logKey, time', (time) => logKey(tenant, time, ID)],
    ['logKey, id', (id) => logKey(tenant, TIME, id)],
    ['listPartition', (type) => listPartition(type, 0)],
  ];

  describe.each(BUILDERS)('%s', (_what, build) => {
    test.each(UNSAFE_TEXT)('refuses %s', (_bad, text) => {
      expect(refusalNow(() => build(text))).toMatchObject({
        code: 'invalid',
        field: 'key',
        retryable: false,
      });
    });

    test('takes the longest part there may be', () => expect(() => build('a'.repeat(512))).not.toThrow());
  });

  test('the message does not repeat the text', () => {
    expect(refusalNow(() => operationKey('secret#')).message).not.toContain('secret');
  });
});

test('no kind of thing has a name that means something else at the head of a key', () => {
  const types = [...Object.keys(ENTITIES), ...Object.keys(SCOPE_TYPES)];
  for (const type of types) {
    expect(parseKey(nodeKey({ type, id: ID }))).toEqual({ form: 'node', type, id: ID });
    expect(parseKey(edgeKey(user, { type, id: ID }))).toMatchObject({ form: 'edge', to: [{ type, id: ID }] });
    expect(keyPrefix(type)).not.toBe('LIST');
  }
});

describe('shards', () => {
  test('an id always falls into the same one, as in the tables written so far', () => {
    expect([ID, OTHER_ID, UUID].map((id) => shardOf(id, 16))).toEqual([10, 1, 10]);
  });

  test('the hash is FNV-1a, by its published vectors', () => {
    expect(['', 'a', 'foobar'].map((id) => shardOf(id, 2 ** 32))).toEqual([
      0x811c9dc5, 0xe40c292c, 0xbf9cf968,
    ]);
  });

  test('ids spread evenly', () => {
    const counts = Array.from({ length: LOG_SHARDS }, () => 0);
    for (let i = 0; i < 4_000; i++) {
      const shard = shardOf(ID.slice(0, 20) + String(i).padStart(6, '0'), LOG_SHARDS);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
