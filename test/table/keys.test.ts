import { describe, expect, test } from 'vitest';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Key } from '../../table/keys.ts';
import * as keys from '../../table/keys.ts';
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
    ['node', keys.nodeKey(user), `USER#${ID}`, 'META'],
    ['node of two words', keys.nodeKey(technicalUser), `TECHNICAL_USER#${UUID}`, 'META'],
    ['page', keys.nodeKey(keys.permissionRef(page)), 'PAGE#dashboard', 'META'],
    ['permission', keys.nodeKey(keys.permissionRef(permission)), 'PERMISSION#reports:read:monthly', 'META'],
    ['edge', keys.edgeKey(user, location), `USER#${ID}`, `LOCATION#${OTHER_ID}`],
    ['its mirror', keys.edgeKey(location, user), `LOCATION#${OTHER_ID}`, `USER#${ID}`],
    ['revision of an API', keys.apiRevisionKey('default'), 'API#default', 'DECISION'],
    [
      'edge of an API',
      keys.edgeKey(keys.apiRef('default'), { type: 'route', id: ID }),
      'API#default',
      `ROUTE#${ID}`,
    ],
    ['edge of an administrator', keys.edgeKey(keys.GLOBAL, user), 'GLOBAL#GATEHOUSE', `USER#${ID}`],
    ['role for any tenant', keys.edgeKey(keys.ANY_TENANT, role), 'GLOBAL#ANY_TENANT', `ROLE#${ID}`],
    [
      'wide edge',
      keys.wideEdgeKey(user, 'assignment', location, role),
      `USER#${ID}`,
      `ASSIGNMENT#LOCATION#${OTHER_ID}#ROLE#${ID}`,
    ],
    ['wide edge to one', keys.wideEdgeKey(role, 'grant-role', user), `ROLE#${ID}`, `GRANT_ROLE#USER#${ID}`],
    ['guard', keys.guardKey('EMAIL', 'ann@example.com'), 'EMAIL#ann@example.com', 'META'],
    [
      'guard within a scope',
      keys.guardKey('ROLE_NAME', 'the clerk', `tenant:${OTHER_ID}`),
      `ROLE_NAME#tenant:${OTHER_ID}#the clerk`,
      'META',
    ],
    ['decision item of a user', keys.decisionKey(user), `USER#${ID}`, 'DECISION'],
    ['decision item of a page', keys.decisionKey(keys.permissionRef(page)), 'PAGE#dashboard', 'DECISION'],
    ['decision item of the global roles', keys.globalKey(), 'GLOBAL#GATEHOUSE', 'DECISION'],
    ['tenant effects', keys.tenantEffectsKey(tenant, page), `TENANT#${OTHER_ID}`, 'DECISION#PAGE#dashboard'],
    [
      'tenant effects on a permission',
      keys.tenantEffectsKey(tenant, permission),
      `TENANT#${OTHER_ID}`,
      'DECISION#PERMISSION#reports:read:monthly',
    ],
    ['operation', keys.operationKey('op-1'), 'OPERATION#op-1', 'META'],
    ['uses of a mandate', keys.mandateUsesKey('m-1'), 'OPERATION#MANDATE#m-1', 'META'],
    ['log of a tenant', keys.logKey(tenant, TIME, ID), `AUDIT#TENANT#${OTHER_ID}#2`, `${TIME}#${ID}`],
    ['log of no tenant', keys.logKey(undefined, TIME, ID), 'AUDIT#GLOBAL#2', `${TIME}#${ID}`],
  ];

  test.each(GOLDEN)('%s', (_what, key, PK, SK) => {
    expect(key).toEqual({ PK, SK });
  });

  test('no two of them are one item', () => {
    const identities = GOLDEN.map(([, { PK, SK }]) => `${PK}\n${SK}`);
    expect(new Set(identities).size).toBe(identities.length);
  });

  test('partitions for Query', () => {
    expect(keys.partitionOf(technicalUser)).toBe(`TECHNICAL_USER#${UUID}`);
    expect(keys.logPartition(tenant, 0)).toBe(`AUDIT#TENANT#${OTHER_ID}#0`);
    expect(keys.logPartition(undefined, 3)).toBe('AUDIT#GLOBAL#3');
    expect(keys.listPartition('technical-user', 12)).toBe('LIST#TECHNICAL_USER#12');
  });
});

