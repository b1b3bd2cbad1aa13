import * as z from 'zod';
import { createKnownSplits } from '../table/decision/split.ts';
import { defined } from '../table/defined.ts';
import * as field from '../table/entities/fields.ts';
import { codesOf, type ErrorCode, GatehouseError, invalid } from '../table/errors.ts';
import { formatFreshnessToken } from '../table/freshness-token.ts';
import { operationKey } from '../table/keys.ts';
import type { Log } from '../table/log.ts';
import type { Action } from '../table/write/action.ts';
import { mergeActions } from '../table/write/merge.ts';
import { COMMANDS } from './all-commands.ts';
import { type Answer, PartlyDone, type Success, toFailure } from './answer.ts';
import { type AuditSender, auditOrigin, counters } from './audit.ts';
import { createBatches } from './batch.ts';
import { createBatchedReads } from './batched-reads.ts';
import { keeping } from './command.ts';
import { label, MAX_LEVELS, misshapen, readBySchema } from './input.ts';
import {
  AlreadyDone,
  asOpen,
  describeOperation,
  type Operation,
  type Outcome,
  recordOperation,
} from './operation.ts';
import { ApprovalRequired } from './operators/approval.ts';
import { createGuard, type Guarded, type OperatorRules } from './operators/guard.ts';
import type { Operator } from './operators/operator.ts';
import { type Begun, createPipeline, type PlanOptions, type Ports } from './pipeline.ts';
import { isKept, type Plan, type Progress } from './plan.ts';
import { isWorthPlanningAnew } from './planning-anew.ts';
import { hasSeen } from './resting.ts';
import { createSharedItems } from './shared-items.ts';

export interface ProvisioningOptions extends Ports {
  /** Milliseconds after which a command of several steps stops between two of them. Default 20,000. */
  readonly budgetMs?: number;
  /** Default: nothing is logged. */
  readonly log?: Pick<Log, 'error' | 'warn'>;
  /** Who may run which command (ADR 0032). Default: whoever may call this may do everything. */
  readonly operatorRules?: OperatorRules;
  /** Waits, between transactions of a job that write the same decision items. Default: by a timer. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/** What a caller in the same process may give along with an event. */
export interface Hooks {
  /** The id of the invocation, for log lines. */
  readonly requestId?: string | undefined;
  /** Called after each transaction of a command that does many changes. The next one waits for it. */
  readonly onStep?: ((progress: Progress) => void | Promise<void>) | undefined;
  /** Stops a command of several steps between two of them: it answers `unfinished`. */
  readonly signal?: AbortSignal | undefined;
  /** The ARN of the IAM principal who calls, as the platform has verified it. */
  readonly principal?: string | undefined;
}

const DEFAULT_BUDGET_MS = 20_000;

/** The Lambda's event. */
const eventSchema = z.strictObject({
  command: z.string().max(64),
  input: z.record(z.string(), z.unknown()),
  operationId: label.optional(),
  actor: label.optional(),
  /** Where the request came from; goes into the audit record. */
  origin: auditOrigin
    .refine((of) => !misshapen(of, MAX_LEVELS), 'holds a pseudonym, or is nested too deep')
    .optional(),
  dryRun: z.boolean().optional(),
  /** The operator's token, where operators are verified by one. */
  token: z.string().min(1).max(10_240).optional(),
});
type Event = z.infer<typeof eventSchema>;

/** Commands of one event. */
const MAX_PARTS = 1_000;

/** An event of several commands, each answered by itself. */
const batchSchema = eventSchema.omit({ command: true, input: true, operationId: true }).extend({
  batch: z
    .array(eventSchema.pick({ command: true, input: true, operationId: true }))
    .min(1)
    .max(MAX_PARTS),
  ifExists: field.ifExists,
});

/** With the IAM principal that was verified, if one was. */
type Acting<E = Event> = E & Pick<AuditSender, 'principal' | 'onBehalfOf' | 'mandate'>;

/**
 * The policy administration point: one function from event to answer. Each write command is one
 * TransactWriteItems with its audit record and the record of its operation.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the pipeline of a command: its steps share ports and settings.
export function createProvisioning({
  budgetMs = DEFAULT_BUDGET_MS,
  log,
  operatorRules,
  sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ...ports
}: ProvisioningOptions) {
  const { reader, writer, clock, newId } = ports;
  const guard = operatorRules && createGuard(reader, operatorRules);
  const nextCounter = counters(newId);
  const sharedItems = createSharedItems({ clock, sleep });
  // What writes find out of splits is kept: the next ones on the same items need no second try.
  const pipeline = createPipeline(ports, COMMANDS, createKnownSplits());
  const runBatch = createBatches({
    reader,
    clock,
    newId,
    budgetMs,
    nextCounter,
    sharedItems,
    pipeline,
    commands: COMMANDS,
  });

  async function carryOut(
    sent: Acting,
    operationId: () => string,
    hooks: Hooks,
    guarded: Guarded | undefined,
  ): Promise<Success> {
    const begun = await pipeline.begin(sent, guarded);
    if (begun.result) return { ok: true, result: begun.result };
    const isNamed = sent.operationId !== undefined;
    const operation = await describeOperation(operationId(), isNamed, begun.command.name, begun.given);
    const outcome =
      (await pipeline.earlier(operation, guarded)) ?? (await write(begun, operation, sent, hooks, guarded));
    // A dry run has no write to wait for. Any other write is committed by now.
    const end = sent.dryRun ? { dryRun: true as const } : { token: formatFreshnessToken(clock.now()) };
    return { ok: true, result: { ...outcome.result, ...outcome.shownOnce }, ...end };
  }

  /**
   * After a failure: the outcome, should the operation have been carried out all the same. Its twin may
   * have been faster (and its plan failed because of that), or an acknowledgement was lost.
   *
   * @throws what the look at the record threw, where the failure itself would tell the caller for certain that
   *   nothing was done
   */
  async function meanwhile(operation: Operation, error: unknown): Promise<Outcome | undefined> {
    const doubtful = error instanceof GatehouseError && error.retryable;
    if (!operation.named && !doubtful) return undefined;
    const record = await reader.get(operationKey(operation.id)).catch((unread: unknown) => {
      if (!doubtful) throw unread;
      return undefined;
    });
    return record && pipeline.recalled(operation, record);
  }

