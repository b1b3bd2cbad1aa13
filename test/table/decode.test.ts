import { describe, expect, test } from 'vitest';
import { decodeGlobal, decodePermission, decodeSubject } from '../../table/decision/decode.ts';
import { decodeThisScope, item, SCOPE } from './decision-items.ts';

/** What is in no item that is written. What is: decision-round-trip.test.ts. */
describe('a sound item', () => {
  test('of a scope: what a role that is not listed holds is not in force', () => {
    expect([...decodeThisScope(SCOPE).roles.keys()]).toEqual(['r5', 'r6']);
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
