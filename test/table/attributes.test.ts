import { describe, expect, test } from 'vitest';
import {
  assignmentAttribute,
  grantAttribute,
  groupAttribute,
  licenseAttribute,
  patternAttribute,
  roleAttribute,
  splitAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import fc from '../support/fast-check.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { anyId, anyName, anyType, ID } from './support.ts';

const ref = fc.tuple(anyType, anyId).map((parts) => parts.join(':'));

/** The name of an attribute with the parts that it was made of. */
const built = fc.oneof(
  ref.map((root) => [grantAttribute(root), ['grant', root]] as const),
  fc
    .tuple(ref, anyId)
    .map(([scope, role]) => [assignmentAttribute(scope, role), ['assign', scope, role]] as const),
  anyId.map((id) => [groupAttribute(id), ['group', id]] as const),
  anyId.map((id) => [roleAttribute(id), ['role', id]] as const),
  fc
    .tuple(anyId, anyName)
    .map(([role, name]) => [patternAttribute(role, `${name}:*:*`), ['wild', role, `${name}:*:*`]] as const),
  fc
    .tuple(anyName, anyId)
    .map(([module, id]) => [subscriptionAttribute(module, id), ['sub', module, id]] as const),
  fc.tuple(ref, anyId).map(([scope, id]) => [licenseAttribute(scope, id), ['license', scope, id]] as const),
);

describe('the name of an attribute of a decision item', () => {
  test('is read back into exactly what it was made of', () => {
    fc.assert(
      fc.property(built, ([name, parts]) => {
        expect(splitAttribute(name)).toEqual(parts);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is shared by no two different entries', () => {
    fc.assert(
      fc.property(built, built, ([a, ofA], [b, ofB]) => {
        fc.pre(JSON.stringify(ofA) !== JSON.stringify(ofB));
        expect(a).not.toBe(b);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [
      ['a|b', 'c'],
      ['a', 'b|c'],
    ],
    [
      ['a|', 'b'],
      ['a', '|b'],
    ],
  ])('keeps its parts apart where they hold the separator: %j is not %j', ([a, b], [c, d]) => {
    expect(assignmentAttribute(`tenant:${a}`, String(b))).not.toBe(
      assignmentAttribute(`tenant:${c}`, String(d)),
    );
  });

  test.each(SAMPLE_ROWS)('is plain for %s unless it holds the separator: %s', (_what, id) => {
    expect(assignmentAttribute(`tenant:${id}`, ID)).toBe(`assign|tenant:${id.replace('|', '#')}|${ID}`);
  });
});
