import { describe, expect, test } from 'vitest';
import { check, conjunctsOf, parse } from '../../../engine/conditions/cel.ts';
import { type Value, type Variables, variablesOf } from '../../../engine/conditions/declarations.ts';
import { MAX_STEPS } from '../../../engine/conditions/work.ts';
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
    ['resource.properties.tags.exists_one(t, t.startsWith("b"))', true],
    ['size(resource.properties.tags.filter(t, t != "a")) == 2', true],
    ['["a", subject.id].exists(t, t in resource.properties.tags)', true],
    ['"g1" in context.claims.groups && "acr" in context.claims', true],
    ['context.claims.n == 5.0 && context.claims.share < 2', true],
    ['context.claims["a-b"]', true],
    ['context.claims.nothing == null', true],
    ['has(context.claims.acr) && !has(context.claims.amr)', true],
    ['context.ip.startsWith("10.") && context.ip.endsWith("3") && context.ip.contains("1.2")', true],
    ['"😀".size() == 1 && "a" + "b" == "ab"', true],
    ['1 + 2 * 3 == 7 && 7 % 4 == 3 && -7 / 2 == -3 && 1.5 / 0.5 == 3.0', true],
    ['context.time - duration("1h30m") < resource.properties.at', true],
    ['context.time.getHours("UTC") == 12', true],
    ['context.time.getMonth() == 6 && context.time.getDayOfWeek() == 3', true],
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
    // context.ip is an address in one form, or missing.
    expect(outcomeOf(range, { ip: '::ffff:10.0.0.1' })).toBe(true);
    expect(outcomeOf(range, { ip: '10.0.0.1:443' })).toBe(true);
    expect(outcomeOf(range, { ip: 'unknown' })).toMatch(/ip/);
    const other = "cidr('10.0.0.0/8').containsIP(subject.properties.department)";
    expect(outcomeOf(other)).toBe('it is no IP address');
  });
});

describe('what cannot be evaluated is unknown, with its own message', () => {
  test.each([
    ['context.claims.amr == "x"', 'No such key: amr'],
    ['context.claims.acr < 3', 'no such overload: dyn<string> < int'],
    ['context.claims.groups[7] == "x"', 'No such key: index out of bounds, index 7 >= size 2'],
    [
      'subject.properties.level * 9007199254740991 * 9007199254740991 > 0',
      'integer overflow: 324518553658426654725561982648324',
    ],
    ['context.claims.acr', 'it is no bool'],
  ])('%s', (expression, message) => {
    expect(outcomeOf(expression)).toBe(message);
  });

  test('a missing property, unless the rest decides', () => {
    const missing = { owner: undefined };
    expect(outcomeOf('resource.properties.owner == subject.id', {}, missing)).toBe('No such key: owner');
    expect(outcomeOf('resource.properties.owner == subject.id || true', {}, missing)).toBe(true);
    expect(outcomeOf('resource.properties.owner == subject.id && false', {}, missing)).toBe(false);
    expect(outcomeOf('!has(resource.properties.owner)', {}, missing)).toBe(true);
  });

  test('names of prototypes and of what JavaScript gives its values are names like any other', () => {
    const names = [
      ...['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', 'size', 'get', 'length'],
    ];
    for (const name of names) {
      expect(outcomeOf(`has(context.claims.${name}) || "${name}" in context.claims`)).toBe(false);
      expect(outcomeOf(`context.claims.${name} == null`)).toBe(`No such key: ${name}`);
      expect(outcomeOf(`context.claims["${name}"] == null`)).toBe(`No such key: ${name}`);
      for (const below of ['acr', 'n', 'groups', 'nothing', 'a-b'])
        expect(outcomeOf(`context.claims["${below}"].${name} == null`), below).toEqual(expect.any(String));
    }
    const own = { claims: JSON.parse('{"__proto__": 1, "constructor": 2, "size": 3}') };
    expect(
      outcomeOf(
        'context.claims.__proto__ == 1 && context.claims.constructor == 2 && context.claims.size == 3',
        own,
      ),
    ).toBe(true);
  });
});

