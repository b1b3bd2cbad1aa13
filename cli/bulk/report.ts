import { nameOf } from './input.ts';
import type { Ending, Loading } from './load.ts';
import { duration } from './progress.ts';

/** A load that is over. */
export interface Loaded {
  readonly kind: string;
  readonly file: string;
  readonly isDryRun: boolean;
  readonly ending: Ending;
  readonly attempts: Pick<ReturnType<Loading['now']>, 'throttled' | 'retried'>;
  /** The file of refused rows; undefined where none is written. */
  readonly refusedPath: string | undefined;
  readonly milliseconds: number;
  /** Rows that an interrupted load had brought in before. */
  readonly rowsBefore: number;
}

/** What became of the rows, as data. */
export function reportOf({ kind, file, isDryRun, ending, attempts, ...rest }: Loaded) {
  const { progress, fault, isStopped } = ending;
  const { refusedPath, milliseconds, rowsBefore } = rest;
  const rate = Math.round(((progress.rows - rowsBefore) / Math.max(1, milliseconds)) * 1_000);
  return {
    ...{ kind, file, dryRun: isDryRun, complete: fault === undefined && !isStopped },
    ...{
      rows: progress.rows,
      created: progress.created,
      present: progress.present,
      refused: progress.refused,
    },
    ...(refusedPath !== undefined && progress.refused > 0 ? { refusedFile: refusedPath } : {}),
    ...{ seconds: milliseconds / 1_000, rowsPerSecond: rate },
    ...{ throttled: attempts.throttled, triedAgain: attempts.retried },
    ...(fault === undefined ? {} : { fault }),
  };
}

/** The same in a sentence. */
export function sentenceOf(report: ReturnType<typeof reportOf>): string {
  const count = (of: number): string => of.toLocaleString('en');
  const where = report.refusedFile === undefined ? '' : ` (${report.refusedFile})`;
  return (
    `${nameOf(report.file)}: ${count(report.rows)} rows: ` +
    `${count(report.created)} ${report.dryRun ? 'would be created' : 'created'}, ` +
    `${count(report.present)} there already, ${count(report.refused)} refused${where}; ` +
    `${duration(report.seconds * 1_000)}, ${count(report.rowsPerSecond)} rows/s\n`
  );
}
