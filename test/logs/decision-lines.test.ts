import { expect, test } from 'vitest';
import { createDecisionLog, type DecisionLogOptions } from '../../authorizer/decision-log.ts';
import type { LoggedDecision } from '../../engine/decision-log.ts';
import { sha256 } from '../../table/bytes.ts';
import { type DecisionLine, type HeartbeatLine, pseudonymOf } from '../../table/decision-line.ts';
import { decisionLine, heartbeatLine } from '../provisioning/evidence/lines.ts';

/** What a decision log writes, line by line, so that what is missing is seen. */
type Line = DecisionLine | HeartbeatLine;

const START = Date.parse('2026-01-15T12:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const ALLOW: LoggedDecision = {
  kind: 'check',
  subject: 'user:ann',
  permission: 'roster',
  scope: 'location:north',
  allowed: true,
  reason: 'role',
};
const REFUSAL: LoggedDecision = { ...ALLOW, allowed: false, reason: 'no_grant' };

const OURS = { service: 'shop', process: 'process-1' };

/** A log in a process whose clock, chance, ids and minutes are the test's. */
function createProcess(options: Partial<DecisionLogOptions> = {}) {
  const lines: Line[] = [];
  const beats = new Set<() => void>();
  let [now, ids] = [START, 0];
  const decisionLog = createDecisionLog({
    mode: 'all',
    service: 'shop',
    write: (line) => void lines.push(JSON.parse(line)),
    now: () => now,
    random: () => 0.5,
    newId: () => `process-${++ids}`,
    every: (milliseconds, beat) => {
      expect(milliseconds).toBe(60_000);
      beats.add(beat);
      return () => beats.delete(beat);
    },
    ...options,
  });
  if (decisionLog === undefined) throw new Error('the log is off');
  return {
    ...decisionLog,
    lines,
    pass: (seconds: number) => {
      now += seconds * 1_000;
    },
    /** A minute is over, where one was begun. */
    minute: () => {
      for (const beat of beats) beat();
    },
    sequences: () => lines.map(({ sequence }) => sequence),
  };
}

test('a line has the process, its number, its rate, the kind of question, and the fields of an evaluation', () => {
  const { log, lines } = createProcess();
  log({ ...ALLOW, requestId: 'id-1', tenant: 'tenant:t', rests: ['token'], at: START - 1_000 });
  expect(lines).toEqual([
    JSON.parse(
      decisionLine({
        ...OURS,
        timestamp: at(0),
        requestId: 'id-1',
        context: { reason: 'role', tenant: 'tenant:t', at: at(-1), rests: ['token'] },
      }),
    ),
  ]);
});

test('a heartbeat each minute says how many were decided since the one before', () => {
  const { log, lines, pass, minute } = createProcess({ api: 'default' });
  log(ALLOW);
  pass(60);
  minute();
  pass(60);
  minute();
  const heartbeat = (more: object) => JSON.parse(heartbeatLine({ ...OURS, ...more }));
  expect(lines.slice(1)).toEqual([
    heartbeat({ timestamp: at(60), since: at(0) }),
    heartbeat({ timestamp: at(120), sequence: 3, since: at(60), decisions: 0 }),
  ]);
});

test.each([
  ['refusals', 0, [1]],
  ['sampled', 0.5, [1]],
  ['sampled', 0.51, [1, 0.51]],
  ['sampled', 1, [1, 1]],
  ['all', 1, [1, 1]],
] as const)('%s with the share %d, where chance says 0.5: the heartbeat counts all', (mode, share, rates) => {
  const { log, lines, end } = createProcess({ mode, share });
  log(REFUSAL);
  log(ALLOW);
  end();
  expect(lines.slice(0, -1).map((line) => line.rate)).toEqual(rates);
  expect(lines.at(-1)).toMatchObject({
    message: 'decision log',
    mode,
    rate: share,
    decisions: 2,
    ended: true,
  });
});

