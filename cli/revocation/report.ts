import { asJson, columns } from '../print.ts';
import { type Bound, longestYes, type Times } from './layers.ts';

export interface Done {
  /** What was revoked: `user:ID`, `tenant:ID`, `session:ID`, `token:ID`. */
  readonly revoked: string;
  /** Whether it was so before. */
  readonly before: boolean;
  /** In words. */
  readonly text: string;
  readonly token: string;
  /** Edges that were taken away as well. */
  readonly stripped?: number;
}

const duration = (seconds: number): string =>
  seconds === 0 ? 'nothing' : seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds} s`;

/** What was done, and how long the last cache may still say yes. */
export function report(done: Done, times: Times, now: number, isJson: boolean): string {
  const bound = longestYes(times);
  const until = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  if (isJson) {
    const layers = bound.layers.map((layer) => ({ ...layer, until: until(layer.atMost) }));
    const last = { request: bound.request, webSocket: bound.webSocket };
    return asJson({
      ...{ ...done, at: until(0), layers, atMost: last },
      until: { request: until(bound.request), webSocket: until(bound.webSocket) },
    });
  }
  return `${[done.text, ...(done.token === '' ? [] : [`token ${done.token}`]), '', ...table(bound, until)].join('\n')}\n`;
}

const table = (bound: Bound, until: (seconds: number) => string): readonly string[] => [
  ...columns([
    ['may still say yes', 'adds', 'until', 'ended at once by'],
    ...bound.layers.map(({ layer, adds, atMost, end }) => [
      layer,
      duration(adds),
      adds === 0 ? '-' : until(atMost),
      adds === 0 ? '-' : end,
    ]),
  ]),
  '',
  `the last request is allowed before ${until(bound.request)}, ${bound.request} s from now`,
];
