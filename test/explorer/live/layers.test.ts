import { describe, expect, test } from 'vitest';
import { asJson } from '../../../cli/print.ts';
import { report } from '../../../cli/revocation/subcommand.ts';
import {
  countdownOf,
  DEFAULT_TIMES,
  durationText,
  readReport,
  readSeconds,
} from '../../../explorer/page/views/live/layers.ts';
import { type RevocationTimes, revocationBound } from '../../../provisioning/index.ts';

/** Caches that may still allow what was revoked, as the page draws them. */
const SINCE = Date.parse('2026-03-01T00:00:00Z');
const TIMES = { ...DEFAULT_TIMES, resultTtl: 300 };
const atSecond = (seconds: number, times: RevocationTimes = TIMES) =>
  countdownOf(times, SINCE, SINCE + seconds * 1_000);
const states = (seconds: number, times?: RevocationTimes) =>
  atSecond(seconds, times).charts.flatMap(({ layers }) =>
    layers.map(({ layer, state, left }) => [layer, state, left]),
  );

describe('a countdown', () => {
  test('runs out layer by layer', () => {
    expect(states(0)).toEqual([
      ['engine cache', 'running', 60],
      ['API Gateway result cache', 'running', 360],
      ['open WebSocket', 'running', 7_260],
    ]);
    expect(states(59.5)[0]).toEqual(['engine cache', 'running', 0.5]);
    expect(states(60)).toEqual([
      ['engine cache', 'over', 0],
      ['API Gateway result cache', 'running', 300],
      ['open WebSocket', 'running', 7_200],
    ]);
    expect(states(360)[1]).toEqual(['API Gateway result cache', 'over', 0]);
    expect(states(7_260).map(([, state]) => state)).toEqual(['over', 'over', 'over']);
  });

  test('has layers that are off, and a JWT where it counts', () => {
    expect(states(10, { ...DEFAULT_TIMES, webSocket: 0, jwtLife: 3_600 })).toEqual([
      ['engine cache', 'running', 50],
      ['JWT', 'running', 3_590],
      ['API Gateway result cache', 'off', 0],
      ['open WebSocket', 'off', 0],
    ]);
  });

  test('draws requests and WebSockets on scales of their own, which end with the last layer', () => {
    expect(atSecond(0).charts.map(({ name, seconds }) => [name, seconds])).toEqual([
      ['Requests', 360],
      ['WebSockets that are open', 7_260],
    ]);
  });

  test('has not begun before a revocation, and is whole when clocks differ', () => {
    const { elapsed, charts } = countdownOf(TIMES, undefined, SINCE);
    expect(elapsed).toBeUndefined();
    expect(charts[0]?.layers[0]).toMatchObject({ state: 'planned', left: undefined, atMost: 60 });
    expect(atSecond(-5)).toEqual(atSecond(0));
  });

  test('has the times of the command line', () => {
    for (const times of [TIMES, { ...TIMES, jwtLife: 900 }, { ...TIMES, cacheTtl: 0, outageTtl: 600 }]) {
      const { layers, request, webSocket } = revocationBound(times);
      const { charts } = atSecond(0, times);
      expect(charts.map(({ seconds }) => seconds)).toEqual([request, webSocket]);
      expect(charts.flatMap((chart) => chart.layers.map(({ atMost }) => atMost))).toEqual(
        layers.map(({ atMost }) => atMost),
      );
    }
  });
});

describe('a report', () => {
  const printed = (times: RevocationTimes) =>
    asJson(
      report(
        { revoked: 'user:ann', before: false, text: 'user:ann is disabled', token: 'gh1.abc' },
        revocationBound(times),
        SINCE,
      ).data,
    );

  test('is read as gatehouse revoke-user --json prints it', () => {
    expect(readReport(printed(TIMES))).toEqual({ revoked: 'user:ann', since: SINCE, times: TIMES });
    for (const times of [
      { ...DEFAULT_TIMES, jwtLife: 900 },
      { ...DEFAULT_TIMES, cacheTtl: 0, resultTtl: 0, webSocket: 0 },
      { ...DEFAULT_TIMES, jwtLife: 30, cacheTtl: 90 },
    ])
      expect(readReport(printed(times))).toMatchObject({ times });
    // It does not say which of the engine's two times is the longer one.
    expect(readReport(printed({ ...DEFAULT_TIMES, outageTtl: 600 }))).toMatchObject({
      times: { cacheTtl: 600, outageTtl: 0 },
    });
  });

  test.each([
    ['user:ann is disabled', /^this is not JSON: run the command with --json/],
    ['[]', /^this is not a report of a revocation/],
    ['{"ok":false,"error":{"code":"usage"}}', /^this is not a report of a revocation: revoked/],
    [printed(TIMES).replace('engine cache', 'other cache'), /no layer other cache/],
    [printed(TIMES).replace('"atMost": 360', '"atMost": 3'), /another time for the layer API Gateway/],
    [printed(TIMES).replace('"adds": 60', '"adds": -1'), /^this is not a report/],
    [printed(TIMES).replace(/"at": "[^"]+"/, '"at": "noon"'), /^this is not a report of a revocation: at/],
  ])('that is none is refused: %s', (text, problem) => {
    expect(readReport(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

test.each([
  ['0', 0],
  ['60', 60],
  ['99999999', 99_999_999],
  ['100000000', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['', undefined],
])('%j is read as %j seconds', (text, seconds) => {
  expect(readSeconds(text)).toBe(seconds);
});

test.each([
  [0, '0 s'],
  [0.2, '1 s'],
  [119, '119 s'],
  [120, '2 min'],
  [361, '6 min 1 s'],
  [7_200, '2 h'],
  [7_260, '2 h 1 min'],
  [3_601, '1 h'],
  [90_000, '1 d 1 h'],
])('%d seconds are %j', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
