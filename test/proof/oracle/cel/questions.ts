import type { VariablesInput } from '../../../../engine/conditions/declarations.ts';
import type { Declaration, Declarations, ValueType } from '../../../../table/properties.ts';
import type { Random } from '../random.ts';

/** A random expression, and what it is evaluated over. */
export interface Question {
  readonly expression: string;
  readonly input: VariablesInput;
}

const TYPES: readonly (readonly [string, ValueType])[] = [
  ['text', 'string'],
  ['other', 'string'],
  ['flag', 'bool'],
  ['count', 'int'],
  ['share', 'double'],
  ['at', 'timestamp'],
  ['tags', 'list<string>'],
  ['more', 'map'],
];

const declared = (source: Declaration['source']): ReadonlyMap<string, Declaration> =>
  new Map(TYPES.map(([name, type]) => [name, { type, source }]));

/** One property of each type, of everything. */
export const DECLARATIONS: Declarations = new Map([
  ['subject:user', declared('stored')],
  ['resource:record', declared('passed')],
  ['action', declared('passed')],
  ['context', declared('passed')],
]);

const TEXTS = [
  '',
  'a',
  'ab',
  'b',
  'Alice',
  'é',
  '😀',
  '\u{ffff}',
  'a😀b',
  '__proto__',
  'constructor',
  'x'.repeat(300),
];
const ADDRESSES = [
  '10.1.2.3',
  '192.168.0.1',
  '::1',
  '2001:db8::5',
  '::ffff:10.0.0.1',
  'fe80::1%eth0',
  '010.0.0.1',
  '1.2.3',
  '1::2::3',
  '0:0:0:0:0:ffff:a00:1',
  '::1.2.3.4',
  '1:2:3:4:5:6:7:8',
  '::',
  '1:2:3:4:5:6:7::',
  'ABCD::ef01',
  '10.0.0.256',
  '::12345',
  ':::',
  '1:2:3:4:5:6:1.2.3.4',
];
const RANGES = [
  '10.0.0.0/8',
  '10.1.2.3/32',
  '0.0.0.0/0',
  '10.128.0.0/9',
  '2001:db8::/32',
  '::/0',
  '::1/128',
  '2001:db8::5/127',
  '1.2.3.4/31',
  '::ffff:0:0/96',
  '10.0.0.0/33',
  '10.0.0.0',
  '10.0.0.0/08',
  '::/129',
  'fe80::%a/10',
  '1:2:3:4:5:6:7::/111',
];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Casablanca',
  'europe/berlin',
  'Nowhere/City',
  '',
  'Local',
  '+02:00',
  'Asia/Tokyo',
  'America/Argentina/Buenos_Aires',
];
const TIMES = [
  '2026-07-01T12:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-03-29T00:59:59.999Z',
  '2026-10-25T00:30:00+00:00',
  '1970-01-01T00:00:00Z',
  '2037-12-31T23:59:59-08:00',
  '2024-02-29T23:59:59.500Z',
  '2011-12-30T10:00:00Z',
  '2025-12-31T23:30:00.001Z',
  '1999-01-01T00:00:00Z',
  '2026-11-01T05:59:59.9Z',
];
const STRANGE_TIMES = [
  '2026-02-30T00:00:00Z',
  '2026-07-01',
  '2026-07-01T24:00:00Z',
  '2026-07-01T12:00:60Z',
  '1969-12-31T23:59:59Z',
  '2026-07-01t12:00:00z',
  '2026-07-01T12:00:00',
  '2026-07-01T12:00:00.123456Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-07-01T12:00:00+25:00',
  ' 2026-07-01T12:00:00Z',
];
const DURATIONS = [
  '1h',
  '90s',
  '1h30m',
  '-15m',
  '0s',
  '500ms',
  '2562047h',
  '1.5h',
  '1d',
  '24h',
  '720h',
  '+1h',
  '',
  '1',
  'h',
  '876000h',
];
const INTS = [
  '0',
  '1',
  '2',
  '-1',
  '3',
  '10',
  '100',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775807',
  '9223372036854775808',
  '0x1F',
  '1000000',
];
const DOUBLES = [
  '0.0',
  '1.0',
  '2.5',
  '-1.5',
  '1e3',
  '1e308',
  '9007199254740992.0',
  '9223372036854775807.0',
  '0.1',
  '1e-7',
  '1.5e2',
];
const ACCESSORS = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
];
const KEYS = [
  'acr',
  'groups',
  'n',
  'deep',
  'none',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'list',
  'missing',
];
const HOLDERS = ['subject.properties', 'resource.properties', 'action.properties', 'context'];

