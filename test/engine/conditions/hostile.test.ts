import { expect, test } from 'vitest';
import { check, parse } from '../../../engine/conditions/cel.ts';
import { convert, type VariablesInput, variablesOf } from '../../../engine/conditions/declarations.ts';
import type { Properties, ValueType } from '../../../table/properties.ts';
import { createExpressions, createInputs, DECLARATIONS } from '../../proof/oracle/cel/questions.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { size } from '../../support/tier.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { next: value };
  return value;
};

const HOSTILE: readonly unknown[] = [
  JSON.parse('{"__proto__": {"flag": true, "text": "alice"}, "constructor": {"prototype": {"flag": true}}}'),
  JSON.parse('{"toString": null, "valueOf": 1, "hasOwnProperty": true, "then": "x"}'),
  nested(5),
  nested(20_000),
  'x'.repeat(1_000_000),
  `${'a'.repeat(8_000)}!`,
  '(a+)+$',
  '\ud800',
  Array.from({ length: 1_000 }, () => 'tag'),
  Array.from({ length: 5_000 }, () => 'tag'),
  new Array(3),
  Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e300,
  -0,
  2n ** 70n,
  new Date(Number.NaN),
  new Date(8.64e15),
  () => true,
  Symbol('true'),
  new Map([['flag', true]]),
  new Proxy({}, { has: () => true }),
  undefined,
  null,
];

const TYPES: ReadonlyMap<string, ValueType> = new Map(
  [...(DECLARATIONS.get('context') ?? [])].map(([name, { type }]) => [name, type]),
);
const BUILT_IN = new Map<string, ValueType>([
  ['ip', 'string'],
  ['time', 'timestamp'],
  ['claims', 'map'],
]);

/** Without what does not fit its type. */
const fitting = (values: Properties = {}): Properties =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const type = BUILT_IN.get(name) ?? TYPES.get(name);
      return type !== undefined && convert(value, type) !== undefined;
    }),
  );

const withoutMisfits = ({ subject, resource, action, context }: VariablesInput): VariablesInput => ({
  subject: subject && { ...subject, stored: fitting(subject.stored), passed: undefined },
  resource: resource && { ...resource, stored: undefined, passed: fitting(resource.passed) },
  action: action && { ...action, passed: fitting(action.passed) },
  context: context && fitting(context),
});

const QUESTIONS = size(500, 100_000);
const SEED = 20_260_701;

test(`${QUESTIONS} random expressions over hostile properties: as if they were missing, within the bound`, () => {
  const random = createRandom(SEED);
  const nextExpression = createExpressions(random);
  const nextInput = createInputs(random, HOSTILE);
  const seen = { true: 0, false: 0, unknown: 0 };
  for (let question = 0; question < QUESTIONS; ) {
    const expression = nextExpression();
    if (check(expression, DECLARATIONS)) continue;
    question++;
    const { evaluate } = parse(expression);
    const input = nextInput();
    const outcome = evaluate(variablesOf(input, DECLARATIONS));
    const where = `seed ${SEED}, question ${question}: ${expression}`;
    expect(outcome, where).toEqual(evaluate(variablesOf(withoutMisfits(input), DECLARATIONS)));
    if ('unknown' in outcome) seen.unknown++;
    else seen[outcome.holds ? 'true' : 'false']++;
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(QUESTIONS / 20);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { flag?: unknown }).flag).toBeUndefined();
});
