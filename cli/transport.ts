import * as z from 'zod';
import type { Answer, Hooks, Progress, Provisioning } from '../provisioning/index.ts';
import { parseJson } from '../table/json.ts';
import type { Pacing } from '../table/read/pacing.ts';

/** The event of provisioning, as docs/commands.md has it. */
export interface ProvisioningEvent {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly operationId?: string | undefined;
  readonly actor?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A command and its input. */
export type Command = Pick<ProvisioningEvent, 'command' | 'input'>;

/** A command in an event of several. */
export type BatchedCommand = Pick<ProvisioningEvent, 'command' | 'input' | 'operationId'>;

/** An event of several commands, each answered by itself. */
export interface BatchEvent extends Pick<ProvisioningEvent, 'actor' | 'dryRun'> {
  readonly batch: readonly BatchedCommand[];
}

/** Sends such an event, and answers for each command. */
export type BatchTransport = (event: BatchEvent, signal: AbortSignal) => Promise<readonly Answer[]>;

/**
 * Sends events to provisioning: in this process on a table, or in the deployed function. Refusals are answers;
 * throws {@link TransportError} when there is no answer.
 */
export type Transport = (
  event: ProvisioningEvent | BatchEvent,
  signal?: AbortSignal,
  hooks?: Hooks,
) => Promise<Answer>;

/** Provisioning gave no answer. Whether it carried out the command is not known. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code = 'no_answer';
  /** Whether sending the same event again may succeed. */
  readonly retryable: boolean;
  /** The operation that got no answer: under this id it can be sent again. */
  readonly operationId: string | undefined;
  constructor(message: string, retryable: boolean, cause?: unknown, operationId?: string) {
    super(message, cause === undefined ? undefined : { cause });
    this.retryable = retryable;
    this.operationId = operationId;
  }
}

/** Provisioning in this process. */
export const directTransport =
  (provisioning: Provisioning): Transport =>
  (event, _signal, hooks) =>
    provisioning(event, hooks);

export interface DelivererOptions {
  readonly pacing: Pacing;
  readonly newId: () => string;
}

/** An answer, with its operation id. */
export interface Delivered {
  readonly answer: Answer;
  readonly operationId: string;
  /** How often the event was sent. */
  readonly attempts: number;
}

/** What a caller wants to know of an event that takes many transactions, and how it stops one. */
interface DeliverOptions {
  /** Called whenever more of it is done: after each transaction, or, through a function, after each answer. */
  readonly onProgress?: (progress: Progress) => void;
  /** When it is aborted, the event is not sent again, and in this process stops between two transactions. */
  readonly interruption?: AbortSignal;
}

export type Deliver = (event: ProvisioningEvent, options?: DeliverOptions) => Promise<Delivered>;

/**
 * Sends an event until the answer is final or the deadline passes. Every attempt has the same operation id, so a
 * command whose answer was lost is recognised and not carried out twice.
 *
 * A command of several steps that ran out of time is sent again to continue, with a new deadline: each attempt has
 * completed steps of its own.
 */
export const deliverer =
  (transport: Transport, { pacing, newId }: DelivererOptions): Deliver =>
  async (given, { onProgress, interruption } = {}) => {
    const operationId = given.operationId ?? newId();
    const event = { ...given, operationId };
    let signal = pacing.deadline();
    // When the deadline passes during an attempt, the error of the previous attempt has more information.
    let known: TransportError | undefined;
    let attempt = 1;
    const advanced = (progress?: Progress): void => {
      signal = pacing.deadline();
      attempt = 1;
      if (progress) onProgress?.(progress);
    };
    const hooks = { onStep: advanced, signal: interruption };
    for (let attempts = 1; ; attempts++) {
      const outcome = await transport(event, signal, hooks).then(
        (answer) => ({ answer }),
        (error: unknown) => {
          if (!(error instanceof TransportError) || !error.retryable) throw error;
          return { error };
        },
      );
      if ('answer' in outcome) {
        const { answer } = outcome;
        if (answer.ok || !answer.error.retryable || signal.aborted || interruption?.aborted)
          return { answer, operationId, attempts };
        if (answer.error.code === 'unfinished') advanced(answer.error.progress);
      } else if (signal.aborted) throw lost(known ?? outcome.error, event, attempts);
      else known = outcome.error;
      await pacing.pause(attempt++, signal);
      if (!signal.aborted) continue;
      if ('answer' in outcome) return { answer: outcome.answer, operationId, attempts };
      throw lost(outcome.error, event, attempts);
    }
  };

const lost = (error: TransportError, { operationId }: ProvisioningEvent, attempts: number): TransportError =>
  new TransportError(
    `${error.message} (${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`,
    true,
    error.cause,
    operationId,
  );

const failure = z.object({
  ok: z.literal(false),
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    holder: z.string().optional(),
    until: z.string().optional(),
    retryable: z.boolean(),
    approval: z.string().optional(),
    progress: z.object({ done: z.number(), left: z.number() }).optional(),
  }),
});
const success = z.object({
  ok: z.literal(true),
  result: z.record(z.string(), z.unknown()),
  token: z.string().optional(),
});
const answers = z.union([success, failure]);

/** Parses the answer of a function. Throws {@link TransportError} when it is no answer of provisioning. */
export function readAnswer(name: string, payload: string): Answer {
  const parsed = answers.safeParse(parseJson(payload));
  if (!parsed.success)
    throw new TransportError(`${name} did not answer as provisioning does: is it the right function?`, false);
  return parsed.data as Answer;
}
