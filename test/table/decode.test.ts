import { describe, expect, test } from 'vitest';
import {
  decodeGlobalRoles,
  decodePermission,
  decodeSubject,
  decodeWrittenAt,
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
    });
  });

  test('of a scope; what a role that is not listed holds is not in force', () => {
    expect(decodeThisScope(SCOPE)).toEqual({
      ref: `location:${ID}`,
      active: true,
      ancestors: [`location:${UUID}`, TENANT],
      combination: 'deny-overrides',
      groups: new Map([['g1', ['r1', 'r2']]]),
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
        ['r6', { parent: 'r5', patterns: new Map() }],
      ]),
    });
  });

  test('of the global roles', () => {
    expect(decodeGlobalRoles(ROLES)).toEqual(
      new Map([['r1', { parent: undefined, patterns: new Map([['a:b:*', 'DENY']]) }]]),
    );
  });

  test('of a permission', () => {
    expect(decodePermission(PERMISSION)).toEqual({
      registered: true,
      allow: new Set(['r1']),
      deny: new Set(['r2', 'r3']),
    });
    expect(decodeWrittenAt(PERMISSION)).toBe(1_000);
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
    expect(decodePermission(item('x', {}))).toEqual({ registered: false, allow: new Set(), deny: new Set() });
    expect(decodeGlobalRoles(item('x', {}))).toEqual(new Map());
  });
});
