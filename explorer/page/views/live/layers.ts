import * as z from 'zod';
import {
  REVOCATION_DEFAULTS,
  type RevocationBound,
  type RevocationTimes,
  revocationBound,
} from '../../../../provisioning/index.ts';
import { parseJson } from '../../json.ts';

/** A layer that may still allow what was revoked. Seconds, all of them. */
export type LayerBar = RevocationBound['layers'][number] & {
  /** What is left of it now; undefined before a revocation. */
  readonly left: number | undefined;
  readonly state: 'off' | 'planned' | 'running' | 'over';
};

export type Countdown = ReturnType<typeof countdownOf>;
export type Chart = Countdown['charts'][number];

/**
 * The layers of {@link revocationBound} at an instant. WebSockets have a scale of their own: two hours would hide a minute.
 *
 * @param since when it was revoked, in epoch milliseconds; undefined before that
 * @param now epoch milliseconds
 */
export function countdownOf(times: RevocationTimes, since: number | undefined, now: number) {
  const { layers, request, webSocket } = revocationBound(times);
  const elapsed = since === undefined ? undefined : Math.max(0, (now - since) / 1_000);
  const bars = layers.map((layer): LayerBar => {
    const left = elapsed === undefined ? undefined : Math.max(0, layer.atMost - elapsed);
    const started = left === undefined ? 'planned' : left > 0 ? 'running' : 'over';
    return { ...layer, left, state: layer.adds === 0 ? 'off' : started };
  });
  const isOfWebSockets = ({ layer }: LayerBar): boolean => layer === 'open WebSocket';
  return {
    since,
    /** Seconds since the revocation; undefined before it. */
    elapsed,
    /** Layers that are drawn on one scale, of so many seconds. */
    charts: [
      { name: 'Requests', seconds: request, layers: bars.filter((bar) => !isOfWebSockets(bar)) },
      { name: 'WebSockets that are open', seconds: webSocket, layers: bars.filter(isOfWebSockets) },
    ],
  };
}

/** The name of a time, as the address has it. */
export type Time = keyof RevocationTimes;

export const DEFAULT_TIMES: Readonly<Record<Time, number>> = { ...REVOCATION_DEFAULTS, jwtLife: 0 };

/** The longest time that `gatehouse revoke-user` takes. */
export const MOST_SECONDS = 99_999_999;

/** A time as it is typed; undefined for anything that is no whole number of seconds. */
export function readSeconds(text: string): number | undefined {
  const seconds = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  return seconds <= MOST_SECONDS ? seconds : undefined;
}

const seconds = z.int().min(0).max(MOST_SECONDS);
const report = z.object({
  revoked: z.string().min(1).max(1_024),
  at: z.iso.datetime(),
  layers: z
    .array(z.object({ layer: z.string(), adds: seconds, atMost: seconds.max(3 * MOST_SECONDS) }))
    .max(16),
});

/** What a report says, as this page computes it anew. */
export interface Report {
  readonly revoked: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly times: Readonly<Record<Time, number>>;
}

/** The time that each layer adds. Of the engine's two times, a report has the longer one. */
const TIME_OF: Readonly<Record<string, Time>> = {
  'engine cache': 'cacheTtl',
  JWT: 'jwtLife',
  'API Gateway result cache': 'resultTtl',
  'open WebSocket': 'webSocket',
};

/** Reads what `gatehouse revoke-user --json` printed, and what its relatives do. */
export function readReport(text: string): Report | { readonly problem: string } {
  const json = parseJson(text);
  if ('problem' in json) return { problem: 'this is not JSON: run the command with --json' };
  const parsed = report.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') || 'the text';
    return { problem: `this is not a report of a revocation: ${field}: ${issue?.message}` };
  }
  const { revoked, at, layers } = parsed.data;
  const times = { ...DEFAULT_TIMES, cacheTtl: 0, resultTtl: 0, webSocket: 0 };
  for (const { layer, adds } of layers) {
    const time = TIME_OF[layer];
    if (time === undefined) return { problem: `this release knows no layer ${layer}` };
    times[time] = adds;
  }
  const bound = new Map(revocationBound(times).layers.map(({ layer, atMost }) => [layer as string, atMost]));
  const other = layers.find(({ layer, atMost }) => bound.get(layer) !== atMost);
  if (other) return { problem: `this release computes another time for the layer ${other.layer}` };
  return { revoked, since: Date.parse(at), times };
}

/** Seconds, as they are said: `90 s`, `2 h 1 min`. */
export function durationText(total: number): string {
  const rounded = Math.ceil(total);
  if (rounded < 120) return `${rounded} s`;
  const units = [
    [Math.floor(rounded / 86_400), 'd'],
    [Math.floor(rounded / 3_600) % 24, 'h'],
    [Math.floor(rounded / 60) % 60, 'min'],
    [rounded % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
