import { GatehouseError } from '../table/errors.ts';
import type { WriteCommand } from './command.ts';

const CHANGED_PERHAPS: ReadonlySet<string> = new Set(['conflict', 'not_found']);

/**
 * Whether a command whose transaction was refused is planned anew. What is refused twice for the same reason is not so
 * because of a change meanwhile.
 *
 * @param before what it was refused for the last time
 * @param isTimeLeft of the time that a command may take
 */
export const isWorthPlanningAnew = (
  error: unknown,
  { compares, contends }: WriteCommand,
  before: GatehouseError | undefined,
  isTimeLeft: boolean,
): error is GatehouseError =>
  error instanceof GatehouseError &&
  (error.code === 'stale' ||
    (contends === true && isTimeLeft && error.code === 'contended') ||
    (compares === true && CHANGED_PERHAPS.has(error.code) && error.message !== before?.message));
