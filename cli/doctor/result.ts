/** What a check of `gatehouse doctor` came to. Only `failed` makes the whole fail. */
export interface Result {
  readonly check: CheckName;
  readonly status: 'ok' | 'warning' | 'failed' | 'not_checked';
  /** What was found and, unless it is well, what to do. Without secrets. */
  readonly message: string;
}

/** In the order in which they run. */
export const CHECKS = [
  'configuration',
  'issuers',
  'table',
  'rights',
  'clock',
  'writers',
  'cache',
  'routes',
  'operators',
  'cost',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** What one check found. */
export type Found = Result | readonly Result[];

/** The results of one check. */
export const reporter = (check: CheckName) => ({
  ok: (message: string): Result => ({ check, status: 'ok', message }),
  warning: (message: string): Result => ({ check, status: 'warning', message }),
  failed: (message: string): Result => ({ check, status: 'failed', message }),
  notChecked: (message: string): Result => ({ check, status: 'not_checked', message }),
});
