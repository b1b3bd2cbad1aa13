import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { FAULTS, FUNCTIONS } from './faults.ts';
import { type Observation, observe, observeAll, observeTraffic } from './observe.ts';
import { rowOf, rowsOfPage } from './page.ts';
import { createStage, type Stage } from './stage.ts';

/**
 * Faults of what the packaged functions depend on, under a Lambda runtime API of our own: what the caller gets, and the
 * real log lines through the template's own filter patterns and alarms. `node --import tsx test/faults/write.ts`
 * writes the table of docs/faults.md anew.
 */
let stage: Stage;
let observations: readonly Observation[];
beforeAll(async () => {
  stage = await createStage(inject('endpoint'));
  observations = await observeAll(stage);
});
afterAll(() => stage.close());

/** Deadlines of the functions are of real time, which a busy machine misses: such a row is tried again, alone. */
const ATTEMPTS = 3;

const rows = FAULTS.flatMap((fault) => fault.on.map((name) => ({ fault, name })));

describe.each(rows)('$fault.title: $name', ({ fault, name }) => {
  const seen = () => observations.find((each) => each.fault === fault && each.name === name) as Observation;

  test('nobody is allowed who may not', () => {
    expect(seen().asked.length).toBeGreaterThan(1);
    expect(seen().asked.filter(({ isWrongAllow }) => isWrongAllow)).toEqual([]);
  });

  test('answer, lines, metrics and alarms are those of docs/faults.md', async () => {
    const documented = rowsOfPage()[rows.findIndex((row) => row.fault === fault && row.name === name)];
    let observation = seen();
    for (let attempt = 1; attempt < ATTEMPTS && rowOf(observation) !== documented; attempt++) {
      observation = await observe(stage, fault, name);
      expect(observation.asked.filter(({ isWrongAllow }) => isWrongAllow)).toEqual([]);
    }
    expect(rowOf(observation)).toBe(documented);
  });
});

test('docs/faults.md has a row for each fault and function, and no other', () => {
  expect(rowsOfPage()).toHaveLength(rows.length);
});

describe('ordinary traffic', () => {
  test.each(FUNCTIONS)('%s: allows, denies and refusals by the dozen make no alarm go off', async (name) => {
    const { asked, alarms } = await observeTraffic(stage, name);
    expect(asked.length).toBeGreaterThan(40);
    expect(new Set(asked.map(({ answer }) => answer)).size).toBeGreaterThan(1);
    expect(asked.filter(({ isWrongAllow }) => isWrongAllow)).toEqual([]);
    expect(alarms).toEqual([]);
  });

  test('an allow and a deny write no line of ours at WARN or ERROR; a 401 one at INFO, and the runtime one of its own', async () => {
    const { lines } = await observeTraffic(stage, 'authorizer');
    expect(lines.filter((line) => /^(?:WARN|ERROR)/.test(line))).toEqual(['ERROR Invoke Error Unauthorized']);
    expect(lines.filter((line) => line.includes('credentials refused'))).toEqual([
      'INFO credentials refused (key_unknown)',
    ]);
  });
});
