import type { Loading } from './load.ts';

export interface Meter {
  readonly stop: () => void;
}

export interface MeterOptions {
  readonly loading: Loading;
  readonly kind: string;
  /** Bytes of the input; undefined when nobody knows. */
  readonly size: number | undefined;
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
}

/** Back to the beginning of a line, which is empty then. */
export const CLEAR = '\r\u001b[K';

const BAR_MS = 200;
const LINE_MS = 5_000;
const WIDTH = 20;

const number = (count: number): string => Math.round(count).toLocaleString('en');

/** `40 s`, `3 min`, `1 h 20 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How far it is, in one line. */
export function progressLine(
  at: ReturnType<Loading['now']>,
  since: { readonly rows: number; readonly bytes: number; readonly milliseconds: number },
  { kind, size, isTerminal }: Pick<MeterOptions, 'kind' | 'size' | 'isTerminal'>,
): string {
  const share = size ? Math.min(1, at.bytes / size) : undefined;
  const rate = ((at.rows - since.rows) / Math.max(1, since.milliseconds)) * 1_000;
  const read = at.bytes - since.bytes;
  const left = size && read > 0 ? ((size - at.bytes) / read) * since.milliseconds : undefined;
  const full = Math.round((share ?? 0) * WIDTH);
  return [
    ...(share === undefined
      ? [kind]
      : [
          `${kind}${isTerminal ? ` [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]` : ''} ${Math.floor(share * 100)} %`,
        ]),
    `${number(at.rows)} rows`,
    `${number(rate)}/s`,
    ...(left === undefined ? [] : [`${duration(left)} left`]),
    `${number(at.refused)} refused`,
    `${number(at.throttled)} throttled`,
    ...(at.retried > 0 ? [`${number(at.retried)} tried again`] : []),
    `${at.atOnce} at once`,
  ].join(', ');
}

/** Shows it while it goes on: a bar that changes on a terminal, elsewhere a line now and then. */
export function startMeter(options: MeterOptions): Meter {
  const { loading, isTerminal, write, now } = options;
  const begun = now();
  const { rows, bytes } = loading.now();
  let shown = false;
  const show = (): void => {
    const line = progressLine(loading.now(), { rows, bytes, milliseconds: now() - begun }, options);
    write(isTerminal ? `${CLEAR}${line}` : `${line}\n`);
    shown = true;
  };
  const timer = setInterval(show, isTerminal ? BAR_MS : LINE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      if (shown && isTerminal) write(CLEAR);
    },
  };
}
