import { describe, expect, test } from 'vitest';
import { createCoverage } from '../../../provisioning/evidence/log-coverage.ts';
import { gapsIn } from '../../../provisioning/evidence/log-gaps.ts';
import { readLogLine } from '../../../provisioning/evidence/log-lines.ts';
import { decisionLine, heartbeatLine } from './lines.ts';

const FROM = Date.parse('2026-11-01T00:00:00Z');
const UNTIL = Date.parse('2026-12-01T00:00:00Z');
const at = (minute: number): string => new Date(FROM + minute * 60_000).toISOString();
/** Ends the log, long after all else. */
const LATER = decisionLine({ process: 'P9', timestamp: at(20_000) });
const LATER_ENDS = heartbeatLine({ process: 'P9', timestamp: at(20_000), ended: true });

const coverageOf = (...lines: readonly string[]) => coverageIn({ from: FROM, until: UNTIL }, lines);
function coverageIn(period: Parameters<typeof createCoverage>[0], lines: readonly string[]) {
  const { add, coverage } = createCoverage(period);
  const counted = lines.map((line) => add(readLogLine(line)));
  return { counted, ...coverage() };
}
const said = (sequence: number, minute = sequence, more = {}) =>
  decisionLine({ sequence, timestamp: at(minute), ...more });
const end = (sequence: number, minute = sequence, more = {}) =>
  heartbeatLine({ sequence, timestamp: at(minute), ended: true, decisions: 2, ...more });

describe('what a decision log covers', () => {
  test('all of a process that was heard to its end', () => {
    expect(coverageOf(said(1), said(2), end(3), LATER, LATER_ENDS)).toMatchObject({
      decisions: 3,
      made: 3,
      processes: 2,
      lost: 0,
      lostIn: 0,
      unended: 0,
      rate: 1,
      days: 2,
      first: FROM + 60_000,
      last: FROM + 20_000 * 60_000,
    });
  });

  test('numbers that are missing, in whatever order the others come', () => {
    const { lost, lostIn } = coverageOf(end(9), said(2), said(6), said(4), said(5), said(1));
    expect([lost, lostIn]).toEqual([3, 1]);
  });

  test('numbers from before the first line that is there', () => {
    expect(coverageOf(said(5), end(6))).toMatchObject({ lost: 4 });
    // It was written before the period: so were those before it.
    expect(coverageOf(said(5, -1), said(6), end(7))).toMatchObject({ lost: 0, decisions: 1 });
  });

  test('numbers that are missing only before the period or after it are not lost', () => {
    const [month, before] = [30 * 1_440, -1_440];
    const around = [said(1, before), said(4, before + 1), said(9, month), end(12, month + 1)];
    expect(coverageOf(...around, said(5), said(6), said(7), said(8))).toMatchObject({ lost: 0, unended: 0 });
    expect(coverageOf(...around, said(5), said(8))).toMatchObject({ lost: 2, lostIn: 1 });
    expect(coverageOf(...around)).toMatchObject({ lost: 4 });
  });

  test('of an excerpt, only numbers that are missing between its lines', () => {
    const excerptOf = (...lines: readonly string[]) =>
      coverageIn({ from: FROM, until: UNTIL, isExcerpt: true }, lines);
    expect(excerptOf(said(5_001, 2), said(5_000, 1), said(5_002, 30 * 1_440))).toMatchObject({ lost: 0 });
    expect(excerptOf(said(5_000, 1), said(5_003, 2))).toMatchObject({ lost: 2, lostIn: 1 });
    // Nothing is from the period, and then from before it too.
    expect(excerptOf(said(5_000, 30 * 1_440))).toMatchObject({ lost: 0 });
    expect(excerptOf(said(4_990, -2), said(4_998, -1))).toMatchObject({ lost: 0 });
    expect(excerptOf(said(4_998, -1), said(5_000, 1))).toMatchObject({ lost: 1 });
  });

  test('a line that comes twice counts once', () => {
    expect(coverageOf(said(1), said(1), end(2), end(2))).toMatchObject({ decisions: 1, made: 2, lost: 0 });
    expect(coverageOf(said(1), said(1)).counted).toEqual([true, false]);
  });

  test('a process that was killed, and one that may still run', () => {
    expect(coverageOf(said(1), LATER)).toMatchObject({ unended: 1 });
    expect(coverageOf(said(1, 19_999), LATER)).toMatchObject({ unended: 0 });
    expect(coverageOf(said(1), end(2, 2, { ended: undefined }), LATER)).toMatchObject({ unended: 1 });
  });

  test('the smallest share of allows, and where none was written', () => {
    const sampled = end(2, 2, { rate: 0.05, decisions: 400, api: 'shop' });
    expect(coverageOf(said(1, 1, { rate: 0.05 }), sampled)).toMatchObject({ made: 400, rate: 0.05 });
    const none = coverageOf(said(1, 1, { decision: false }), end(2, 2, { rate: 0, mode: 'refusals' }));
    expect(none.rate).toBe(0);
    expect(none.sources.get('default')).toMatchObject({ hasNoAllows: true });
  });

  test('an API whose answers API Gateway may give again', () => {
    const without = said(2, 2, { context: { reason: 'role' } });
    const { sources } = coverageOf(said(1, 1, { kind: 'policy' }), without);
    expect(sources.get('default')).toEqual({ first: FROM + 60_000, hasPolicies: true, hasNoAllows: false });
    expect(sources.get('authorizer')).toMatchObject({ hasPolicies: false });
  });

  test('lines without a number, and what cannot be read', () => {
    const old = said(1, 1, { process: undefined, sequence: undefined });
    const counted = { decisions: 2, unnumbered: 2, damaged: 1, processes: 0 };
    expect(coverageOf(old, old, '{"message":"decision",')).toMatchObject(counted);
  });

  test('what is not of the period does not count', () => {
    expect(coverageOf(said(1, -1), said(2, 30 * 1_440 + 1)).counted).toEqual([false, false]);
  });
});

test('what a log does not say, in words', () => {
  const { counted: _, ...coverage } = coverageOf(
    said(1, 1, { rate: 0.05 }),
    said(4, 2, { kind: 'policy' }),
    end(1, 3, { process: 'P2', rate: 0.05, decisions: 5, api: 'shop' }),
    said(1, 4, { process: undefined, sequence: undefined }),
    '{"message":"decision",',
    LATER,
    LATER_ENDS,
  );
  expect(gapsIn(coverage)).toEqual([
    'allows are a sample of 0.05',
    'API Gateway may have answered for default from its cache, without a line',
    '2 lines of 1 process missing',
    '1 process without an end: up to a minute of each may be missing',
    '1 decision without a number: what is missing is not seen',
    '1 line could not be read',
  ]);
  const none = coverageOf(end(1, 1, { rate: 0, mode: 'refusals' }));
  expect(gapsIn(none)).toEqual(['no allow is in the log of default']);
  expect(gapsIn(coverageOf(said(1), end(2)))).toEqual([]);
});
