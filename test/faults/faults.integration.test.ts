import { afterAll, describe, expect, inject, test } from 'vitest';
import { FAULTS, FUNCTIONS } from './faults.ts';
import { type Observation, observeAll, observeTraffic } from './observe.ts';
import { readRows, rowOf } from './page.ts';
import { createStage } from './stage.ts';

/**
 * Faults of what the packaged functions depend on, under a Lambda runtime API of our own: what the caller gets, and the
 * real log lines through the template's own filter patterns and alarms. `node --import tsx test/faults/write.ts`
 * writes what is seen into seen.json, of which docs/internals/faults.md is made.
 */
const stage = await createStage(inject('endpoint'));
const observations: readonly Observation[] = await observeAll(stage);
afterAll(() => stage.close());

const rows = FAULTS.flatMap((fault) => fault.on.map((name) => ({ fault, name })));

describe.each(rows)('$fault.title: $name', ({ fault, name }) => {
  const seen = () => observations.find((each) => each.fault === fault && each.name === name) as Observation;

  test('nobody is allowed who may not', () => {
    expect(seen().asked.length).toBeGreaterThan(1);
    expect(seen().asked.filter(({ isWrongAllow }) => isWrongAllow)).toEqual([]);
  });

  test('answer, lines, metrics and alarms are those of docs/internals/faults.md', () => {
    const position = rows.findIndex((row) => row.fault === fault && row.name === name);
    expect(rowOf(seen())).toEqual(readRows()[position]);
  });
});

test('docs/internals/faults.md has a row for each fault and function, and no other', () => {
  expect(readRows()).toHaveLength(rows.length);
});

/** Allows, denies and refusals by the dozen. */
test.each(FUNCTIONS)('ordinary traffic to %s makes no alarm go off', async (name) => {
  const { asked, lines, alarms } = await observeTraffic(stage, name);
  expect(asked.length).toBeGreaterThan(40);
  expect(new Set(asked.map(({ answer }) => answer)).size).toBeGreaterThan(2);
  expect(asked.filter(({ isWrongAllow }) => isWrongAllow)).toEqual([]);
  expect(alarms).toEqual([]);
  // Of the authorizer the runtime's own line, as a 401 has to be thrown; ours is at INFO.
  const bad = name === 'authorizer' ? ['ERROR Invoke Error Unauthorized'] : [];
  expect(lines.filter((line) => /^(?:WARN|ERROR)/.test(line))).toEqual(bad);
  const refused = name === 'provisioning' ? [] : ['INFO credentials refused (key_unknown)'];
  expect(lines.filter((line) => line.startsWith('INFO'))).toEqual(refused);
});
