import { describe, expect, test } from 'vitest';
import type { Ref } from '../../table/identifiers.ts';
import { isSafeText } from '../../table/identifiers.ts';
import type { Key, ParsedKey } from '../../table/keys.ts';
import * as keys from '../../table/keys.ts';
import type { PermissionName } from '../../table/permission-name.ts';
import * as fc from '../support/fast-check.ts';
import { anyId, anyName, anyText, anyType, ID } from './support.ts';

/** Words at the head of a key that mean something else; no kind of thing may be called so. */
const TAKEN =
  /^(?:audit|operation|secret|list|decision|meta|email|phone|username|identity)$|-(?:name|code|route)$/;

const type = anyType.filter((name) => !TAKEN.test(name));
const ref: fc.Arbitrary<Ref> = fc.record({ type, id: anyId });
const permission: fc.Arbitrary<PermissionName> = fc.oneof(
  anyName.map((text) => ({ kind: 'page' as const, text })),
  fc
    .tuple(anyName, anyName, anyName)
    .map((parts) => ({ kind: 'permission' as const, text: parts.join(':') })),
);
const safeText = anyText(20).filter((text) => text !== '' && isSafeText(text));
const guardKind = fc.constantFrom(
  ...['EMAIL', 'PHONE', 'USERNAME', 'TENANT_NAME', 'ROLE_NAME', 'LOCATION_CODE', 'API_ROUTE'],
);
const time = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** A key with what it was made of. */
const built: fc.Arbitrary<readonly [Key, ParsedKey]> = fc.oneof(
  ref.map((node) => [keys.nodeKey(node), { form: 'node', ...node }] as const),
  ref.map((node) => [keys.decisionKey(node), { form: 'decision', ...node }] as const),
  anyName.map((id) => [keys.apiRevisionKey(id), { form: 'decision', type: 'api', id }] as const),
  fc
    .tuple(ref, permission)
    .map(
      ([owner, name]) =>
        [
          keys.tenantEffectsKey(owner, name),
          { form: 'tenant-effects', ...owner, permission: name.text },
        ] as const,
    ),
  fc
    .tuple(ref, fc.nat(15))
    .map(([root, number]) => [keys.gateKey(root, number), { form: 'gate', ...root, number }] as const),
  fc
    .tuple(ref, ref)
    .map(([from, to]) => [keys.edgeKey(from, to), { form: 'edge', ...from, to: [to] }] as const),
  fc
    .tuple(ref, type, fc.array(ref, { minLength: 1, maxLength: 3 }))
    .map(
      ([from, kind, to]) =>
        [keys.wideEdgeKey(from, kind, ...to), { form: 'edge', ...from, kind, to }] as const,
    ),
  fc
    .tuple(guardKind, safeText)
    .map(([kind, value]) => [keys.guardKey(kind, value), { form: 'guard', kind, value }] as const),
  fc
    .tuple(guardKind, safeText, safeText)
    .map(
      ([kind, value, within]) =>
        [keys.guardKey(kind, value, within), { form: 'guard', kind, value, within }] as const,
    ),
  // A `sub` may hold `#`, at its ends and twice in a row too; an issuer may not.
  fc
    .tuple(
      fc.array(fc.constantFrom('#', '##', 'a', 'IDENTITY', 'META'), { minLength: 1, maxLength: 5 }),
      safeText,
    )
    .map(([sub, within]) => [sub.join(''), within] as const)
    .map(
      ([value, within]) =>
        [
          keys.guardKey('IDENTITY', value, within),
          { form: 'guard', kind: 'IDENTITY', value, within },
        ] as const,
    ),
  ref.map((node) => [keys.secretKey(node), { form: 'secret', ...node }] as const),
  safeText.map((id) => [keys.operationKey(id), { form: 'operation', id }] as const),
  anyId.map((id) => [keys.mandateUsesKey(id), { form: 'mandate-uses', id }] as const),
  fc
    .tuple(time, anyId)
    .map(([at, id]) => [keys.logKey(undefined, at, id), { form: 'log', time: at, id }] as const),
  fc
    .tuple(ref, time, anyId)
    .map(([owner, at, id]) => [keys.logKey(owner, at, id), { form: 'log', owner, time: at, id }] as const),
);

test('a key is read back into exactly what it was built of', () => {
  fc.assert(
    fc.property(built, ([key, parsed]) => {
      expect(keys.parseKey(key)).toEqual(parsed);
    }),
    { numRuns: 2_000 },
  );
});

test('two different things never share a key', () => {
  fc.assert(
    fc.property(built, built, ([a, madeOfA], [b, madeOfB]) => {
      fc.pre(JSON.stringify(madeOfA) !== JSON.stringify(madeOfB));
      expect(a).not.toEqual(b);
    }),
  );
});

describe('a key that is never built is not read', () => {
  test.each<readonly [what: string, PK: string, SK: string]>([
    ['no hash', 'USER', 'META'],
    ['no type', `#${ID}`, 'META'],
    ['no id', 'USER#', 'META'],
    ['too many parts', `USER#${ID}#x`, 'META'],
    ['no sort key', `USER#${ID}`, ''],
    ['an unknown word as sort key', `USER#${ID}`, 'PROFILE'],
    ['an edge without an id', `USER#${ID}`, 'ROLE#'],
    ['an edge to two things without a kind', `USER#${ID}`, `ROLE#${ID}#LOCATION#${ID}`],
    ['a wide edge with an empty end', `USER#${ID}`, 'ASSIGNMENT#LOCATION##ROLE#r'],
    ['effects on something that is no permission', `TENANT#${ID}`, 'DECISION#ROLE#r'],
    ['effects without a permission', `TENANT#${ID}`, 'DECISION#PAGE'],
    ['effects with something after the permission', `TENANT#${ID}`, 'DECISION#PAGE#p#x'],
    ['a gate beyond the last', `TENANT#${ID}`, 'META#GATE#16'],
    ['a gate in another spelling', `TENANT#${ID}`, 'META#GATE#01'],
    ['something else after META', `TENANT#${ID}`, 'META#DOOR#1'],
    ['a guard that is no META', 'EMAIL#a@b.de', 'DECISION'],
    ['a guard with three values', 'ROLE_NAME#a#b#c', 'META'],
    ['an operation that is no META', 'OPERATION#o', 'DECISION'],
    ['an operation of two parts', 'OPERATION#o#p', 'META'],
    ['a log line without an id', 'AUDIT#GLOBAL#0', '2026-01-15T12:00:00.000Z'],
    ['a log line with something after its id', 'AUDIT#GLOBAL#0', `t#${ID}#x`],
    ['a log without a shard', 'AUDIT#GLOBAL', `t#${ID}`],
    ['a log of an owner without a shard', `AUDIT#TENANT#${ID}`, `t#${ID}`],
    ['a log with too many parts', `AUDIT#TENANT#${ID}#0#0`, `t#${ID}`],
  ])('%s', (_what, PK, SK) => {
    expect(keys.parseKey({ PK, SK })).toBeUndefined();
  });

  test('no text makes it throw', () => {
    const words = fc.constantFrom(
      ...['USER', 'AUDIT', 'EMAIL', 'ROLE_NAME', 'DECISION', 'PAGE', 'META', 'OPERATION', '', 'x'],
    );
    const text = fc.array(words, { maxLength: 6 }).map((parts) => parts.join('#'));
    fc.assert(fc.property(text, text, (PK, SK) => void keys.parseKey({ PK, SK })));
  });
});