  /** Plans a step while these actions are being written. Undefined where it has to wait until they are. */
  const planMeanwhile = (
    make: NonNullable<Plan['next']>,
    planning: Pick<PlanOptions, 'guarded' | 'operation' | 'again'>,
    written: readonly Action[],
  ) =>
    createBatchedReads(reader).work(async (own, seen) => {
      const planned = await pipeline.plan(make, { ...planning, from: own }).catch(() => undefined);
      return planned && !hasSeen(seen, written) ? planned : undefined;
    });

  /** Carries out a command. Frees what it holds where it ends before its last step. */
  async function write(
    begun: Begun,
    operation: Operation,
    event: Acting,
    hooks: Hooks,
    guarded: Guarded | undefined,
  ): Promise<Outcome> {
    const frees: Frees = { actions: [] };
    try {
      return await writeSteps(begun, operation, event, hooks, guarded, frees);
    } catch (error) {
      const goesOn = operation.named && hooks.signal?.aborted !== true && isUnfinished(error);
      // What cannot be freed now is free when its time is up.
      if (frees.actions.length > 0 && !goesOn) await writer.send(frees.actions).catch(() => {});
      throw error;
    }
  }

  /** The steps of a command, one transaction each; most have one. */
  async function writeSteps(
    { command, input, given }: Begun,
    operation: Operation,
    event: Acting,
    { onStep, signal }: Hooks,
    guarded: Guarded | undefined,
    frees: Frees,
  ): Promise<Outcome> {
    const writing = event.dryRun ? undefined : operation.id;
    const begun = clock.now();
    let progress: Progress | undefined;
    /** Why the plan before this one was not carried out. */
    let refusal: GatehouseError | undefined;
    let wasRefused = false;
    const failed = (error: unknown) => (progress ? new PartlyDone(error, progress) : error);
    let wasPlanned = false;
    let again = false;
    let isPrelude = false;
    const begin: NonNullable<Plan['next']> = (planning) => command.plan(planning, input);
    let next = begin;
    /** The next step, planned while the one before it was being written. */
    let ahead: ReturnType<typeof planMeanwhile> | undefined;
    for (let attempt = 1, steps = 0; ; ) {
      try {
        const step = (await ahead) ?? (await pipeline.plan(next, { guarded, operation: writing, again }));
        const { plan: planned, nodes, now } = step;
        ahead = undefined;
        wasPlanned = true;
        await guarded?.checkPlan(command.name, planned);
        if (isKept(planned) && !planned.record) return { result: planned.result };
        const request = event.dryRun
          ? undefined
          : await guarded?.request(command.name, planned, { operation, input: given, now });
        const plan = request ?? planned;
        const sealedAt = clock.now();
        const context = {
          // Not when it was planned, which may take long: who asks what was at an instant goes by this.
          now: new Date(sealedAt).toISOString(),
          writtenAt: sealedAt,
          command: command.name,
          operationId: operation.id,
          event,
          step: plan.next || steps > 0 ? steps + 1 : undefined,
          counter: nextCounter(),
        };
        const record = await pipeline.seal(plan, context, wasRefused);
        const merged = mergeActions([
          // The operation comes first: a repetition fails on it before it fails on its own values.
          plan.record?.(record.result) ??
            (plan.next
              ? asOpen(operation)
              : recordOperation(operation, { result: record.result }, now, context.writtenAt)),
          ...plan.actions,
          ...record.keys,
          ...record.audit,
        ]);
        const actions = nodes.keep(merged);
        const send = () => pipeline.send(actions, event.dryRun === true);
        frees.actions = plan.frees ?? [];
        const sending = plan.next || steps > 0 ? sharedItems.sparingly(actions, send) : send();
        if (plan.next && plan.planAhead && !event.dryRun)
          ahead = planMeanwhile(plan.next, { guarded, operation: writing, again }, actions);
        await sending;
        if (request) throw new ApprovalRequired(operation.id);
        if (plan.progress && !event.dryRun) {
          const { done, left } = plan.progress;
          progress = { done: (progress?.done ?? 0) + done, left };
          await onStep?.(progress);
        }
        if (!plan.next || event.dryRun) return { result: plan.result, shownOnce: plan.shownOnce };
        next = plan.next;
        isPrelude = plan.isPrelude === true;
        steps += 1;
        attempt = 1;
        refusal = undefined;
      } catch (error) {
        ahead = undefined;
        if (error instanceof AlreadyDone && error.found) return pipeline.recalled(operation, error.found);
        const done = await meanwhile(operation, error).catch((unread: unknown) => {
          throw failed(unread);
        });
        if (done) return done;
        const isTimeLeft = clock.now() - begun < budgetMs;
        if (!isWorthPlanningAnew(error, command, { attempt, refusal, isTimeLeft })) throw failed(error);
        refusal = error;
        wasRefused = true;
        again = wasPlanned;
        next = begin;
        attempt += 1;
      }
      if (steps > 0 && !isPrelude && (signal?.aborted || clock.now() - begun > budgetMs))
        throw failed(unfinished(steps, progress));
    }
  }

