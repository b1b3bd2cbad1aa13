import { describe, expect, test } from 'vitest';
import {
  MOST_EVENTS,
  matching,
  outcomeOf,
  reasonOf,
  summaryOf,
  withEvents,
} from '../../../explorer/page/views/live/events.ts';
import type { LiveDecision, LiveEvent, LiveRequest } from '../../../explorer/service/index.ts';

/** What the page keeps, filters and counts of the decisions of the local stack. */
const decision = (id: number, more: Partial<LiveDecision> = {}): LiveDecision => ({
  kind: 'decision',
  id,
  at: id * 1_000,
  source: 'http-simple',
  subject: 'user:ann',
  permission: 'grades',
  scope: 'location:north',
  allowed: true,
  reason: 'role',
  consistency: 'cached',
  calls: 1,
  units: 2,
  milliseconds: 4,
  isFirst: false,
  isStale: false,
  ...more,
});
const refused = { allowed: false, reason: 'no_grant' };
const request = (id: number, status = 401): LiveRequest => ({
  kind: 'request',
  id,
  at: id * 1_000,
  source: 'http-simple',
  method: 'GET',
  path: '/pages',
  status,
  decisions: 0,
});
const numbers = (from: number, to: number): readonly LiveEvent[] =>
  Array.from({ length: to - from + 1 }, (_, at) => decision(from + at));
const ids = (events: readonly LiveEvent[]) => events.map(({ id }) => id);

describe('events that are kept', () => {
  test('are the newest ones, newest first', () => {
    const all = withEvents(withEvents([], numbers(1, 400)), numbers(401, 600));
    expect(all).toHaveLength(MOST_EVENTS);
    expect([all[0]?.id, all.at(-1)?.id]).toEqual([600, 101]);
  });

  test('are those of one stack: numbers that begin anew are of another', () => {
    const before = withEvents([], numbers(1, 5));
    expect(ids(withEvents(before, numbers(1, 2)))).toEqual([2, 1]);
    expect(ids(withEvents(before, [...numbers(6, 7), ...numbers(1, 1)]))).toEqual([1]);
    expect(ids(withEvents(before, numbers(5, 5)))).toEqual([5]);
  });

  test('stay where nothing comes', () => {
    const before = withEvents([], numbers(1, 3));
    expect(withEvents(before, [])).toEqual(before);
  });
});

const EVENTS = [
  decision(1),
  decision(2, { ...refused, subject: 'user:ben' }),
  decision(3, { allowed: false, fault: 'throttled', permission: 'menu' }),
  request(4),
  decision(5, { ...refused, scope: 'location:south', request: { method: 'POST', path: '/bills' } }),
];

test('an event has an outcome, and one code that says why', () => {
  expect(EVENTS.map((event) => [outcomeOf(event), reasonOf(event)])).toEqual([
    ['allowed', 'role'],
    ['refused', 'no_grant'],
    ['fault', 'throttled'],
    ['none', '401'],
    ['refused', 'no_grant'],
  ]);
});

describe('a filter', () => {
  const names: Record<string, string> = { 'user:ben': 'Benjamin', 'location:south': 'South School' };
  const nameOf = (ref: string) => names[ref || expect.unreachable('nothing has no name')];
  const shown = (filter: Parameters<typeof matching>[1]) => ids(matching(EVENTS, filter, nameOf));

  test.each([
    [{}, [1, 2, 3, 4, 5]],
    [{ outcome: 'refused' }, [2, 5]],
    [{ outcome: 'fault' }, [3]],
    [{ outcome: 'none' }, [4]],
    [{ reason: 'no_grant' }, [2, 5]],
    [{ who: 'BENJ' }, [2]],
    [{ who: 'user:ann' }, [1, 3, 5]],
    [{ what: 'men' }, [3]],
    [{ text: 'south school' }, [5]],
    [{ text: 'post /bills' }, [5]],
    [{ text: '401' }, [4]],
    [{ text: 'http-simple', outcome: 'allowed' }, [1]],
    [{ text: 'nowhere' }, []],
    [{ who: '' }, [1, 2, 3, 4, 5]],
  ])('%j leaves %j', (filter, expected) => {
    expect(shown(filter)).toEqual(expected);
  });
});

describe('a summary', () => {
  test('counts reasons, the most frequent one first, and calls', () => {
    expect(summaryOf(EVENTS)).toMatchObject({
      reasons: [
        { reason: 'no_grant', outcome: 'refused', count: 2 },
        { reason: '401', outcome: 'none', count: 1 },
        { reason: 'role', outcome: 'allowed', count: 1 },
        { reason: 'throttled', outcome: 'fault', count: 1 },
      ],
      calls: 4,
      decisions: 4,
    });
  });

  test.each([
    [[5], 5, 5],
    [[1, 9], 5, 9],
    [[9, 1, 2], 2, 9],
    [[0, 100, 2, 4], 3, 100],
  ])('of decisions that took %j ms has the median %d and the worst %d', (times, median, worst) => {
    const events = times.map((milliseconds, id) => decision(id, { milliseconds }));
    expect(summaryOf([...events, request(9)]).time).toEqual({ median, worst });
  });

  test('has no time where nothing was decided', () => {
    expect(summaryOf([request(1)])).toMatchObject({ time: undefined, decisions: 0 });
  });
});