describe('prefixes of sort keys', () => {
  const CHILDREN: readonly (readonly [what: string, key: Key])[] = [
    ['a role', keys.edgeKey(user, role)],
    ['a role template', keys.edgeKey(user, { type: 'role-template', id: ID })],
    ['an assignment of a role', keys.wideEdgeKey(user, 'assignment', location, role)],
    [
      'an assignment of another role',
      keys.wideEdgeKey(user, 'assignment', location, { type: 'role', id: UUID }),
    ],
    ['an assignment elsewhere', keys.wideEdgeKey(user, 'assignment', { type: 'location', id: UUID }, role)],
    ['a wide edge whose kind begins alike', keys.wideEdgeKey(user, 'assignment-history', location, role)],
    ['a location', keys.edgeKey(user, location)],
    ['a location of which the id begins alike', keys.edgeKey(user, { type: 'location', id: `${OTHER_ID}9` })],
    ['its own node', keys.nodeKey(user)],
    ['its decision item', keys.decisionKey(user)],
    ['effects of its own roles', keys.tenantEffectsKey(user, page)],
  ];
  const found = (prefix: string) =>
    CHILDREN.filter(([, { SK }]) => SK.startsWith(prefix)).map(([what]) => what);

  test.each([
    ['roles', keys.edgePrefix('role'), ['a role']],
    ['locations', keys.edgePrefix('location'), ['a location', 'a location of which the id begins alike']],
    [
      'assignments',
      keys.edgePrefix('assignment'),
      ['an assignment of a role', 'an assignment of another role', 'an assignment elsewhere'],
    ],
    [
      'assignments at one location',
      keys.edgePrefix('assignment', location),
      ['an assignment of a role', 'an assignment of another role'],
    ],
  ])('%s are found, and nothing that begins alike', (_what, prefix, expected) => {
    expect(found(prefix)).toEqual(expected);
  });
});

describe('the last line of defence', () => {
  const BUILDERS: readonly (readonly [what: string, build: (text: string) => unknown])[] = [
    ['nodeKey', (id) => keys.nodeKey({ type: 'user', id })],
    ['nodeKey, type', (type) => keys.nodeKey({ type, id: ID })],
    ['partitionOf', (id) => keys.partitionOf({ type: 'user', id })],
    ['edgeKey, from', (id) => keys.edgeKey({ type: 'user', id }, location)],
    ['edgeKey, to', (id) => keys.edgeKey(user, { type: 'location', id })],
    ['wideEdgeKey, from', (id) => keys.wideEdgeKey({ type: 'user', id }, 'assignment', location)],
    ['wideEdgeKey, kind', (kind) => keys.wideEdgeKey(user, kind, location)],
    ['wideEdgeKey, to', (id) => keys.wideEdgeKey(user, 'assignment', location, { type: 'role', id })],
    ['edgePrefix', (type) => keys.edgePrefix(type)],
    ['edgePrefix, to', (id) => keys.edgePrefix('assignment', { type: 'location', id })],
    ['guardKey', (value) => keys.guardKey('EMAIL', value)],
    ['guardKey, kind', (kind) => keys.guardKey(kind, 'x')],
    ['guardKey, within', (within) => keys.guardKey('ROLE_NAME', 'x', within)],
    ['decisionKey', (id) => keys.decisionKey({ type: 'user', id })],
    ['tenantEffectsKey, owner', (id) => keys.tenantEffectsKey({ type: 'tenant', id }, page)],
    ['tenantEffectsKey, permission', (text) => keys.tenantEffectsKey(tenant, { kind: 'page', text })],
    ['operationKey', (id) => keys.operationKey(id)],
    ['mandateUsesKey', (id) => keys.mandateUsesKey(id)],
    ['logPartition', (id) => keys.logPartition({ type: 'tenant', id }, 0)],
    ['logKey, owner', (id) => keys.logKey({ type: 'tenant', id }, TIME, ID)],
    ['logKey, time', (time) => keys.logKey(tenant, time, ID)],
    ['logKey, id', (id) => keys.logKey(tenant, TIME, id)],
    ['listPartition', (type) => keys.listPartition(type, 0)],
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
    expect(refusalNow(() => keys.operationKey('secret#')).message).not.toContain('secret');
  });
});

test('no kind of thing has a name that means something else at the head of a key', () => {
  const types = [...Object.keys(ENTITIES), ...Object.keys(SCOPE_TYPES)];
  for (const type of types) {
    expect(keys.parseKey(keys.nodeKey({ type, id: ID }))).toEqual({ form: 'node', type, id: ID });
    expect(keys.parseKey(keys.edgeKey(user, { type, id: ID }))).toMatchObject({
      form: 'edge',
      to: [{ type, id: ID }],
    });
    expect(keys.keyPrefix(type)).not.toBe('LIST');
  }
});

describe('shards', () => {
  test('an id always falls into the same one, as in the tables written so far', () => {
    expect([ID, OTHER_ID, UUID].map((id) => keys.shardOf(id, 16))).toEqual([10, 1, 10]);
  });

  test('the hash is FNV-1a, by its published vectors', () => {
    expect(['', 'a', 'foobar'].map((id) => keys.shardOf(id, 2 ** 32))).toEqual([
      0x811c9dc5, 0xe40c292c, 0xbf9cf968,
    ]);
  });

  test('ids spread evenly', () => {
    const counts = Array.from({ length: keys.LOG_SHARDS }, () => 0);
    for (let i = 0; i < 4_000; i++) {
      const shard = keys.shardOf(ID.slice(0, 20) + String(i).padStart(6, '0'), keys.LOG_SHARDS);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
