import type { PlanAnswer } from '../../provisioning/apply/commands.ts';
import { pathOf } from '../../provisioning/apply/problem.ts';
import { idsOf } from '../../provisioning/apply/saved-plan.ts';
import type { Failure, Progress } from '../../provisioning/index.ts';
import { formatPath, ProblemsError } from '../../testing/document.ts';
import { type Context, NothingDoneError } from '../context.ts';
import { RefusedError, withField } from '../provisioning.ts';
import type { Planned } from './shared.ts';

/**
 * Has a manifest applied that was planned, and no removal or danger beyond that plan. Throws an error that says how much
 * was done, a ProblemsError where it has a place in the file.
 */
export async function applyFile(
  { plan, file, input, exact, deliver, actor }: Planned,
  onProgress: (progress: Progress) => void,
  { onInterrupt }: Context,
  again: boolean,
): Promise<void> {
  const interruption = new AbortController();
  const ignore = onInterrupt?.(() => interruption.abort());
  const agreed = await idsOf(plan.changes);
  const event = {
    command: 'tenant.apply',
    input: { ...input, agreed, ...(exact ? { exact } : {}), ...(again ? { again } : {}) },
  };
  const all = plan.changes.length;
  let left = all;
  const note = (progress: Progress): void => {
    left = progress.left;
    onProgress(progress);
  };
  try {
    const { answer } = await deliver(
      { ...event, ...(actor === undefined ? {} : { actor }) },
      { onProgress: note, interruption: interruption.signal },
    );
    if (answer.ok) {
      if (left > 0) onProgress({ done: all, left: 0 });
      return;
    }
    const done = all - (answer.error.progress?.left ?? left);
    const rest = `${done} of ${all} steps are done: run it again to go on`;
    const { code, field, message } = answer.error;
    const why = code === 'apply_running' ? code : field === 'agreed' ? 'out_of_date' : undefined;
    if (why !== undefined && done === 0) throw new NothingDoneError(why, `nothing was done: ${message}`);
    if (code === 'unfinished') throw new RefusedError(answer.error, `interrupted: ${rest}`);
    throw refused(answer.error, file.source, rest);
  } finally {
    ignore?.();
  }
}

/** Milliseconds before each further look: lists may trail what was written by a moment. */
const LOOKS_AFTER_MS = [0, 250, 750, 2_000];

/** What is left to do after an apply, because somebody else has changed the table meanwhile. */
export async function leftAfter({ deliver, input }: Planned): Promise<PlanAnswer['changes']> {
  let left: PlanAnswer['changes'] = [];
  for (const pause of LOOKS_AFTER_MS) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const { answer } = await deliver({ command: 'tenant.plan', input });
    if (!answer.ok)
      throw new RefusedError(answer.error, `it was applied, and not compared: ${withField(answer.error)}`);
    left = (answer.result as unknown as PlanAnswer).changes;
    if (left.length === 0) break;
  }
  return left;
}

function refused(error: Failure['error'], { file, placeOf }: Planned['file']['source'], rest: string): Error {
  const { message, holder, retryable, field = '' } = error;
  const text = `${message}${holder === undefined ? '' : ` (${holder})`}`;
  const path = pathOf(field);
  if (retryable || path.length === 0) return new RefusedError(error, `${text}; ${rest}`);
  return new ProblemsError([
    { file, ...placeOf(path), path: formatPath(path), message: text },
    { file, message: rest },
  ]);
}
