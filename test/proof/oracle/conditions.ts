import type { Given } from '../../../engine/index.ts';
import type { ValueType } from '../../../table/properties.ts';
import type { Properties } from './model.ts';
import type { Operation } from './operations.ts';
import * as does from './operations.ts';
import type { Random } from './random.ts';

/**
 * Random conditions, and the properties that they look at. There are few names and few values, so that they
 * are often equal, and often missing.
 */

/** Names that may be declared, by category; each always has the same type. */
export const NAMES = {
  subject: {
    level: 'string',
    badge: 'string',
    rank: 'int',
    until: 'timestamp',
    tags: 'list<string>',
    vip: 'bool',
  },
  resource: {
    level: 'string',
    owner: 'string',
    size: 'int',
    share: 'double',
    tags: 'list<string>',
    more: 'map',
  },
  action: { soft: 'bool', weight: 'double' },
  context: { zone: 'string', count: 'int' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ValueType>>>>;

type Category = keyof typeof NAMES;

const INSTANTS = ['2026-01-15T12:00:00Z', '2026-01-15T13:00:00.500Z', '2026-01-15T14:00:00.000Z'];
const TEXTS = ['low', 'high', '10.1.2.3', 'read'];
/** A resource type of which the table keeps nothing. */
const OBJECT = 'record';

const DRAWN: Readonly<Record<ValueType, (random: Random) => unknown>> = {
  string: (random) => random.pick(TEXTS),
  bool: (random) => random.oneIn(2),
  int: (random) => random.below(4),
  double: (random) => random.pick([0, 0.5, 1, 2.5]),
  timestamp: (random) => random.pick(INSTANTS),
  'list<string>': (random) => random.some(TEXTS, 3),
  map: (random) =>
    random.pick([{}, { acr: 'mfa' }, { acr: 'high', n: 1 }, { acr: 2.5, deep: { n: ['low'] } }]),
};
const drawn = (random: Random, type: ValueType): unknown => DRAWN[type](random);
const misfit = (random: Random, type: ValueType): unknown =>
  random.oneIn(3)
    ? random.pick(['2026-02-30T00:00:00Z', 9_007_199_254_740_992, 'x'.repeat(9_000), [1, 'low'], null, {}])
    : drawn(random, random.pick(Object.values(NAMES.resource).filter((other) => other !== type)));

/** Values of some of these names; now and then one that does not fit, or whose name is not declared. */
function someValues(random: Random, category: Category, isPassed: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(NAMES[category])) {
    if (random.oneIn(3)) continue;
    values[name] = isPassed && random.oneIn(10) ? misfit(random, type) : drawn(random, type);
  }
  if (random.oneIn(4)) values.ghost = 'high';
  return values;
}

/** Stored properties; null for none. A value that does not fit is refused if it is declared by then. */
export const storedProperties = (random: Random, category: 'subject' | 'resource'): Properties | null => {
  if (random.oneIn(6)) return null;
  const values = someValues(random, category, false);
  return random.oneIn(8) ? { ...values, level: random.pick([7, true]) } : values;
};

/** A declaration of a subject or resource type, of actions or of the context. */
export function declaration(random: Random, types: Types): Operation {
  const category = random.pick(['subject', 'resource', 'resource', 'action', 'context'] as const);
  const [name, type] = random.pick(Object.entries(NAMES[category]));
  return declarationOf(random, ownerOf(random, category, types), name, type);
}

export const removedDeclaration = (random: Random, types: Types): Operation => {
  const category = random.pick(['subject', 'resource', 'action', 'context'] as const);
  return does.undeclare(ownerOf(random, category, types), random.pick(Object.keys(NAMES[category])));
};

/** Types of subjects and of scopes that there are. */
export interface Types {
  readonly subjects: readonly string[];
  readonly scopes: readonly string[];
}

const ownerOf = (random: Random, category: Category, { subjects, scopes }: Types): string => {
  if (category === 'subject') return `subject:${random.pick(subjects)}`;
  return category === 'resource' ? `resource:${random.pick([...scopes, OBJECT])}` : category;
};

/** Some names are mostly passed; a type may have another source than another type. */
function declarationOf(random: Random, of: string, name: string, type: ValueType): Operation {
  const isKept = of.includes(':') && of !== `resource:${OBJECT}`;
  const isUsuallyPassed = name === 'badge' || name === 'owner';
  return does.declare(of, name, type, isKept && isUsuallyPassed === random.oneIn(6) ? 'stored' : 'passed');
}

/** Every name is declared of something, so that conditions may use it; and of most types. */
export function declarations(random: Random, { subjects, scopes }: Types): readonly Operation[] {
  const all = (of: string, category: Category) =>
    Object.entries(NAMES[category]).map(([name, type]) => declarationOf(random, of, name, type));
  const most = (of: string, category: Category) => all(of, category).filter(() => !random.oneIn(6));
  const [first = '', ...others] = subjects;
  return [
    ...all(`subject:${first}`, 'subject'),
    ...others.flatMap((type) => most(`subject:${type}`, 'subject')),
    ...all(`resource:${OBJECT}`, 'resource'),
    ...scopes.flatMap((type) => most(`resource:${type}`, 'resource')),
    ...all('action', 'action'),
    ...all('context', 'context'),
  ];
}

/** What a caller gives: some of it, of another type, spoofing what is stored, for an object of its own. */
export function given(random: Random, ids: readonly string[], types: Types): Given | undefined {
  if (random.oneIn(6)) return undefined;
  const passed = (category: Category) => someValues(random, category, true);
  const context = {
    ...passed('context'),
    ...(random.oneIn(3)
      ? {}
      : { ip: random.oneIn(12) ? 10 : random.pick(['10.1.2.3', '192.168.0.1', 'low']) }),
    ...(random.oneIn(3) ? {} : { time: random.oneIn(12) ? 'now' : random.pick(INSTANTS) }),
    ...(random.oneIn(3) ? {} : { claims: drawn(random, 'map') }),
  };
  return {
    ...(random.oneIn(3) ? {} : { subject: { properties: passed('subject') } }),
    ...(random.oneIn(3)
      ? {}
      : { resource: { ...objectOf(random, ids, types), properties: passed('resource') } }),
    ...(random.oneIn(3)
      ? {}
      : {
          action: { ...(random.oneIn(2) ? {} : { name: random.pick(TEXTS) }), properties: passed('action') },
        }),
    ...(random.oneIn(4) ? {} : { context }),
  };
}

/** Mostly the scope itself; otherwise an object of the application, or what looks like another scope. */
function objectOf(random: Random, ids: readonly string[], { scopes }: Types): { type?: string; id?: string } {
  if (!random.oneIn(3)) return {};
  if (random.oneIn(2)) return { type: OBJECT, id: random.pick(TEXTS) };
  return random.oneIn(3) ? { type: random.pick(scopes) } : { id: random.pick(ids) };
}

// Expressions.

const quoted = (text: string): string => `'${text}'`;
const text = (random: Random): string => quoted(random.pick(TEXTS));
const property = (category: Category, name: string): string =>
  category === 'context' ? `context.${name}` : `${category}.properties.${name}`;

/** Everything of a type that there is to look at. */
const OPERANDS: Readonly<
  Record<'string' | 'int' | 'double' | 'bool' | 'timestamp' | 'list', readonly string[]>
> = {
  string: [
    ...(['level', 'badge', 'level', 'badge'] as const).map((name) => property('subject', name)),
    ...(['level', 'owner', 'level', 'owner'] as const).map((name) => property('resource', name)),
    ...['context.zone', 'context.ip', 'action.name', 'subject.id', 'resource.id'],
    ...['subject.type', 'resource.type', 'context.claims.acr', 'resource.properties.more.acr'],
  ],
  int: ['subject.properties.rank', 'resource.properties.size', 'context.count'],
  double: ['resource.properties.share', 'action.properties.weight'],
  bool: ['subject.properties.vip', 'action.properties.soft'],
  timestamp: ['subject.properties.until', 'context.time'],
  list: ['subject.properties.tags', 'resource.properties.tags'],
};
const HAVING = Object.values(OPERANDS)
  .flat()
  .filter((each) => /properties|context/.test(each));

function atom(random: Random): string {
  const string = () => random.pick(OPERANDS.string);
  const other = () => (random.oneIn(2) ? text(random) : string());
  const list = () => random.pick([...OPERANDS.list, `[${text(random)}, ${text(random)}]`]);
  const comparison = (operands: readonly string[], literal: string) => {
    const operator = random.pick(['<', '<=', '>', '>=', '==', '!=']);
    return `${random.pick(operands)} ${operator} ${random.pick([literal, ...operands])}`;
  };
  const equal = () => `${string()} ${random.pick(['==', '==', '!='])} ${other()}`;
  return random.pick([
    ...[equal, equal, equal],
    () => `${string()} in ${list()}`,
    () => `has(${random.pick(HAVING)})`,
    () => comparison(OPERANDS.int, String(random.below(4))),
    () => comparison(OPERANDS.double, random.pick(['0.5', '1.0', '1'])),
    () => comparison(OPERANDS.timestamp, `timestamp(${quoted(random.pick(INSTANTS))})`),
    () => random.pick(OPERANDS.bool),
    () => `cidr('10.0.0.0/8').containsIP(${random.pick(['context.ip', string()])})`,
    () => `${random.pick(OPERANDS.list)}.${random.pick(['exists', 'all'])}(each, each == ${other()})`,
    () => `size(${random.pick(OPERANDS.list)}) > ${random.below(3)}`,
    () => `${string()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${other()})`,
  ])();
}

/** An expression: one comparison, or a few that are joined. */
export function condition(random: Random): string {
  const some = () => (random.oneIn(5) ? `!(${atom(random)})` : atom(random));
  const both = () => `${some()} && ${some()}`;
  const unlessThere = () => {
    const name = random.pick(HAVING.filter((each) => OPERANDS.string.includes(each)));
    return `!has(${name}) || ${name} != ${text(random)}`;
  };
  return random.pick([
    ...[some, some, some, both, both],
    () => `${some()} || ${some()}`,
    unlessThere,
    () => `(${some()} || ${some()}) && (${atom(random)} ? ${atom(random)} : ${some()})`,
  ])();
}