describe('a time zone', () => {
  test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])(
    'shows its own clocks, also where those of the process are in %s and change at that time',
    (zone) => {
      const { TZ } = process.env;
      const hour = (time: string) => {
        const { evaluate } = parse('context.time.getHours("America/New_York") == 2');
        return evaluate(variables({ time }));
      };
      try {
        process.env.TZ = zone;
        // In New York it is half past two, when clocks in Berlin have no half past two.
        expect(hour('2026-03-29T06:30:00Z')).toEqual({ holds: true });
        expect(hour('2026-03-29T07:30:00Z')).toEqual({ holds: false });
        // Clocks in New York have no half past two.
        expect(hour('2026-03-08T07:30:00Z')).toEqual({ holds: false });
        // They have it twice, and then half past one.
        expect(hour('2026-10-04T06:30:00Z')).toEqual({ holds: true });
      } finally {
        if (TZ === undefined) Reflect.deleteProperty(process.env, 'TZ');
        else process.env.TZ = TZ;
      }
    },
  );
});

test('the parts of an expression are expressions, as they are written', () => {
  const parts = [
    '(context.claims.n == 1 || context.ip == ")") == false',
    '(subject.properties.level + 1) * 2 < (3 + 4)',
    '!(context.ip == "😀")',
  ];
  expect(conjunctsOf(parts.join(' && '))).toEqual(parts);
});

describe('an evaluation is bounded', () => {
  const long = { tags: Array.from({ length: 1_000 }, (_, index) => `tag ${index}`) };
  const tags = 'resource.properties.tags';
  const unknown = `it takes more than ${MAX_STEPS} steps`;

  /** Variables whose lists count how often an entry is read. */
  function counted(): { readonly variables: Variables; readonly reads: () => number } {
    let reads = 0;
    const count = (list: readonly Value[]) =>
      new Proxy(list, {
        get: (target, key, receiver) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
          return Reflect.get(target, key, receiver);
        },
      });
    const given = variables({}, long);
    const properties = new Map(given.resource.get('properties') as ReadonlyMap<string, Value>);
    properties.set('tags', count(properties.get('tags') as readonly Value[]));
    const resource = new Map(given.resource).set('properties', properties);
    return { variables: { ...given, resource }, reads: () => reads };
  }

  test('one pass over the largest list is within the bound', () => {
    expect(outcomeOf(`${tags}.all(t, t.startsWith("tag") && t != "x")`, {}, long)).toBe(true);
    const { variables, reads } = counted();
    expect(parse(`${tags}.all(t, t != "x")`).evaluate(variables)).toEqual({ holds: true });
    expect(reads()).toBe(1_000);
  });

  test.each([
    `${tags}.all(a, ${tags}.all(b, a != b || true))`,
    `${tags}.all(a, ${tags}.all(b, ${tags}.all(c, true)))`,
    `${tags}.exists(a, ${tags}.exists(b, ${tags}.exists(c, c == "no")))`,
    `${tags}.exists(a, ${tags} == ${tags}) || true`,
    `${tags}.filter(a, size(${tags}.filter(b, b == a)) == 1) == ${tags}`,
    `${tags}.exists(a, "x" in ${tags}) || true`,
    `["a", "b", "c", "d", "e", "f"].all(a, ${tags}.all(b, "x" in ${tags} || a != b))`,
  ])('%s is not begun', (expression) => {
    expect(check(expression, DECLARATIONS)).toBeUndefined();
    const { variables, reads } = counted();
    expect(parse(expression).evaluate(variables)).toEqual({ unknown });
    // The bound itself reads the list once for each time that it is named.
    expect(reads()).toBeLessThanOrEqual(10 * 1_000);
  });

  test('what takes few steps over short lists is evaluated', () => {
    expect(outcomeOf(`${tags}.all(a, ${tags}.exists_one(b, a == b))`)).toBe(true);
  });

  test('searching a long text for a long text counts', () => {
    const search = 'resource.properties.owner.contains(context.claims.acr)';
    const texts = (length: number) => ({ claims: { acr: `${'a'.repeat(length)}b` } });
    expect(outcomeOf(search, texts(40), { owner: 'a'.repeat(8_000) })).toBe(false);
    expect(outcomeOf(search, texts(4_000), { owner: 'a'.repeat(8_000) })).toBe(unknown);
  });

  test('searching a map counts its keys', () => {
    const search = `${tags}.exists(t, t in context.claims)`;
    const claims = (length: number) => ({ claims: { ['k'.repeat(length)]: 1 } });
    expect(outcomeOf(search, claims(64), long)).toBe(false);
    expect(outcomeOf(search, claims(7_000), long)).toBe(unknown);
  });

  test('texts beyond the bound of passed ones never reach an evaluation', () => {
    const owner = 'x'.repeat(1_000_000);
    expect(outcomeOf('resource.properties.owner == subject.id', {}, { owner })).toBe('No such key: owner');
    const { evaluate } = parse('resource.id == "r"');
    const resource = { type: 'record', id: owner };
    const input = { subject: { type: 'user', id: 'u' }, resource, action: { name: 'read' } };
    expect(evaluate(variablesOf(input, DECLARATIONS))).toEqual({ unknown: 'No such key: id' });
  });
});

