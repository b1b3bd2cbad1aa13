import { nameOf } from '../input-file.ts';
import { CLEAR_LINE } from '../print.ts';
import type { Progress } from './checkpoint.ts';
import type { Ending, Loading, LoadStatus } from './load.ts';

export interface ProgressOptions {
  readonly loading: Loading;
  readonly kind: string;
  /** Bytes of the input; undefined for a pipe. */
  readonly size: number | undefined;
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
}

const EVERY_MS = 200;

const number = (count: number): string => Math.round(count).toLocaleString('en');

/** `40 s`, `3 min`, `1 h 20 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The progress in one line; rate and remaining time are those since this run began. */
export function progressLine(
  at: LoadStatus,
  since: { readonly rows: number; readonly bytes: number; readonly milliseconds: number },
  { kind, size }: Pick<ProgressOptions, 'kind' | 'size'>,
): string {
  const rate = ((at.rows - since.rows) / Math.max(1, since.milliseconds)) * 1_000;
  const read = at.bytes - since.bytes;
  return [
    size ? `${kind} ${Math.floor(Math.min(1, at.bytes / size) * 100)} %` : kind,
    `${number(at.rows)} rows`,
    `${number(rate)}/s`,
    ...(size && read > 0 ? [`${duration(((size - at.bytes) / read) * since.milliseconds)} left`] : []),
    `${number(at.refused)} refused`,
    `${number(at.throttled)} throttled`,
    ...(at.retried > 0 ? [`${number(at.retried)} retried`] : []),
    `${at.inFlight} in flight`,
  ].join(', ');
}

/** Shows the progress on a terminal, in one line that changes, until the returned function is called. */
export function showProgress(options: ProgressOptions): () => void {
  const { loading, isTerminal, write, now } = options;
  if (!isTerminal) return () => {};
  const begun = now();
  const { rows, bytes } = loading.status();
  const show = (): void => {
    const line = progressLine(loading.status(), { rows, bytes, milliseconds: now() - begun }, options);
    write(`${CLEAR_LINE}${line}`);
  };
  const timer = setInterval(show, EVERY_MS);
  return () => {
    clearInterval(timer);
    write(CLEAR_LINE);
  };
}

/** A load that has ended. */
export interface Loaded {
  readonly kind: string;
  readonly file: string;
  readonly isDryRun: boolean;
  readonly ending: Ending;
  readonly status: LoadStatus;
  /** The file of refused rows; undefined where none is written. */
  readonly refusedFile: string | undefined;
  readonly milliseconds: number;
  /** Rows that the interrupted load had done. */
  readonly rowsBefore: number;
}

/** All rows with an outcome. One that was refused after the first row without one is reported when that has one. */
export function loadedCounts({ progress, ahead }: Ending): Omit<Progress, 'bytes'> {
  const [created, present] = [progress.created + ahead.created, progress.present + ahead.present];
  return { rows: created + present + progress.refused, created, present, refused: progress.refused };
}

const rowsPerSecond = (loaded: Loaded): number =>
  Math.round(
    ((loadedCounts(loaded.ending).rows - loaded.rowsBefore) / Math.max(1, loaded.milliseconds)) * 1_000,
  );

export function loadedData(loaded: Loaded) {
  const { kind, file, isDryRun, ending, status, refusedFile, milliseconds } = loaded;
  const { rows, created, present, refused } = loadedCounts(loaded.ending);
  return {
    kind,
    file,
    dryRun: isDryRun,
    complete: ending.fault === undefined && !ending.isStopped,
    rows,
    created,
    present,
    refused,
    ...(refusedFile !== undefined && refused > 0 ? { refusedFile } : {}),
    seconds: milliseconds / 1_000,
    rowsPerSecond: rowsPerSecond(loaded),
    throttled: status.throttled,
    retried: status.retried,
    fault: ending.fault,
  };
}

export function formatLoaded(loaded: Loaded): string {
  const { isDryRun, refusedFile, milliseconds } = loaded;
  const { rows, created, present, refused } = loadedCounts(loaded.ending);
  const where = refusedFile !== undefined && refused > 0 ? ` (${refusedFile})` : '';
  return (
    `${nameOf(loaded.file)}: ${number(rows)} rows: ${number(created)} ${isDryRun ? 'would be created' : 'created'}, ` +
    `${number(present)} already present, ${number(refused)} refused${where}; ` +
    `${duration(milliseconds)}, ${number(rowsPerSecond(loaded))} rows/s\n`
  );
}