  /** The answer to an error, and what the log says of it. */
  function failed(error: unknown, { command, operationId, requestId, guarded }: Failed): Answer {
    const failure = toFailure(error, guarded?.seesHolders());
    if (failure.error.code === 'not_permitted')
      log?.warn('command refused', {
        requestId,
        code: 'not_permitted',
        field: error instanceof GatehouseError ? error.field : undefined,
        command,
        operationId: operationId(),
        operator: loggable(guarded?.operator),
      });
    if (FAULTS.has(failure.error.code)) {
      const cause = error instanceof PartlyDone ? error.cause : error;
      log?.error('command failed', { requestId, command, operationId: operationId(), ...codesOf(cause) });
    }
    return failure;
  }

  /** The answer to one command of an operator who is known. */
  async function answer(event: Acting, hooks: Hooks, guarded: Guarded | undefined): Promise<Answer> {
    let id = event.operationId;
    // Made when it is needed: most commands that read need none.
    const operationId = (): string => {
      id ??= newId();
      return id;
    };
    try {
      return await carryOut(event, operationId, hooks, guarded);
    } catch (error) {
      return failed(error, { command: event.command, operationId, requestId: hooks.requestId, guarded });
    }
  }

  async function answerAll(given: unknown, { requestId, signal, principal }: Hooks): Promise<Answer> {
    const parsed = readBySchema(batchSchema, given, 'event');
    const guarded = await identified(parsed.token, principal);
    const { batch: _, ifExists, ...sender } = asOperator(parsed, guarded);
    const dryRun = sender.dryRun === true;
    // zod leaves out a field named __proto__; the reading of the input has to see and refuse it.
    const { batch } = given as z.infer<typeof batchSchema>;
    const answers = await runBatch(
      batch.map((part) => ({ ...part, input: keeping(ifExists, COMMANDS, part) })),
      {
        guarded,
        dryRun,
        signal,
        event: sender,
        alone: async (part) => answer({ ...part, ...sender }, { requestId, signal }, guarded),
        fail: (error, { command }, id, of) =>
          failed(error, { command, operationId: () => id, requestId, guarded: of }),
      },
    );
    const token = dryRun ? {} : { token: formatFreshnessToken(clock.now()) };
    return { ok: true, result: { answers }, ...token };
  }

