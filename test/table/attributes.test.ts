import { describe, expect, test } from 'vitest';
import type { ParsedAttribute } from '../../table/decision/attributes.ts';
import * as attribute from '../../table/decision/attributes.ts';
import * as fc from '../support/fast-check.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { anyId, anyName, anyType, ID } from './support.ts';

type Said<K extends ParsedAttribute['kind']> = Extract<ParsedAttribute, { kind: K }>;
/** The name that says each. */
const NAMES: { readonly [K in ParsedAttribute['kind']]: (said: Said<K>) => string } = {
  grant: ({ scope }) => attribute.grantAttribute(scope),
  assign: ({ scope, role }) => attribute.assignmentAttribute(scope, role),
  in: ({ scope, group }) => attribute.memberAttribute(scope, group),
  at: ({ scope }) => attribute.groupsAtAttribute(scope),
  of: ({ group }) => attribute.groupRolesAttribute(group),
  group: ({ group }) => attribute.groupAttribute(group),
  role: ({ role }) => attribute.roleAttribute(role),
  wild: ({ role, pattern }) => attribute.patternAttribute(role, pattern),
  heirs: ({ parent }) => attribute.heirsAttribute(parent),
  folded: ({ effect, pattern }) => attribute.foldedPatternAttribute(effect, pattern),
  when: ({ role }) => attribute.conditionAttribute(role),
  property: ({ of, name }) => attribute.propertyAttribute(of, name),
  sub: ({ module, id }) => attribute.subscriptionAttribute(module, id),
  license: ({ enterprise, id }) => attribute.licenseAttribute(enterprise, id),
  module: ({ module }) => attribute.moduleAttribute(module),
  invariant: ({ id }) => attribute.invariantAttribute(id),
  external: ({ externalId, id }) => attribute.externalAttribute(externalId, id),
};
const nameOf = (said: ParsedAttribute): string => NAMES[said.kind](said as never);

const kind = <const K extends string>(text: K) => fc.constant(text);
const scope = fc.tuple(anyType, anyId).map((parts) => parts.join(':'));
const pattern = anyName.map((name) => `${name}:*:*`);

const anySaid: fc.Arbitrary<ParsedAttribute> = fc.oneof(
  fc.record({ kind: kind('grant'), scope }),
  fc.record({ kind: kind('external'), externalId: anyId, id: anyId }),
  fc.record({ kind: kind('assign'), scope, role: anyId }),
  fc.record({ kind: kind('in'), scope, group: anyId }),
  fc.record({ kind: kind('at'), scope }),
  fc.record({ kind: kind('of'), group: anyId }),
  fc.record({ kind: kind('group'), group: anyId }),
  fc.record({ kind: kind('role'), role: anyId }),
  fc.record({ kind: kind('wild'), role: anyId, pattern }),
  fc.record({ kind: kind('heirs'), parent: anyId }),
  fc.record({ kind: kind('folded'), effect: fc.constantFrom('ALLOW', 'DENY'), pattern }),
  fc.record({ kind: kind('when'), role: anyId }),
  fc.record({ kind: kind('property'), of: anyType, name: anyName }),
  fc.record({ kind: kind('sub'), module: anyName, id: anyId }),
  fc.record({ kind: kind('license'), enterprise: scope, id: anyId }),
  fc.record({ kind: kind('module'), module: anyName }),
);

/** Names of few characters, so that many are nearly right. */
const anyAttribute = fc
  .tuple(
    fc.oneof(
      anySaid.map((said) => String(nameOf(said).split('|')[0])),
      kind(''),
      kind('constructor'),
    ),
    fc.array(fc.constantFrom('a', '#', '', 'a#b', '|'), { maxLength: 4 }),
  )
  .map(([first, more]) => [first, ...more].join('|'));

describe('the name of an attribute of a decision item', () => {
  test('is read back into exactly what it was made of', () => {
    fc.assert(
      fc.property(anySaid, (said) => {
        expect(attribute.parseAttribute(nameOf(said))).toEqual(said);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is read only where it could have been made', () => {
    fc.assert(
      fc.property(anyAttribute, (name) => {
        const said = attribute.parseAttribute(name);
        if (said) expect(nameOf(said)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ...Object.values(attribute.Attribute),
    ...['', '|', 'grant', 'grant|', '|a', 'grant|a|b', 'grant|a|', 'new|a', 'Grant|a', 'constructor|a'],
    ...['assign|a', 'assign|a|', 'assign||b', 'assign|a|b|c', 'assign|a|b|', 'wild|a', 'role|a|b'],
  ])('says nothing of parts: %j', (name) => {
    expect(attribute.parseAttribute(name)).toBeUndefined();
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
    expect(attribute.assignmentAttribute(`tenant:${a}`, String(b))).not.toBe(
      attribute.assignmentAttribute(`tenant:${c}`, String(d)),
    );
  });

  test.each(SAMPLE_ROWS)('is plain for %s unless it holds the separator: %s', (_what, id) => {
    expect(attribute.assignmentAttribute(`tenant:${id}`, ID)).toBe(
      `assign|tenant:${id.replace('|', '#')}|${ID}`,
    );
  });
});
