import { describe, expect, test } from 'vitest';
import {
  decodeCredential,
  decodeGlobal,
  decodePermission,
  decodeStamp,
  decodeSubject,
  stampOf,
} from '../../table/decision/decode.ts';
import {
  decodeThisScope,
  END,
  item,
  PERMISSION,
  ROLES,
  SCOPE,
  START,
  SUBJECT,
  TENANT,
} from './decision-items.ts';
import { ID, UUID } from './support.ts';

describe('a sound item', () => {
  test('of a subject', () => {
    expect(decodeSubject(SUBJECT)).toEqual({
      active: true,
      endsAt: Date.parse(END),
      isAdmin: true,
      groups: ['g1', 'g2'],
      groupsApart: false,
      groupsAt: new Map(),
      groupRoles: new Map(),
      globalRoles: ['r1'],
      grants: new Map([[TENANT, ['r2']]]),
      assignments: new Map([
        [
          TENANT,
          [
            { role: 'r3', start: Date.parse(START), end: Date.parse(END) },
            { role: 'r4', start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY },
          ],
        ],
      ]),
      properties: { department: 'sales' },
    });
  });

  test('of a scope; what a role that is not listed holds is not in force', () => {
    expect(decodeThisScope(SCOPE)).toEqual({
      ref: `location:${ID}`,
      active: true,
      ancestors: [`location:${UUID}`, TENANT],
      combination: 'deny-overrides',
      groups: new Map([['g1', ['r1', 'r2']]]),
      groupsApart: false,
      roles: new Map([
        [
          'r5',
          {
            parent: undefined,
            patterns: new Map([
              ['a:*:*', 'ALLOW'],
              ['*:*:*', 'DENY'],
            ]),
          },
        ],
        [
          'r6',
          {
            parent: 'r5',
            patterns: new Map([['b:*:*', { effect: 'ALLOW', when: 'resource.id == subject.id' }]]),
          },
        ],
      ]),
      subscriptions: new Map(),
      licenses: new Map(),
      denials: new Set(),
      enterprise: undefined,
      properties: { status: 'archived', tags: ['a', 'b'] },
    });
  });

  test('of what holds everywhere', () => {
    expect(decodeGlobal({ ...ROLES, 'module|hvac': true })).toEqual({
      roles: new Map([['r1', { parent: undefined, patterns: new Map([['a:b:*', 'DENY']]) }]]),
      soldModules: new Set(['hvac']),
      declarations: new Map([
        ['subject:user', new Map([['department', { type: 'string', source: 'stored' }]])],
      ]),
    });
  });

  test('of a scope with entitlements', () => {
    const at = (date: string) => Date.parse(date);
    const [start, end] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const entitled = {
      status: 'active',
      enterprise: 'enterprise:e',
      'sub|hvac|s1': `${start}/${end}`,
      'sub|hvac|s2': `${end}/`,
      'license|enterprise:e|l1': `/${end}`,
    };
    expect(decodeThisScope(item('x', entitled))).toMatchObject({
      subscriptions: new Map([
        [
          'hvac',
          [
            { start: at(start), end: at(end) },
            { start: at(end), end: Number.POSITIVE_INFINITY },
          ],
        ],
      ]),
      denials: new Set(),
      licenses: new Map([['enterprise:e', [{ start: Number.NEGATIVE_INFINITY, end: at(end) }]]]),
      enterprise: 'enterprise:e',
    });
  });

  test('of an API token', () => {
    const subject = 'technical-user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
    const token = item('x', {
      subject,
      hash: 'h',
      status: 'active',
      endsAt: '2026-02-01T00:00:00.000Z',
      ttl: 7,
    });
    expect(decodeCredential(token)).toEqual({
      subject,
      hash: 'h',
      active: true,
      endsAt: Date.parse('2026-02-01T00:00:00.000Z'),
    });
    expect(decodeCredential({ ...token, status: 'revoked' }).active).toBe(false);
  });

  test('of a permission', () => {
    expect(decodePermission(PERMISSION)).toEqual({
      registered: true,
      allow: new Set(['r1']),
      deny: new Set(['r2', 'r3']),
      conditional: new Map([['r4', { effect: 'DENY', when: 'true' }]]),
    });
  });

  test('of which write they are', () => {
    expect(decodeStamp(PERMISSION)).toEqual({ writtenAt: 1_000, writeId: 'write-1' });
    expect(stampOf(PERMISSION)).toEqual({ writtenAt: 1_000, writeId: 'write-1' });
  });

  test('may hold nothing that grants', () => {
    const bare = item('x', { status: 'suspended' });
    expect(decodeSubject(bare)).toMatchObject({
      active: false,
      endsAt: Number.POSITIVE_INFINITY,
      isAdmin: false,
    });
    expect(decodeThisScope(bare)).toMatchObject({
      active: false,
      ancestors: [],
      combination: 'allow-overrides',
    });
    expect(decodePermission(item('x', {}))).toEqual({
      registered: false,
      allow: new Set(),
      deny: new Set(),
      conditional: new Map(),
    });
    expect(decodeGlobal(item('x', {}))).toEqual({
      roles: new Map(),
      soldModules: new Set(),
      declarations: new Map(),
    });
  });
});