test('what ends is said once, and what comes later is in order: as on Lambda, invocation by invocation', () => {
  const { log, lines, end, pass, minute } = createProcess();
  end();
  expect(lines).toEqual([]);
  for (let invocation = 0; invocation < 2; invocation++) {
    log(ALLOW);
    log(REFUSAL);
    end();
    end();
    // Lambda stops the process here: nothing beats.
    minute();
    pass(600);
  }
  expect(lines.map(({ sequence, message }) => [sequence, message])).toEqual([
    ...[1, 2].map((sequence) => [sequence, 'decision']),
    [3, 'decision log'],
    ...[4, 5].map((sequence) => [sequence, 'decision']),
    [6, 'decision log'],
  ]);
  expect(lines[5]).toMatchObject({ since: at(0), timestamp: at(600), decisions: 2, ended: true });
});

test('processes at the same time, and one that is started again, count by themselves', () => {
  const [one, other] = [createProcess({ newId: () => 'one' }), createProcess({ newId: () => 'other' })];
  one.log(ALLOW);
  other.log(ALLOW);
  one.log(ALLOW);
  expect([...one.lines, ...other.lines].map(({ process, sequence }) => `${process} ${sequence}`)).toEqual([
    ...['one 1', 'one 2', 'other 1'],
  ]);
});

test('a process that is given no id draws one of its own', () => {
  const processes = [1, 2].map(() => {
    const lines: string[] = [];
    createDecisionLog({ mode: 'all', service: 'shop', write: (line) => void lines.push(line) })?.log(ALLOW);
    return JSON.parse(lines[0] ?? '').process;
  });
  expect(new Set(processes).size).toBe(2);
});

test('a clock that jumps back: the number is the order, and `since` the earliest instant', () => {
  const { log, lines, pass, minute } = createProcess();
  log(ALLOW);
  pass(60);
  minute();
  pass(-3_600);
  log(ALLOW);
  pass(60);
  minute();
  expect(lines.map(({ sequence, timestamp }) => [sequence, timestamp])).toEqual([
    [1, at(0)],
    [2, at(60)],
    [3, at(-3_540)],
    [4, at(-3_480)],
  ]);
  expect(lines[3]).toMatchObject({ since: at(-3_540), decisions: 1 });
  pass(-60);
  minute();
  expect(lines[4]).toMatchObject({ since: at(-3_540), timestamp: at(-3_540), decisions: 0 });
});

test('a clock that says nothing loses lines, not decisions', () => {
  const { log, sequences, lines } = createProcess({ now: () => Number.NaN });
  expect(() => log(ALLOW)).not.toThrow();
  expect([sequences(), lines]).toEqual([[], []]);
});

const closed = () => {
  throw new Error('the pipe is closed');
};
test.each<[string, () => unknown]>([
  ['throws', closed],
  ['rejects', async () => closed()],
])('a line that cannot be written, for what writes it %s, is a number that is missing', async (_, fail) => {
  const written: number[] = [];
  let isDown = false;
  const { log, end } = createProcess({
    write: (line) => (isDown ? fail() : written.push(JSON.parse(line).sequence)),
  });
  log(ALLOW);
  isDown = true;
  log(ALLOW);
  isDown = false;
  log(ALLOW);
  end();
  // A rejection that nobody takes would fail the run.
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual([1, 3, 4]);
});

test('an id that is not plain is the pseudonym that a reader can make of it, too', async () => {
  const { log, lines } = createProcess();
  log({ ...ALLOW, subject: 'user:ann@example.com' });
  const id = pseudonymOf(await sha256('ann@example.com'));
  expect(id).toMatch(/^sha256:[\w-]{22}$/);
  expect(lines[0]).toMatchObject({ subject: { type: 'user', id } });
});

test('off is no log; a mode or a share that is none is refused', () => {
  const options = { service: 'shop', write: () => {} };
  expect(createDecisionLog({ ...options, mode: 'off' })).toBeUndefined();
  for (const [field, wrong] of [
    ['mode', { mode: 'some' as 'all' }],
    ['share', { mode: 'sampled' as const, share: 1.01 }],
    ['share', { mode: 'sampled' as const, share: Number.NaN }],
  ] as const)
    expect(() => createDecisionLog({ ...options, ...wrong })).toThrow(
      expect.objectContaining({ code: 'invalid', field }),
    );
});
