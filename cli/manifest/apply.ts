import { ulid } from 'ulid';
import type { Answer } from '../../provisioning/index.ts';
import { formatPath, ProblemsError } from '../document.ts';
import type { Provision } from './look.ts';
import { createPacks, isTooMuch, type Pack, positionOf } from './packs.ts';
import type { PlannedManifest } from './plan.ts';
import type { Step } from './steps.ts';

export interface ApplyOptions {
  readonly provision: Provision;
  readonly actor: string | undefined;
  /** After every transaction, with the last step of it. */
  readonly onProgress: (done: number, all: number, step: Step) => void;
  /** Whether to stop between two transactions. */
  readonly isInterrupted: () => boolean;
  /** How many steps to put into one transaction, beyond what has to be in one. As many as fit, unless given. */
  readonly atOnce?: number | undefined;
}

/**
 * Carries out a plan, transaction by transaction. Each is sent under an operation id of its own: when the answer to it
 * is lost, the next attempt is told what the first came to. The ids are this run's, for what a step does may have to be
 * done again another day.
 */
export async function applyPlan({ steps, file }: PlannedManifest, options: ApplyOptions): Promise<void> {
  const run = ulid();
  const packs = createPacks(steps, options.atOnce);
  let [done, sent] = [0, 0];
  for (let pack = packs.next(); pack; pack = packs.next()) {
    const left = `${done} of ${steps.length} steps are done: run it again to go on`;
    if (options.isInterrupted()) throw new Error(`interrupted: ${left}`);
    const settle = (carriedOut: Pack): void => {
      packs.done(carriedOut);
      done += carriedOut.length;
      options.onProgress(done, steps.length, carriedOut.at(-1) as Step);
    };
    for (let part: Pack | undefined = pack; part; ) {
      const answer = await send(part, `manifest-${run}-${++sent}`, options);
      if (answer.ok) {
        settle(part);
        break;
      }
      const { error } = answer;
      const position: number = positionOf(error) ?? 0;
      const step = part[position] as Step;
      const fewer: Pack | undefined = isTooMuch(error) ? packs.smaller(part, position) : undefined;
      if (fewer) part = fewer;
      else if (step.verb === 'remove' && error.code === 'not_found') {
        // It is gone already.
        settle([step]);
        part = part.length > 1 ? part.filter((each) => each !== step) : undefined;
      } else throw refused(step, error, file.source, left);
    }
  }
}

/** A removal of much says when it has to be sent again to go on. */
async function send(pack: Pack, operationId: string, { provision, actor }: ApplyOptions): Promise<Answer> {
  const commands = pack.map(({ command, input }) => ({ command, input }));
  const [first] = commands;
  const what = first && commands.length === 1 ? first : { command: 'transaction.write', input: { commands } };
  const event = { ...what, operationId, ...(actor === undefined ? {} : { actor }) };
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
