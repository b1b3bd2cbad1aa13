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

const TEXTS = ['', ...'a ab b Alice é 😀 \u{ffff} a😀b __proto__ constructor'.split(' '), 'x'.repeat(300)];
const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const ADDRESSES = words(`
  10.1.2.3 192.168.0.1 ::1 2001:db8::5 ::ffff:10.0.0.1 fe80::1%eth0 010.0.0.1 1.2.3 1::2::3
  0:0:0:0:0:ffff:a00:1 ::1.2.3.4 1:2:3:4:5:6:7:8 :: 1:2:3:4:5:6:7:: ABCD::ef01 10.0.0.256 ::12345 :::
  1:2:3:4:5:6:1.2.3.4
`);
const RANGES = words(`
  10.0.0.0/8 10.1.2.3/32 0.0.0.0/0 10.128.0.0/9 2001:db8::/32 ::/0 ::1/128 2001:db8::5/127 1.2.3.4/31
  ::ffff:0:0/96 10.0.0.0/33 10.0.0.0 10.0.0.0/08 ::/129 fe80::%a/10 1:2:3:4:5:6:7::/111
`);
/** The first nine are zones, whose clocks change in different ways. */
const ZONES = words(`
  UTC Europe/Berlin America/New_York Asia/Kolkata Asia/Kathmandu Australia/Lord_Howe America/Sao_Paulo
  Pacific/Apia Africa/Casablanca europe/berlin Nowhere/City Local +02:00 Asia/Tokyo
  America/Argentina/Buenos_Aires
`).concat('');
const TIMES = words(`
  2026-07-01T12:00:00Z 2026-03-29T01:00:00Z 2026-03-29T00:59:59.999Z 2026-10-25T00:30:00+00:00
  1970-01-01T00:00:00Z 2037-12-31T23:59:59-08:00 2024-02-29T23:59:59.500Z 2011-12-30T10:00:00Z
  2025-12-31T23:30:00.001Z 1999-01-01T00:00:00Z 2026-11-01T05:59:59.9Z
`);
const STRANGE_TIMES = words(`
  2026-02-30T00:00:00Z 2026-07-01 2026-07-01T24:00:00Z 2026-07-01T12:00:60Z 1969-12-31T23:59:59Z
  2026-07-01t12:00:00z 2026-07-01T12:00:00 2026-07-01T12:00:00.123456Z 0000-01-01T00:00:00Z
  9999-12-31T23:59:59Z 2026-07-01T12:00:00+25:00
`).concat(' 2026-07-01T12:00:00Z');
const DURATIONS = ['', ...'1h 90s 1h30m -15m 0s 500ms 2562047h 1.5h 1d 24h 720h +1h 1 h 876000h'.split(' ')];
const INTS = words(`
  0 1 2 -1 3 10 100 9007199254740993 9223372036854775807 -9223372036854775807 9223372036854775808 0x1F
  1000000
`);
const DOUBLES = '0.0 1.0 2.5 -1.5 1e3 1e308 9007199254740992.0 9223372036854775807.0 0.1 1e-7 1.5e2'.split(
  ' ',
);
const ACCESSORS = words(`
  getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds
  getMilliseconds
`);
const KEYS = 'acr groups n deep none __proto__ constructor hasOwnProperty list missing'.split(' ');
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

  const literals: Readonly<Record<Kind, () => string>> = {
    bool: () => pick(['true', 'false']),
    int: () => pick(INTS),
    double: () => pick(DOUBLES),
    string: () =>
      oneIn(30) ? pick([`"a\\n\\u00e9"`, `'\\x41'`, `"\\""`, `'\\101'`, `'\\?'`]) : quoted(pick(TEXTS)),
    timestamp: () => `timestamp(${quoted(pick(oneIn(10) ? STRANGE_TIMES : TIMES))})`,
    duration: () => `duration(${quoted(pick(DURATIONS))})`,
    list: () => `[${several(() => quoted(pick(TEXTS)))}]`,
    dyn: () => 'null',
  };
  const several = (make: () => string): string => Array.from({ length: below(4) }, make).join(', ');

  function comprehension(depth: number, bound: readonly Bound[], names: readonly string[]): string {
    const isDyn = oneIn(3);
    const kind = isDyn ? 'dyn' : pick<Kind>(['string', 'int']);
    const range = isDyn
      ? dyn(bound)
      : kind === 'string'
        ? oneIn(2)
          ? property('list')
          : of('list', depth - 1, bound)
        : `[${several(() => of('int', depth - 2, bound))}]`;
    const name = oneIn(40) ? pick(['context', 'subject', 'x', 'int']) : `v${bound.length}`;
    return `${range}.${pick(names)}(${name}, ${of('bool', depth - 1, [...bound, { name, kind }])})`;
  }

  /** Expressions of a type, of parts of which each is one level lower. */
  const compounds: Readonly<
    Record<
      Exclude<Kind, 'dyn'>,
      (part: (kind: Kind) => string, depth: number, bound: readonly Bound[]) => string
    >
  > = {
    bool: (part, depth, bound) => {
      const sometimesDyn = (times: number, kind: Kind): string => part(oneIn(times) ? 'dyn' : kind);
      const and = () => `${part('bool')} && ${part('bool')}`;
      const or = () => `(${part('bool')} || ${part('bool')})`;
      const equal = () => {
        const kind = pick(KINDS);
        return `${part(kind)} ${pick(['==', '!='])} ${sometimesDyn(5, kind)}`;
      };
      const ordered = () => {
        const kind = pick<Kind>(['int', 'double', 'string', 'timestamp', 'duration', 'bool', 'dyn']);
        const other = oneIn(4) ? pick<Kind>(['int', 'double', 'dyn']) : kind;
        return `${part(kind)} ${pick(['<', '<=', '>', '>='])} ${part(other)}`;
      };
      const named = () =>
        oneIn(2)
          ? `context.claims.${pick(KEYS)}`
          : `${pick(HOLDERS)}.${pick(['text', 'more', 'at', 'nothing'])}`;
      const ip = () => pick([quoted(pick(ADDRESSES)), 'context.ip', dyn(bound), of('string', 1, bound)]);
      return pick([
        ...[and, and, or, or, equal, ordered],
        () => `!${part('bool')}`,
        () => `${sometimesDyn(3, 'string')} in ${sometimesDyn(3, 'list')}`,
        () => `has(${named()}${oneIn(4) ? `.${pick(KEYS)}` : ''})`,
        () => comprehension(depth, bound, ['all', 'exists', 'exists_one']),
        () =>
          `${sometimesDyn(4, 'string')}.${pick(['startsWith', 'endsWith', 'contains'])}(${part('string')})`,
        () => `cidr(${quoted(pick(RANGES))}).containsIP(${ip()})`,
        () => `${part('bool')} ? ${part('bool')} : ${part('bool')}`,
        () => `(${part('bool')})`,
      ])();
    },
    int: (part) => {
      const sized = () => part(pick<Kind>(['string', 'list', 'dyn']));
      const accessed = () => {
        const zone = oneIn(3) ? '' : quoted(pick(oneIn(4) ? ZONES : ZONES.slice(0, 9)));
        return `${part(oneIn(5) ? 'dyn' : 'timestamp')}.${pick(ACCESSORS)}(${zone})`;
      };
      return pick([
        () => `${part('int')} ${pick(['+', '-', '*', '/', '%'])} ${part('int')}`,
        () => (oneIn(2) ? `-${part('int')}` : `(${part('int')})`),
        () => `size(${sized()})`,
        () => `${sized()}.size()`,
        ...[accessed, accessed],
      ])();
    },
    double: (part) =>
      oneIn(2) ? `${part('double')} ${pick(['+', '-', '*', '/'])} ${part('double')}` : `-${part('double')}`,
    string: (part) =>
      oneIn(2)
        ? `${part('string')}${oneIn(2) ? '.lowerAscii()' : '.upperAscii()'}`
        : `(${part('string')} + ${part('string')})`,
    timestamp: (part) =>
      oneIn(2)
        ? `(${part('timestamp')} - ${literals.duration()})`
        : `(${part('timestamp')} ${pick(['+', '-'])} ${part('duration')})`,
    duration: (part) =>
      oneIn(2)
        ? `(${part('timestamp')} - ${part('timestamp')})`
        : `(${part('duration')} ${pick(['+', '-'])} ${part('duration')})`,
    list: (part, depth, bound) => {
      if (oneIn(4)) return `(${part('list')} + ${part('list')})`;
      if (oneIn(3)) return comprehension(depth, bound, ['filter', 'map']);
      const mixed = oneIn(4);
      return `[${several(() => part(mixed ? pick(KINDS) : 'string'))}]`;
    },
  };

  /** An expression of the type, most of the time. */
  function of(kind: Kind, depth: number, bound: readonly Bound[]): string {
    const part = (kind: Kind): string => of(kind, depth - 1, bound);
    if (oneIn(80)) return part(pick(KINDS));
    const name = variable(bound, kind);
    if (name) return name;
    if (kind !== 'dyn' && (depth <= 0 || oneIn(5)))
      return oneIn(2) && kind !== 'duration' ? property(kind) : literals[kind]();
    if (depth > 0 && oneIn(15)) return `(${part('bool')} ? ${part(kind)} : ${part(kind)})`;
    return kind === 'dyn' ? dyn(bound) : compounds[kind](part, depth, bound);
  }

  const CHARACTERS = [
    ...'()[]{}.,:?!&|=<>+-*/%"\'\\ru0123456789abx_ \n#@`$😀',
    ...`in null if // == u b' r" """`.split(' '),
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

  /** By way of JSON: so `__proto__` is a key like others. */
  const mapOf = (keys: readonly string[], level: number): unknown =>
    JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(any(level))}`)}}`);

  function any(level: number): unknown {
    const flat = [
      () => pick(TEXTS),
      () => pick([0, 1, -1, 2, 3.5, 1e300, 9007199254740991, 9007199254740992, -0, 0.1]),
      () => pick([true, false]),
      () => pick([null, ...TIMES]),
      () => pick(ADDRESSES),
      () => pick(KEYS),
    ];
    const deep = [
      () => Array.from({ length: below(4) }, () => any(level + 1)),
      () => mapOf(random.some(KEYS, 5), level + 1),
    ];
    return pick<() => unknown>(level > 3 ? flat : [...flat, ...deep])();
  }

  const fitting: Readonly<Record<ValueType, () => unknown>> = {
    string: () => pick(oneIn(3) ? ADDRESSES : TEXTS),
    bool: () => pick([true, false]),
    int: () => pick([0, 1, 2, 3, -1, 9007199254740991]),
    double: () => pick([0, 1, 2.5, -1.5, 1e308, 9007199254740992]),
    timestamp: () => pick(oneIn(8) ? STRANGE_TIMES : TIMES),
    'list<string>': () => random.some(TEXTS, 4),
    map: () => mapOf(KEYS.slice(0, 5), 1),
  };

  const value = (type: ValueType): unknown => {
    if (hostile.length > 0 && oneIn(4)) return pick(hostile);
    return oneIn(6) ? any(0) : fitting[type]();
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
