import { setTimeout } from 'node:timers/promises';
import { type Failure, idsOf, type PlanAnswer, type Progress, pathOf } from '../../provisioning/index.ts';
import { formatPath, ProblemsError } from '../../testing/document.ts';
import { type Context, interruptionOf, NothingDoneError } from '../context.ts';
import { accepted, isFault, RefusedError, withField } from '../provisioning.ts';
import type { Delivered } from '../transport.ts';
import type { Planned } from './shared.ts';

/** Milliseconds between two looks at whether another apply goes on: one that does renews its time far more often. */
const LOOKS_EVERY_MS = 2_000;
/** An apply that was interrupted holds its tenant for a minute: the rest is for clocks that differ. */
const MOST_LOOKS = 60;

export interface ApplyListener {
  readonly onProgress: (progress: Progress) => void;
  /** Called once if it waits, with what for and until when. */
  readonly onWait: (line: string) => void;
}

export interface GivenToApply {
  /** Whether users who were erased may come back. */
  readonly again: boolean;
  readonly accept: readonly { readonly invariant: string; readonly reason: string }[];
}

/**
 * Has a manifest applied that was planned, and no removal or danger beyond that plan. Waits for another apply of the
 * tenant while that one does not get on, since it may have been interrupted. Throws an error that says how much was
 * done, a ProblemsError where it has a place in the file.
 */
export async function applyFile(
  { plan, file, input, exact, deliver, actor }: Planned,
  { onProgress, onWait }: ApplyListener,
  around: Context,
  { again, accept }: GivenToApply,
): Promise<void> {
  const { signal, ignore } = interruptionOf(around);
  const agreed = await idsOf(plan.changes);
  const event = {
    command: 'tenant.apply',
    input: {
      ...input,
      agreed,
      ...(exact ? { exact } : {}),
      ...(again ? { again } : {}),
      ...(accept.length > 0 ? { accept } : {}),
    },
  };
  const all = plan.changes.length;
  let left = all;
  const note = (progress: Progress): void => {
    left = progress.left;
    onProgress(progress);
  };
  const send = () => deliver({ ...event, actor }, { onProgress: note, interruption: signal });
  try {
    const { answer } = await afterTheOther(send, onWait, signal);
    if (answer.ok) {
      if (left > 0) onProgress({ done: all, left: 0 });
      return;
    }
    const done = all - (answer.error.progress?.left ?? left);
    // What it holds may not have been released.
    const wait = isFault(answer.error) ? `, which may wait for up to a minute` : '';
    const rest = `${done} of ${all} steps are done: run it again to go on${wait}`;
    const { code, field, message } = answer.error;
    const why = code === 'apply_running' ? code : field === 'agreed' ? 'out_of_date' : undefined;
    if (why !== undefined && done === 0) throw new NothingDoneError(why, `nothing was done: ${message}`);
    if (code === 'unfinished') throw new RefusedError(answer.error, `interrupted: ${rest}`);
    throw refused(answer.error, file.source, rest);
  } finally {
    ignore();
  }
}

/**
 * Sends an apply, and again while another one holds the tenant and does not get on: that one has ended then, or its time
 * passes. One that gets on is not waited for: the answer says so.
 */
async function afterTheOther(
  send: () => Promise<Delivered>,
  onWait: ApplyListener['onWait'],
  signal: AbortSignal,
): Promise<Delivered> {
  const first = await send();
  const until = reservedUntil(first);
  if (until === undefined) return first;
  onWait(`waiting until ${until} at most: another apply of this tenant is under way, or was interrupted\n`);
  let last = first;
  for (let looks = 0; looks < MOST_LOOKS && reservedUntil(last) === until; looks++) {
    await pause(LOOKS_EVERY_MS, signal);
    if (signal.aborted) break;
    last = await send();
  }
  return last;
}

/** Undefined where it was not refused, or has done a part of its own before. */
const reservedUntil = ({ answer }: Delivered): string | undefined =>
  !answer.ok && answer.error.progress === undefined ? answer.error.until : undefined;

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});

/** Milliseconds before each further look: lists may trail what was written by a moment. */
const LOOKS_AFTER_MS = [0, 250, 750, 2_000];

/** What is left to do after an apply, because somebody else has changed the table meanwhile. */
export async function leftAfter({ deliver, input }: Planned): Promise<PlanAnswer['changes']> {
  let left: PlanAnswer['changes'] = [];
  for (const after of LOOKS_AFTER_MS) {
    if (after > 0) await setTimeout(after);
    const { answer } = await deliver({ command: 'tenant.plan', input });
    const { result } = accepted(answer, (error) => `it was applied, and not compared: ${withField(error)}`);
    left = (result as unknown as PlanAnswer).changes;
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
