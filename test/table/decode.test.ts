import { describe, expect, test } from 'vitest';
import {
  decodeGlobal,
  decodePermission,
  decodeStamp,
  decodeSubject,
  stampOf,
} from '../../table/decision/decode.ts';
import { decodeThisScope, item, PERMISSION, SCOPE, TENANT } from './decision-items.ts';
import { ID, UUID } from './support.ts';

/** What is in no item that is written. What is: decision-round-trip.test.ts. */
describe('a sound item', () => {
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
