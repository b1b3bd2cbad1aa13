import { describe, expect, test } from 'vitest';
import { check, parse, stepsTaken } from '../../../engine/conditions/cel.ts';
import { variablesOf } from '../../../engine/conditions/declarations.ts';
import { MAX_STEPS } from '../../../engine/conditions/steps.ts';
import type { Declaration, Declarations } from '../../../table/properties.ts';

const DECLARATIONS: Declarations = new Map<string, ReadonlyMap<string, Declaration>>([
  [
    'subject:user',
    new Map([
      ['department', { type: 'string', source: 'stored' }],
      ['level', { type: 'int', source: 'stored' }],
    ]),
  ],
  [
    'resource:record',
    new Map([
      ['owner', { type: 'string', source: 'passed' }],
      ['tags', { type: 'list<string>', source: 'passed' }],
      ['at', { type: 'timestamp', source: 'passed' }],
    ]),
  ],
]);
const TAGS = ['a', 'b', 'c'];

const variables = (context: Record<string, unknown> = {}, resource: Record<string, unknown> = {}) =>
  variablesOf(
    {
      subject: { type: 'user', id: 'alice', stored: { department: 'sales', level: 4 } },
      resource: {
        type: 'record',
        id: 'r1',
        passed: { owner: 'alice', tags: TAGS, at: '2026-07-01T12:00:00Z', ...resource },
      },
      action: { name: 'write' },
      context: {
        ip: '10.1.2.3',
        time: '2026-07-01T12:00:00Z',
        claims: { acr: 'strong', n: 5, share: 1.5, groups: ['g1', 'g2'], 'a-b': true, nothing: null },
        ...context,
      },
    },
    DECLARATIONS,
  );

/** `true`, `false`, or why neither. */
function outcomeOf(
  expression: string,
  context?: Record<string, unknown>,
  resource?: Record<string, unknown>,
) {
  expect(check(expression, DECLARATIONS)).toBeUndefined();
  const outcome = parse(expression).evaluate(variables(context, resource));
  return 'holds' in outcome ? outcome.holds : outcome.unknown;
}

describe('an expression is evaluated', () => {
  test.each([
    ['resource.properties.owner == subject.id', true],
    ['subject.properties.department != "sales"', false],
    ['subject.properties.level >= 3 && action.name == "write"', true],
    ['subject.type == "user" ? resource.id == "r1" : false', true],
    ['resource.properties.tags.exists(t, t == "b")', true],
    ['resource.properties.tags.all(t, t in ["a", "b"])', false],
    ['resource.properties.tags.exists_one(t, t > "b")', true],
    ['size(resource.properties.tags.filter(t, t != "a")) == 2', true],
    ['resource.properties.tags.map(t, t + "!")[0] == "a!"', true],
    ['context.claims.groups.exists(g, g == "g2")', true],
    ['"g1" in context.claims.groups && "acr" in context.claims', true],
    ['context.claims.n == 5.0 && context.claims.share < 2', true],
    ['context.claims["a-b"]', true],
    ['context.claims.nothing == null', true],
    ['has(context.claims.acr) && !has(context.claims.amr)', true],
    ['context.ip.startsWith("10.") && context.ip.endsWith("3") && context.ip.contains("1.2")', true],
    ['"ÄB".lowerAscii() == "Äb" && "aß".upperAscii() == "Aß"', true],
    ['"😀".size() == 1 && "😀" > "\\uffff"', true],
    ['1 + 2 * 3 == 7 && 7 % 4 == 3 && -7 / 2 == -3', true],
    ['context.time - resource.properties.at < duration("1h30m")', true],
    ['resource.properties.at + duration("24h") > context.time', true],
  ])('%s', (expression, expected) => {
    expect(outcomeOf(expression)).toBe(expected);
  });

  test('office hours count in a time zone, with its summer time', () => {
    const office = `context.time.getHours('Europe/Berlin') >= 9 && context.time.getHours('Europe/Berlin') < 17
      && context.time.getDayOfWeek('Europe/Berlin') in [1, 2, 3, 4, 5]`;
    expect(outcomeOf(office, { time: '2026-07-01T07:00:00Z' })).toBe(true);
    expect(outcomeOf(office, { time: '2026-07-01T06:59:59Z' })).toBe(false);
    expect(outcomeOf(office, { time: '2026-01-07T07:59:59Z' })).toBe(false);
    expect(outcomeOf(office, { time: '2026-01-07T08:00:00Z' })).toBe(true);
    expect(outcomeOf(office, { time: '2026-07-04T10:00:00Z' })).toBe(false);
  });

  test('an IP address is in a range, and one that is none is an error', () => {
    const range = "cidr('10.0.0.0/8').containsIP(context.ip)";
    expect(outcomeOf(range)).toBe(true);
    expect(outcomeOf(range, { ip: '11.0.0.1' })).toBe(false);
    expect(outcomeOf(range, { ip: '::ffff:10.0.0.1' })).toBe('containsIP: it is no IP address');
  });
});