describe('what it looks at', () => {
  test.each([
    ['context.ip == "1"', ['context.ip']],
    ['context.claims.acr == context.claims["x"].y', ['context.claims']],
    ['has(resource.properties.owner)', ['resource.properties.owner']],
    ['[subject.id].exists(x, x == resource.id)', ['resource.id', 'subject.id']],
    ['resource.properties.tags.exists(context_, context_ == "ip")', ['resource.properties.tags']],
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
    ['!!true', 0, /pair of signs/],
    ['--1 == 1', 0, /0 - x/],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, 24, /maxDepth/],
    // Names and types.
    ['context.ip2 == "x"', 8, /ip2/],
    ['subject.properties.owner == "x"', 19, /owner/],
    ['now > context.time', 0, /now is unknown/],
    ['context.ip == 1', 0, /string == int/],
    ['subject.properties.level', 0, /must be a bool, not int/],
    ['context.claims.exists(t, t.x).y', 0, /after a variable/],
    ['resource.properties.tags.exists(1, true)', 32, /invalid predicate/],
    ['resource.properties.tags.exists(t)', 0, /a variable and an expression/],
    ['resource.properties.tags.exists(int, true)', 0, /has a meaning already/],
    ['context.claims[context.ip] == "x"', 0, /after a variable/],
    ['context.claims.groups.exists(g, g == "g2")', 0, /what it is must be declared/],
    ['resource.properties.tags.filter(t, true).exists(t, true)', 0, /takes a declared list/],
    ['context.time.year == 1', 0, /no fields/],
    ['[1, "a"] == [1]', 4, /same type/],
    // Whole variables, and what is declared by an index.
    ['context == context', 0, /name what it looks at/],
    ['context["ip"] == "x"', 0, /name what it looks at/],
    ['subject.properties.exists(p, p == "x")', 0, /name what it looks at/],
    ['context in [context]', 0, /name what it looks at/],
    ['context.claims.groups.exists(context, context == "x")', 0, /has a meaning already/],
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
    ['context.claims.groups.map(g, g) == ["x"]', 0, /no function .map/],
    ['timestamp(context.ip) < context.time', 10, /RFC 3339/],
    ['timestamp("2026-02-30T00:00:00Z") < context.time', 10, /RFC 3339/],
    ['context.time - duration("1d") < context.time', 24, /duration as 1h30m/],
    ['context.time - duration("999999h") < context.time', 24, /duration as 1h30m/],
    ['duration("1h") < duration("2h")', 0, /taken from a time/],
    ['context.time + duration("1h") > context.time', 15, /taken from a time/],
    ['context.time - context.time == context.time - context.time', 0, /both must be known/],
    ['context.claims.n + 1 == 2', 0, /both must be known/],
    ['subject.properties.level / subject.properties.level == 1', 27, /a number that is written/],
    ['subject.properties.level % 0 == 1', 27, /divides by zero/],
    ['-subject.properties.level == 1', 0, /0 - x/],
    ['!!context.claims.acr', 0, /pair of signs/],
    ['cidr("10.0.0.0/8").containsIP(context.claims.ip)', 30, /takes a text/],
    ['subject.properties.level + 1 == context.claims.n', 0, /compared with an int/],
    ['subject.properties.level + 1 in [1]', 0, /compared with an int/],
    ['context.ip < "b"', 0, /known as a number or a time/],
    ['context.claims.a < context.claims.b', 0, /known as a number or a time/],
    ['0.0 / 0.0 >= context.claims.a', 0, /result of arithmetic can only be ordered/],
    ['context.claims.a < (true ? 2.5 : 0.0 / 0.0)', 0, /result of arithmetic can only be ordered/],
    ['has(context.claims.a.b)', 4, /key of a map/],
    ['has(context.ip.a)', 4, /key of a map/],
    ['has(context.other)', 4, /No such key: other/],
    ['context.ip.lowerAscii() == "a"', 0, /no function .lowerAscii/],
    ['context.time.getDayOfYear() == 1', 0, /no function .getDayOfYear/],
    ['timestamp("2026-01-01T00:00:00Z").getHours() == 1', 0, /a time that is given/],
    ['context.time.getHours("europe/berlin") == 1', 22, /time zone/],
    ['context.time.getHours("America/Port_Of_Spain") == 1', 22, /time zone/],
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
