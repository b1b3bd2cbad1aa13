import { expect, test } from 'vitest';
import { parse } from '../../../../engine/conditions/cel.ts';
import { variablesOf } from '../../../../engine/conditions/declarations.ts';
import { shownIn } from '../../../../engine/conditions/time-zones.ts';
import { size } from '../../../support/tier.ts';
import { buildProgram, findGo, startCelGo, toLine, WITHOUT_GO } from './cel-go.ts';
import { compare } from './compare.ts';
import { DECLARATIONS } from './questions.ts';

const QUESTIONS = size(2_000, 100_000);
const SEED = 5;

test(`${QUESTIONS} random conditions are evaluated as cel-go evaluates them`, async ({ skip }) => {
  const go = await findGo();
  if (go === undefined && process.env.CI) throw new Error(WITHOUT_GO);
  if (go === undefined) return skip(WITHOUT_GO);
  const { compared, differences, outcomes } = await compare(await buildProgram(go), QUESTIONS, SEED);
  expect(differences.slice(0, 3)).toEqual([]);
  expect(compared).toBe(QUESTIONS);
  for (const outcome of ['true', 'false', 'none'])
    expect(outcomes.get(outcome), outcome).toBeGreaterThan(QUESTIONS / 10);
}, 1_800_000);

/** Of both hemispheres, with half hours, with a change of the date line, and without summer time. */
const ZONES = `
  Europe/Berlin Europe/London America/New_York America/Sao_Paulo America/St_Johns Australia/Lord_Howe
  Pacific/Apia Asia/Kathmandu Africa/Casablanca Asia/Tehran
`
  .trim()
  .split(/\s+/);
const [HOUR, DAY] = [3_600_000, 86_400_000];

/** The instants from 1972 to 2037 at which clocks in a zone change, to the minute. */
function changesIn(timeZone: string): readonly number[] {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (at: number) => clock.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  const changes: number[] = [];
  for (let at = Date.UTC(1972, 0); at < Date.UTC(2038, 0); at += 7 * DAY) {
    let [before, after] = [at, at + 7 * DAY];
    if (offsetAt(before) === offsetAt(after)) continue;
    while (after - before > 60_000) {
      const middle = Math.floor((before + after) / 120_000) * 60_000;
      if (offsetAt(middle) === offsetAt(before)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

/** The parts of a time as they are here, as an expression: cel-go must find it true. */
function partsAt(time: Date, zone: string): string {
  const shown = shownIn(zone, time);
  const parts = {
    getFullYear: shown.getUTCFullYear(),
    getMonth: shown.getUTCMonth(),
    getDate: shown.getUTCDate(),
    getDayOfWeek: shown.getUTCDay(),
    getHours: shown.getUTCHours(),
    getMinutes: shown.getUTCMinutes(),
  };
  return Object.entries(parts)
    .map(([name, value]) => `context.time.${name}('${zone}') == ${value}`)
    .join(' && ');
}

const inputAt = (time: Date) => ({
  subject: { type: 'user', id: 'a' },
  resource: { type: 'location', id: 'b' },
  action: { name: 'read' },
  context: { time },
});

test('parts of a time in ten zones, around each change of their clocks, are those of cel-go in any TZ', async () => {
  const go = await findGo();
  if (go === undefined) throw new Error(WITHOUT_GO);
  // Every third zone; all of them in the soak tier.
  const zones = ZONES.filter((_, n) => n % size(3, 1) === 0);
  const moments = zones.flatMap((zone) =>
    changesIn(zone).flatMap((change) =>
      [-48 * HOUR, -1, 0, HOUR / 2, 3 * HOUR].map((after) => {
        const time = new Date(change + after);
        const expression = partsAt(time, zone);
        const variables = variablesOf(inputAt(time), DECLARATIONS);
        return { time, zone, expression, variables, condition: parse(expression) };
      }),
    ),
  );
  const { TZ } = process.env;
  try {
    for (const here of ['UTC', 'Europe/Berlin', 'America/New_York']) {
      process.env.TZ = here;
      const other = moments.filter(({ time, zone, expression, variables, condition }) => {
        const outcome = condition.evaluate(variables);
        return partsAt(time, zone) !== expression || !('holds' in outcome && outcome.holds);
      });
      expect(other.map(({ expression }) => expression).slice(0, 3), here).toEqual([]);
    }
  } finally {
    if (TZ === undefined) Reflect.deleteProperty(process.env, 'TZ');
    else process.env.TZ = TZ;
  }
  const lines = moments.map(({ expression, variables }) => toLine(expression, variables));
  const celGo = startCelGo(await buildProgram(go), DECLARATIONS);
  const answers = await celGo.answersOf(lines);
  celGo.stop();
  expect(lines.filter((_, position) => answers[position] !== 'true').slice(0, 3)).toEqual([]);
  expect(lines.length).toBeGreaterThan(size(700, 3_000));
});