  async function identified(token: string | undefined, principal: string | undefined) {
    if (!guard && token !== undefined) throw invalid('token', NO_TOKENS);
    return guard?.({ token, principal });
  }

  return async (event: unknown, hooks: Hooks = {}): Promise<Answer> => {
    let known: Pick<Event, 'command' | 'operationId'> | undefined;
    try {
      if (typeof event === 'object' && event !== null && 'batch' in event)
        return await answerAll(event, hooks);
      const parsed = readBySchema(eventSchema, event, 'event');
      known = parsed;
      // zod leaves out a field named __proto__; the reading of the input has to see and refuse it.
      const request = { ...parsed, input: (event as Event).input };
      const guarded = await identified(parsed.token, hooks.principal);
      return await answer(asOperator(request, guarded), hooks, guarded);
    } catch (error) {
      const operationId = () => known?.operationId ?? newId();
      return failed(error, {
        command: known?.command,
        operationId,
        requestId: hooks.requestId,
        guarded: undefined,
      });
    }
  };
}

/** What frees that which a command holds. */
interface Frees {
  actions: readonly Action[];
}

const isUnfinished = (thrown: unknown): boolean => {
  const error = thrown instanceof PartlyDone ? thrown.cause : thrown;
  return error instanceof GatehouseError && error.code === 'unfinished';
};

interface Failed {
  readonly command: string | undefined;
  readonly operationId: () => string;
  readonly requestId: string | undefined;
  readonly guarded: Guarded | undefined;
}

export type Provisioning = ReturnType<typeof createProvisioning>;

const NO_TOKENS = 'token: this provisioning verifies no operators (OPERATORS)';

/** The event with the verified operator as its actor. Throws `not_permitted` for another one that it states. */
function asOperator<E extends Pick<Event, 'actor'>>(event: E, guarded: Guarded | undefined): Acting<E> {
  if (!guarded) return event;
  const { subject, principal, actor: acting } = guarded.operator;
  const actor = acting?.subject ?? subject;
  if (event.actor !== undefined && event.actor !== actor)
    throw new GatehouseError('not_permitted', 'actor: it is another one than the operator', {
      field: 'actor',
    });
  const { mandate } = acting ?? {};
  return { ...event, actor, ...defined({ principal, onBehalfOf: acting && subject, mandate }) };
}

/** The operator's reference for the log. An id that is an email stays out of it. */
const loggable = (operator: Operator | undefined): string | undefined =>
  operator === undefined || operator.subject.includes('@') ? undefined : operator.subject;

/** Codes that are no mistake of the caller, nor a change by another one. */
const FAULTS: ReadonlySet<ErrorCode> = new Set([
  ...(['throttled', 'contended', 'transient', 'damaged_item', 'newer_form', 'internal'] as const),
]);

const unfinished = (steps: number, progress: Progress | undefined): GatehouseError =>
  new GatehouseError(
    'unfinished',
    progress
      ? `${progress.done} changes are done and ${progress.left} are left: send the same command again to go on`
      : `${steps} step(s) are done and more are left: send the same command again to go on`,
  );
