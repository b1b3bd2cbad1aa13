import { GatehouseError } from '../table/errors.ts';
import type { WriteCommand } from './command.ts';

/** How often a command is planned when what it read has changed before it could write. */
export const MAX_PLANS = 8;

const CHANGED_PERHAPS: ReadonlySet<string> = new Set(['conflict', 'not_found']);

interface Tried {
  /** How often it was planned. */
  readonly attempt: number;
  /** Why the plan before this one was not carried out. */
  readonly refusal: GatehouseError | undefined;
  /** Whether there is time for another one. */
  readonly isTimeLeft: boolean;
}

/** Whether another plan may do. What is refused twice for the same reason is not so because of a change meanwhile. */
export function isWorthPlanningAnew(
  error: unknown,
  { compares, contends }: WriteCommand,
  { attempt, refusal, isTimeLeft }: Tried,
): error is GatehouseError {
  if (!(error instanceof GatehouseError) || attempt >= MAX_PLANS) return false;
  if (error.code === 'stale') return true;
  if (error.code === 'contended') return contends === true && isTimeLeft;
  return compares === true && CHANGED_PERHAPS.has(error.code) && error.message !== refusal?.message;
}