describe('what cannot be evaluated is unknown, with its own message', () => {
  test.each([
    ['context.claims.amr == "x"', 'no such key: amr'],
    ['context.claims.acr < 3', 'no such overload: < of string and int'],
    ['context.claims.groups[7] == "x"', 'no such index: 7'],
    ['context.claims.n / 0 == 1', 'division by zero'],
    ['context.claims.n * 9223372036854775807 > 0', 'integer overflow'],
    ['context.claims.acr', 'it is no bool'],
    ['context.claims.n.exists(x, x == 1)', 'no such overload: exists of int'],
  ])('%s', (expression, message) => {
    expect(outcomeOf(expression)).toBe(message);
  });

  test('a missing property, unless the rest decides', () => {
    const missing = { owner: undefined };
    expect(outcomeOf('resource.properties.owner == subject.id', {}, missing)).toBe('no such key: owner');
    expect(outcomeOf('resource.properties.owner == subject.id || true', {}, missing)).toBe(true);
    expect(outcomeOf('resource.properties.owner == subject.id && false', {}, missing)).toBe(false);
    expect(outcomeOf('!has(resource.properties.owner)', {}, missing)).toBe(true);
  });

  test('names of prototypes are names like any other', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString'])
      expect(outcomeOf(`has(context.claims.${name}) || "${name}" in context.claims`)).toBe(false);
  });
});

describe('an evaluation is bounded', () => {
  const long = { tags: Array.from({ length: 1_000 }, (_, index) => `tag ${index}`) };
  const tags = 'resource.properties.tags';

  test('one pass over the largest list is within the bound', () => {
    expect(outcomeOf(`${tags}.all(t, t.startsWith("tag") && t != "x")`, {}, long)).toBe(true);
  });

  test.each([
    `${tags}.all(a, ${tags}.all(b, a != b || true))`,
    `${tags}.all(a, ${tags}.all(b, ${tags}.all(c, true)))`,
    `${tags}.exists(a, ${tags}.exists(b, ${tags}.exists(c, c == "no")))`,
    `${tags}.exists(a, ${tags} + ${tags} == ${tags}) || true`,
    `${tags}.map(a, ${tags}.map(b, ${tags})) == ${tags}.map(a, ${tags}.map(b, ${tags}))`,
    `${tags}.exists(a, "x" in ${tags}) || true`,
  ])('%s', (expression) => {
    expect(outcomeOf(expression, {}, long)).toBe(`it takes more than ${MAX_STEPS} steps`);
    expect(stepsTaken()).toBeLessThan(MAX_STEPS * 1.1);
  });

  test('searching a long text for a long text counts', () => {
    const search = `${tags}.exists(t, resource.properties.owner.contains(context.claims.acr))`;
    const text = { claims: { acr: `${'a'.repeat(4_000)}b` } };
    const unknown = `it takes more than ${MAX_STEPS} steps`;
    expect(outcomeOf(search, text, { ...long, owner: 'a'.repeat(8_000) })).toBe(unknown);
  });
});

