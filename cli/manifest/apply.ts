import { ulid } from 'ulid';
import type { Answer } from '../../provisioning/index.ts';
import { formatPath, ProblemsError } from '../document.ts';
import type { Provision } from './look.ts';
import type { PlannedManifest } from './plan.ts';
import type { Step } from './steps.ts';

export interface ApplyOptions {
  readonly provision: Provision;
  readonly actor: string | undefined;
  /** After every step. */
  readonly onProgress: (done: number, all: number, step: Step) => void;
  /** Whether to stop between two steps. */
  readonly isInterrupted: () => boolean;
}

/**
 * Carries out a plan, step by step. Each is sent under an operation id of its own: when the answer to it is lost, the
 * next attempt is told what the first came to. The ids are this run's, for what a step does may have to be done again
 * another day.
 */
export async function applyPlan({ steps, file }: PlannedManifest, options: ApplyOptions): Promise<void> {
  const run = ulid();
  for (const [position, step] of steps.entries()) {
    const left = `${position} of ${steps.length} steps are done: run it again to go on`;
    if (options.isInterrupted()) throw new Error(`interrupted: ${left}`);
    const answer = await send(step, `manifest-${run}-${position}`, options);
    const isGone = step.verb === 'remove' && !answer.ok && answer.error.code === 'not_found';
    if (!answer.ok && !isGone) throw refused(step, answer.error, file.source, left);
    options.onProgress(position + 1, steps.length, step);
  }
}

/** A removal of much says when it has to be sent again to go on. */
async function send(step: Step, operationId: string, { provision, actor }: ApplyOptions): Promise<Answer> {
  const { command, input } = step;
  const event = { command, input, operationId, ...(actor === undefined ? {} : { actor }) };
  for (;;) {
    const answer = await provision(event);
    if (answer.ok || answer.error.code !== 'unfinished') return answer;
  }
}

function refused(
  step: Step,
  { message, holder, retryable }: Extract<Answer, { ok: false }>['error'],
  source: PlannedManifest['file']['source'],
  left: string,
): Error {
  const told = `${step.verb} ${step.kind} ${step.label}: ${message}${holder === undefined ? '' : ` (${holder})`}`;
  if (retryable || step.path.length === 0) return new Error(`${told}; ${left}`);
  const place = source.placeOf(step.path);
  const at = place ? `:${place.line}:${place.column}` : '';
  return new ProblemsError([`${source.file}${at}: ${formatPath(step.path)}: ${told}`, left]);
}