type Kind = 'bool' | 'int' | 'double' | 'string' | 'timestamp' | 'duration' | 'list' | 'dyn';
const KINDS: readonly Kind[] = ['bool', 'int', 'double', 'string', 'timestamp', 'duration', 'list', 'dyn'];
const PROPERTY: Partial<Record<Kind, readonly string[]>> = {
  bool: ['flag'],
  int: ['count'],
  double: ['share'],
  string: ['text', 'other'],
  timestamp: ['at'],
  list: ['tags'],
  dyn: ['more'],
};

interface Bound {
  readonly name: string;
  readonly kind: Kind;
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

/** Expressions of every form that conditions may have, now and then with a part of a wrong type. */
export function createExpressions(random: Random) {
  const { pick, oneIn, below } = random;

  const field = (holder: string, name: string): string =>
    oneIn(holder.includes('claims') ? 6 : 200) ? `${holder}['${name}']` : `${holder}.${name}`;
  const property = (kind: Kind): string => field(pick(HOLDERS), pick(PROPERTY[kind] ?? ['text']));
  const variable = (bound: readonly Bound[], kind: Kind): string | undefined => {
    const fitting = bound.filter((each) => each.kind === kind || each.kind === 'dyn' || kind === 'dyn');
    return fitting.length > 0 && oneIn(2) ? pick(fitting).name : undefined;
  };

  function dyn(bound: readonly Bound[]): string {
    const holder = oneIn(2) ? 'context.claims' : field(pick(HOLDERS), 'more');
    const path = field(oneIn(3) ? field(holder, pick(KEYS)) : holder, pick(KEYS));
    if (oneIn(8)) return `${path}[${of('int', 1, bound)}]`;
    if (oneIn(12)) return `${holder}[${of('string', 1, bound)}]`;
    return oneIn(10) ? pick(['null', 'subject', 'context', 'subject.properties', holder]) : path;
  }

  function literal(kind: Kind): string {
    switch (kind) {
      case 'bool':
        return pick(['true', 'false']);
      case 'int':
        return pick(INTS);
      case 'double':
        return pick(DOUBLES);
      case 'string':
        return oneIn(30)
          ? pick([`"a\\n\\u00e9"`, `'\\x41'`, `"\\""`, `'\\101'`, `'\\?'`])
          : quoted(pick(TEXTS));
      case 'timestamp':
        return `timestamp(${quoted(pick(oneIn(10) ? STRANGE_TIMES : TIMES))})`;
      case 'duration':
        return `duration(${quoted(pick(DURATIONS))})`;
      case 'list':
        return `[${Array.from({ length: below(4) }, () => quoted(pick(TEXTS))).join(', ')}]`;
      case 'dyn':
        return 'null';
    }
  }

  function comprehension(depth: number, bound: readonly Bound[], names: readonly string[]): string {
    const isDyn = oneIn(3);
    const kind = isDyn ? 'dyn' : pick<Kind>(['string', 'int']);
    const range = isDyn
      ? dyn(bound)
      : kind === 'string'
        ? oneIn(2)
          ? property('list')
          : of('list', depth - 1, bound)
        : `[${Array.from({ length: below(4) }, () => of('int', depth - 2, bound)).join(', ')}]`;
    const name = oneIn(40) ? pick(['context', 'subject', 'x', 'int']) : `v${bound.length}`;
    return `${range}.${pick(names)}(${name}, ${of('bool', depth - 1, [...bound, { name, kind }])})`;
  }

  function bool(depth: number, bound: readonly Bound[]): string {
    switch (below(14)) {
      case 0:
      case 1:
        return `${of('bool', depth - 1, bound)} && ${of('bool', depth - 1, bound)}`;
      case 2:
      case 3:
        return `(${of('bool', depth - 1, bound)} || ${of('bool', depth - 1, bound)})`;
      case 4:
        return `!${of('bool', depth - 1, bound)}`;
      case 5: {
        const kind = pick(KINDS);
        return `${of(kind, depth - 1, bound)} ${pick(['==', '!='])} ${of(oneIn(5) ? 'dyn' : kind, depth - 1, bound)}`;
      }
      case 6: {
        const kind = pick<Kind>(['int', 'double', 'string', 'timestamp', 'duration', 'bool', 'dyn']);
        const other = oneIn(4) ? pick<Kind>(['int', 'double', 'dyn']) : kind;
        return `${of(kind, depth - 1, bound)} ${pick(['<', '<=', '>', '>='])} ${of(other, depth - 1, bound)}`;
      }
      case 7:
        return `${of(oneIn(3) ? 'dyn' : 'string', depth - 1, bound)} in ${of(oneIn(3) ? 'dyn' : 'list', depth - 1, bound)}`;
      case 8:
        return `has(${oneIn(2) ? `context.claims.${pick(KEYS)}` : `${pick(HOLDERS)}.${pick(['text', 'more', 'at', 'nothing'])}`}${oneIn(4) ? `.${pick(KEYS)}` : ''})`;
      case 9:
        return comprehension(depth, bound, ['all', 'exists', 'exists_one']);
      case 10:
        return `${of(oneIn(4) ? 'dyn' : 'string', depth - 1, bound)}.${pick(['startsWith', 'endsWith', 'contains'])}(${of('string', depth - 1, bound)})`;
      case 11:
        return `cidr(${quoted(pick(RANGES))}).containsIP(${pick([quoted(pick(ADDRESSES)), 'context.ip', dyn(bound), of('string', 1, bound)])})`;
      case 12:
        return `${of('bool', depth - 1, bound)} ? ${of('bool', depth - 1, bound)} : ${of('bool', depth - 1, bound)}`;
      default:
        return `(${of('bool', depth - 1, bound)})`;
    }
  }

  function int(depth: number, bound: readonly Bound[]): string {
    switch (below(6)) {
      case 0:
        return `${of('int', depth - 1, bound)} ${pick(['+', '-', '*', '/', '%'])} ${of('int', depth - 1, bound)}`;
      case 1:
        return oneIn(2) ? `-${of('int', depth - 1, bound)}` : `(${of('int', depth - 1, bound)})`;
      case 2:
        return `size(${of(pick<Kind>(['string', 'list', 'dyn']), depth - 1, bound)})`;
      case 3:
        return `${of(pick<Kind>(['string', 'list', 'dyn']), depth - 1, bound)}.size()`;
      default: {
        const zone = oneIn(3) ? '' : quoted(pick(oneIn(4) ? ZONES : ZONES.slice(0, 9)));
        return `${of(oneIn(5) ? 'dyn' : 'timestamp', depth - 1, bound)}.${pick(ACCESSORS)}(${zone})`;
      }
    }
  }

  function list(depth: number, bound: readonly Bound[]): string {
    if (oneIn(4)) return `(${of('list', depth - 1, bound)} + ${of('list', depth - 1, bound)})`;
    if (oneIn(3)) return comprehension(depth, bound, ['filter', 'map']);
    const mixed = oneIn(4);
    return `[${Array.from({ length: below(4) }, () => of(mixed ? pick(KINDS) : 'string', depth - 1, bound)).join(', ')}]`;
  }

  /** An expression of the type, most of the time. */
  function of(kind: Kind, depth: number, bound: readonly Bound[]): string {
    if (oneIn(80)) return of(pick(KINDS), depth - 1, bound);
    const name = variable(bound, kind);
    if (name) return name;
    if (depth <= 0 || oneIn(5)) {
      if (kind === 'dyn') return dyn(bound);
      return oneIn(2) && kind !== 'duration' ? property(kind) : literal(kind);
    }
    if (oneIn(15))
      return `(${of('bool', depth - 1, bound)} ? ${of(kind, depth - 1, bound)} : ${of(kind, depth - 1, bound)})`;
    switch (kind) {
      case 'bool':
        return bool(depth, bound);
      case 'int':
        return int(depth, bound);
      case 'double':
        return oneIn(2)
          ? `${of('double', depth - 1, bound)} ${pick(['+', '-', '*', '/'])} ${of('double', depth - 1, bound)}`
          : `-${of('double', depth - 1, bound)}`;
      case 'string':
        return oneIn(2)
          ? `${of('string', depth - 1, bound)}${oneIn(2) ? '.lowerAscii()' : '.upperAscii()'}`
          : `(${of('string', depth - 1, bound)} + ${of('string', depth - 1, bound)})`;
      case 'timestamp':
        if (oneIn(2)) return `(${of('timestamp', depth - 1, bound)} - ${literal('duration')})`;
        return `(${of('timestamp', depth - 1, bound)} ${pick(['+', '-'])} ${of('duration', depth - 1, bound)})`;
      case 'duration':
        return oneIn(2)
          ? `(${of('timestamp', depth - 1, bound)} - ${of('timestamp', depth - 1, bound)})`
          : `(${of('duration', depth - 1, bound)} ${pick(['+', '-'])} ${of('duration', depth - 1, bound)})`;
      case 'list':
        return list(depth, bound);
      case 'dyn':
        return dyn(bound);
    }
  }

  const CHARACTERS = [
    ...'()[]{}.,:?!&|=<>+-*/%"\'\\ru0123456789abx_ \n#@`$😀',
    'in',
    'null',
    'if',
    '//',
    '==',
    'u',
    "b'",
    'r"',
    '"""',
  ];

  /** A text that may no longer be an expression. */
  function damaged(text: string): string {
    const at = below(text.length + 1);
    const characters = [...text.slice(0, at)].join('');
    return oneIn(2)
      ? `${characters}${pick(CHARACTERS)}${text.slice(at)}`
      : characters + text.slice(at + 1 + below(3));
  }

  return (): string => {
    const text = of('bool', 1 + below(5), []);
    return oneIn(12) ? damaged(text) : text;
  };
}

/** Values of properties: those that fit, and missing, wrong and hostile ones. */
export function createInputs(random: Random, hostile: readonly unknown[] = []) {
  const { pick, oneIn, below } = random;

  function any(level: number): unknown {
    switch (below(level > 3 ? 6 : 8)) {
      case 0:
        return pick(TEXTS);
      case 1:
        return pick([0, 1, -1, 2, 3.5, 1e300, 9007199254740991, 9007199254740992, -0, 0.1]);
      case 2:
        return pick([true, false]);
      case 3:
        return pick([null, ...TIMES]);
      case 4:
        return pick(ADDRESSES);
      case 5:
        return pick(KEYS);
      case 6:
        return Array.from({ length: below(4) }, () => any(level + 1));
      default:
        return JSON.parse(
          `{${random
            .some(KEYS, 5)
            .map((key) => `${JSON.stringify(key)}:${JSON.stringify(any(level + 1))}`)
            .join(',')}}`,
        );
    }
  }

  function fitting(type: ValueType): unknown {
    switch (type) {
      case 'string':
        return oneIn(3) ? pick(ADDRESSES) : pick(TEXTS);
      case 'bool':
        return pick([true, false]);
      case 'int':
        return pick([0, 1, 2, 3, -1, 9007199254740991]);
      case 'double':
        return pick([0, 1, 2.5, -1.5, 1e308, 9007199254740992]);
      case 'timestamp':
        return pick(oneIn(8) ? STRANGE_TIMES : TIMES);
      case 'list<string>':
        return random.some(TEXTS, 4);
      case 'map':
        return JSON.parse(
          `{${KEYS.slice(0, 5).map((key) => `${JSON.stringify(key)}:${JSON.stringify(any(1))}`)}}`,
        );
    }
  }

  const value = (type: ValueType): unknown => {
    if (hostile.length > 0 && oneIn(4)) return pick(hostile);
    return oneIn(6) ? any(0) : fitting(type);
  };

  function properties(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, type] of TYPES) if (!oneIn(6)) values[name] = value(type);
    return values;
  }

  return (): VariablesInput => ({
    subject: { type: 'user', id: pick(['alice', 'a', 'ab']), stored: properties(), passed: properties() },
    resource: { type: 'record', id: pick(['alice', 'r1']), stored: properties(), passed: properties() },
    action: { name: pick(['read', 'write']), passed: properties() },
    context: {
      ...properties(),
      ...(oneIn(5) ? {} : { ip: value('string'), time: value('timestamp'), claims: value('map') }),
    },
  });
}

export function createQuestions(random: Random): () => Question {
  const expression = createExpressions(random);
  const input = createInputs(random);
  return () => ({ expression: expression(), input: input() });
}
