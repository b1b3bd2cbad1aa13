import { expect } from 'vitest';
import { ACCESS } from '../../provisioning/documents/access.ts';
import { eventually } from '../support/eventually.ts';
import type { World } from '../support/world.ts';
import { type Answer, type RowContext, row } from './row.ts';
import { type Check, type Read, ROWS } from './table.ts';
import { furnish } from './world.ts';

/** Plays the rows of rows.yaml. None of them changes the world, so all share one. */
let furnished: Promise<void> | undefined;

type Values = Readonly<Record<string, unknown>>;

/** The items of a list, each by those of its attributes in `by` that it has. */
const shown = (items: Answer['items'], by: string): readonly string[] =>
  items.map((item) =>
    by
      .split(' ')
      .flatMap((name) => item[name] ?? [])
      .join(' '),
  );

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of an answer, what is expected of it: null for what it does not hold. */
const partOf = (answer: Values | undefined, expected: Values): Values =>
  Object.fromEntries(
    Object.entries(expected).map(([name, wanted]) => {
      const given = answer?.[name] ?? null;
      return [name, isMap(wanted) && isMap(given) ? partOf(given, wanted) : given];
    }),
  );

const isOfIndex = (command: string): boolean =>
  ACCESS.some((each) => each.command === command && String(each.reads).includes('GSI'));

/** A list of a whole kind is in no order: it is in shards. */
const isUnordered = (world: World): boolean => world.calls.at(-1)?.index === 'GSI1';

async function playRead(
  { world, reads, pages }: RowContext,
  inOneQuery: boolean,
  [command, input, expected, by = 'id']: Read,
) {
  const asked = `${command} ${JSON.stringify(input)}`;
  if (!Array.isArray(expected)) {
    const answer = await reads(command, input);
    if (expected === null) expect(answer, asked).toBeUndefined();
    else expect(partOf(answer, expected), asked).toEqual(expected);
    return;
  }
  const inOrder = (items: readonly string[]) => (isUnordered(world) ? items.toSorted() : items);
  const whole = async () => {
    const { items, cursor } = await reads(command, input);
    expect(inOrder(shown(items, by)), asked).toEqual(expected);
    expect(cursor).toBeUndefined();
  };
  // An index follows the table by a moment.
  if (isOfIndex(command)) await eventually(whole);
  else await whole();
  if (inOneQuery) {
    const before = world.calls.length;
    await reads(command, input);
    expect(world.calls.slice(before)).toEqual([{ operation: 'Query', index: undefined, keys: 0 }]);
  }
  for (const limit of [2, expected.length].filter((count) => count > 0)) {
    const seen = await pages(command, input, limit);
    expect(inOrder(shown(seen.flat(), by)), `${asked} by ${limit}`).toEqual(expected);
  }
}

/** With nothing cached: in one call at a root, in two below it. */
async function playCheck({ world, record }: RowContext, [subject, permission, scope, reason, at]: Check) {
  const before = world.calls.length;
  const when = at === undefined ? {} : { at: Date.parse(at) };
  const asked = subject.includes(':') ? subject : `user:${subject}`;
  const decision = await record(() => world.newEngine().check(asked, permission, scope, when));
  const calls = world.calls.slice(before).map(({ operation }) => operation);
  expect(decision, `${asked} ${permission} ${scope} ${at ?? ''}`).toMatchObject({
    reason,
    allowed: ['role', 'admin'].includes(reason),
  });
  expect(new Set(calls)).toEqual(new Set(['BatchGetItem']));
  const isRoot = /^(?:client|account|location|tenant|campus):/.test(scope);
  expect(calls.length).toBeLessThanOrEqual(isRoot ? 1 : 2);
}

for (const [id, of] of ROWS) {
  if ([of.reads, of.checks, of.refuses].every(({ length }) => length === 0)) continue;
  row(id, async (context) => {
    furnished ??= furnish(context.world);
    await furnished;
    for (const each of of.reads) await playRead(context, of.inOneQuery ?? false, each);
    for (const each of of.checks) await playCheck(context, each);
    for (const [command, input, error] of of.refuses)
      expect(await context.world.refused(command, input), command).toMatchObject(error);
  });
}