describe('what it looks at', () => {
  test.each([
    ['context.ip == "1"', ['context.ip']],
    ['context.claims.acr == context.claims["x"].y', ['context.claims']],
    ['has(resource.properties.owner)', ['resource.properties.owner']],
    ['[subject.id].exists(x, x == resource.id)', ['resource.id', 'subject.id']],
    ['context.claims.groups.exists(context_, context_ == "ip")', ['context.claims']],
    ['context.claims[context.ip] == action.name', ['action.name', 'context.claims', 'context.ip']],
    ['true || subject.properties.level == 1', ['subject.properties.level']],
  ])('%s', (expression, uses) => {
    expect(parse(expression).uses).toEqual(uses);
  });
});

describe('refused when it is written, with the position', () => {
  test.each([
    // Syntax.
    ['context.ip ==', 13, /Unexpected token: EOF/],
    ['', 0, /Unexpected token/],
    [`context.ip == "${'x'.repeat(1_000)}"`, 1_000, /at most 1000 characters/],
    ['true ? false ? true : false : true', 7, /inner condition/],
    ['"a" != "b" == (1 < 2) && true != 1 in [1]', 15, /left side/],
    ['size("a",) == 1', 8, /comma too many/],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, 24, /maxDepth/],
    // Names and types.
    ['context.ip2 == "x"', 8, /ip2/],
    ['subject.properties.owner == "x"', 19, /owner/],
    ['now > context.time', 0, /now is unknown/],
    ['context.ip == 1', 0, /string == int/],
    ['subject.properties.level', 0, /must be a bool, not int/],
    ['context.claims.exists(t, t.x).y', 30, /Cannot index/],
    ['context.time.year == 1', 0, /no fields/],
    ['[1, "a"] == [1]', 4, /same type/],
    // Whole variables, and what is declared by an index.
    ['context == context', 0, /name what it looks at/],
    ['context["ip"] == "x"', 0, /name what it looks at/],
    ['subject.properties.exists(p, p == "x")', 0, /name what it looks at/],
    ['[context].exists(c, c.ip == "x")', 1, /name what it looks at/],
    ['context.claims.groups.exists(context, context == "x")', 29, /has a meaning already/],
    // What implementations differ on, and what has no bound.
    ['context.ip.matches("(a+)+$")', 0, /no function .matches/],
    ['type(context.ip) == string', 0, /no function type/],
    ['dyn(1) == 1', 0, /no function dyn/],
    ['int("") == 0', 0, /no function int/],
    ['{"a": 1}.a == 1', 1, /maxMapEntries/],
    ['b"a" == b"a"', 0, /uint and bytes/],
    ['1u == 1u', 0, /uint and bytes/],
    ['r"a" == "a"', 0, /without a prefix/],
    ['"""a""" == "a"', 0, /without a prefix/],
    ['9223372036854775808 > 0', 0, /too large/],
    ['[] == [1]', 0, /empty/],
    ['context.?ip == "x"', 8, /./],
    ['context.claims.groups.map(g, g) == ["x"]', 0, /map takes a list/],
    ['timestamp(context.ip) < context.time', 10, /RFC 3339/],
    ['timestamp("2026-02-30T00:00:00Z") < context.time', 10, /RFC 3339/],
    ['duration("1d") < duration("1h")', 9, /duration as 1h30m/],
    ['context.time.getHours("europe/berlin") == 1', 22, /time zone/],
    ['context.time.getHours(context.ip) == 1', 22, /time zone/],
    ['cidr("10.0.0.0/33").containsIP(context.ip)', 5, /IP range/],
    ['cidr("10.0.0.0/8") == cidr("10.0.0.0/8")', 0, /containsIP/],
  ])('%s', (expression, position, message) => {
    const problem = check(expression, DECLARATIONS);
    expect(problem?.message).toMatch(message);
    expect(problem?.position).toBe(position);
  });

  test('too many parts', () => {
    const parts = Array.from({ length: 240 }, () => '1 ').join('+');
    expect(check(`${parts} == 240`, DECLARATIONS)?.message).toMatch(/maxAstNodes/);
    expect(check(`1 in [${parts.replaceAll('+', ',')}]`, DECLARATIONS)?.message).toMatch(/maxListElements/);
  });

  test('parse throws what check reports, with the field', () => {
    expect(() => parse('context.ip ==')).toThrow(
      expect.objectContaining({
        code: 'invalid',
        field: 'when',
        message: 'when: Unexpected token: EOF (at character 14)',
      }),
    );
  });
});
