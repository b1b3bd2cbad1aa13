import type { Property } from '../../provisioning/documents/commands.ts';
import type { Random } from '../proof/oracle/random.ts';
import type { Input } from './support.ts';

/** Inputs from the corners of a command's own schema: what is at its bounds, past them, and of another kind. */

interface Schema extends Property {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A map with an own property of any name, `__proto__` included. */
const own = (name: string, value: unknown): Input =>
  Object.defineProperty({}, name, { value, enumerable: true }) as Input;

const nested = (levels: number, inner: unknown): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { in: value } : [value];
  return value;
};

const ID = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const ODD = ['\u001b[2J', '\ud800', '\udfff', ...'\u0000\n\u0085\u2028\u202e\uffff# '];
const ODDER = [...'😀ßıKé\ufeff:*"\'\\', '%00', '{{}}', '{a}', '../', '$ne'];
const NAMES = words('constructor __proto__ toString hasOwnProperty PK Type rev ttl then');
const TEXTS = [
  '',
  ...[ID, ID.toLowerCase(), `:${ID}`],
  ...['tenant', 'user', 'technical-user', 'constructor'].map((type) => `${type}:${ID}`),
  ...words(`
    transaction.write tenant.apply access.compare user.create scope.delete-tree
    a - 0 * *:*:* a:b:c a:*:c global tenant null undefined +4930123456 ann@example.com
    00000000-0000-0000-0000-000000000000 /a/{b} location:{b} tenant:{claim:t}
    0000-01-01T00:00:00Z 9999-12-31T23:59:59Z 9999-12-31T23:59:59-14:00 2026-02-30 2026-01-01
    1e400 -0 0x10 { {"__proto__":1} Europe/Berlin http://a javascript:x ::1
  `),
];
const NUMBERS = [
  ...[0, -0, 1, -1, 0.5, 7.5, 90, 180, 1_000, 1e12, 1e-130, 1e-200, 5e-324, 1e126, 1e200, -1e200, 2 ** 53],
  ...[Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31],
];
const MAPS: readonly unknown[] = [
  ...[{}, { a: null }, { a: { b: [1, 'x', true] } }, { '': 1 }, { '\ud800': 1 }, { a: '\udc00' }],
  ...NAMES.flatMap((name) => [own(name, 1), { a: own(name, { name: 'Map' }) }]),
  ...NUMBERS.map((number) => ({ a: [number] })),
  ...[7, 8, 9, 19, 20, 21, 33, 3_000].map((levels) => ({ a: nested(levels, 1) })),
  { a: 'x'.repeat(40_000) },
  Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, n])),
];
const OTHERS: readonly unknown[] = [
  ...[null, undefined, true, false, 7, '', 'x'],
  ...[[], [[]], [null], {}, { $ne: null }],
];

/** A value for a field: mostly one of its type, sometimes any. What is at a bound: input-bounds.test.ts, bad-input.test.ts. */
function cornerOf(random: Random, { type, enum: words, anyOf, items = {} }: Schema, good: unknown): unknown {
  if (random.next() < 0.15) return random.pick([...OTHERS, ...TEXTS, ...NUMBERS, ...MAPS]);
  if (anyOf) return cornerOf(random, random.pick(anyOf), good);
  if (words) return random.pick([...words, ...words.map((word) => ` ${word}`), ...TEXTS]);
  if (type === 'string') return textOf(random, typeof good === 'string' ? good : 'dashboard');
  if (type === 'number' || type === 'integer') return random.pick(NUMBERS);
  if (type === 'boolean') return random.next() < 0.5;
  if (type !== 'array') return random.pick(MAPS);
  const [first] = Array.isArray(good) ? good : [];
  const entry = random.next() < 0.3 && first !== undefined ? first : cornerOf(random, items, first);
  return Array(random.pick([0, 1, 2, 51, 1_001])).fill(entry);
}

function textOf(random: Random, good: string): string {
  const odd = random.pick([...ODD, ...ODDER]);
  const at = random.below(good.length + 1);
  return random.pick([
    () => random.pick(TEXTS),
    () => random.pick(NAMES),
    () => good,
    () => good.slice(0, at) + odd + good.slice(at),
    () => odd,
    () => odd.repeat(random.pick([64, 128, 10_000])),
    () => ` ${good} `,
    () => good.toUpperCase(),
  ])();
}

type Path = readonly string[];

/** Every place in a value, down to its tenth level. */
const placesIn = (value: unknown, at: Path = []): readonly Path[] => [
  at,
  ...(typeof value === 'object' && value !== null && at.length < 10
    ? Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))
    : []),
];

/** The value with another one at a place; a new name is added where the last of the path is one. */
function withAt(value: unknown, [name, ...rest]: Path, other: (old: unknown) => unknown): unknown {
  if (name === undefined) return other(value);
  const inside = (value ?? {}) as Input;
  const changed = withAt(inside[name], rest, other);
  if (Array.isArray(value)) return value.map((each, n) => (String(n) === name ? changed : each));
  return { ...inside, ...own(name, changed) };
}

/** A good value with something in it changed, at any place. */
function spoilt(random: Random, value: unknown): unknown {
  const place = random.pick(placesIn(value));
  const added = random.next() < 0.1 ? [random.pick(NAMES)] : [];
  return withAt(value, [...place, ...added], (old) =>
    random.next() < 0.5 ? random.pick([null, ...OTHERS]) : cornerOf(random, { type: typeof old }, old),
  );
}

/** A good input with one to three things changed: fields with values from the corners, missing, or unknown. */
export function cornered(random: Random, schema: Schema, good: Input): Input {
  const fields = Object.entries(schema.properties ?? {});
  let input: Input = random.next() < 0.15 ? {} : { ...good };
  for (let changes = random.pick([0, 1, 1, 1, 2, 3]); changes > 0; changes--) {
    const [name, each] = fields.length > 0 ? random.pick(fields) : ['', {}];
    if (random.next() < 0.08)
      input = { ...input, ...own(random.pick([...NAMES, 'x'.repeat(10_000), '\ud800', '']), 1) };
    else if (random.next() < 0.1)
      input = Object.fromEntries(Object.entries(input ?? {}).filter(([key]) => key !== name));
    else if (random.next() < 0.4) input = spoilt(random, input) as Input;
    else if (name !== '') input = { ...input, [name]: cornerOf(random, each, good[name]) };
  }
  return input;
}
