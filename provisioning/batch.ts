import { type ErrorCode, GatehouseError } from '../table/errors.ts';
import { identityOf } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { MAX_TRANSACTION_BYTES, sizeOf } from '../table/size.ts';
import { type Action, keyOf } from '../table/write/action.ts';
import { mergeActions } from '../table/write/merge.ts';
import { MAX_ACTIONS } from '../table/write/transaction.ts';
import type { WriteNotes } from '../table/writer.ts';
import type { Answer } from './answer.ts';
import { explained } from './assembly.ts';
import type { AuditContext } from './audit.ts';
import { createBatchedReads, type Seen } from './batched-reads.ts';
import type { Command } from './command.ts';
import { createPlanned } from './nodes/planned-writes.ts';
import {
  AlreadyDone,
  describeOperation,
  type Operation,
  type Outcome,
  recordOperation,
} from './operation.ts';
import type { Guarded } from './operators/guard.ts';
import type { Pipeline, Ports } from './pipeline.ts';
import { isKept, type Sent } from './plan.ts';
import { MAX_PLANS } from './planning-anew.ts';
import type { SubjectKeys } from './pseudonyms.ts';
import { hasAny, isTouch } from './resting.ts';
import type { SharedItems } from './shared-items.ts';

/**
 * Many commands in one event, each answered as if they had been sent one after the other (ADR 0037). Commands share
 * transactions: those next to each other are planned side by side upon what the table has, and as many of them as fit
 * are written together. One that looks at what another one before it changes waits for the next transaction. One that
 * is refused is left out, and the others are written without it.
 */
export interface BatchOptions extends Pick<Ports, 'reader' | 'clock' | 'newId'> {
  readonly budgetMs: number;
  readonly commands: ReadonlyMap<string, Command>;
  /** The counter of audit records for the next transaction. */
  readonly nextCounter: () => number;
  readonly sharedItems: SharedItems;
  readonly pipeline: Pipeline;
}

/** One command of a batch. */
export interface Part extends Sent {
  readonly operationId?: string | undefined;
}

/** What all commands of a batch share. */
export interface Around {
  readonly guarded: Guarded | undefined;
  readonly dryRun: boolean;
  readonly event: AuditContext['event'];
  /** Carries out a command by itself: one that takes several transactions, or that waits for approval. */
  readonly alone: (part: Part) => Promise<Answer>;
  /** The answer to an error of a command. */
  readonly fail: (error: unknown, part: Part, operationId: string, guarded: Guarded | undefined) => Answer;
  readonly signal?: AbortSignal | undefined;
}

/** Commands that are planned at a time: more never fit into one transaction. */
const AT_ONCE = MAX_ACTIONS;

/** A command that has no answer yet. */
interface Pending {
  readonly part: Part;
  readonly position: number;
  guarded: Guarded | undefined;
  /** How often it could not be written as it was planned. */
  tries: number;
}

/** What planning a command came to. */
type PlanningResult = { readonly of: Pending; readonly seen: Seen } & (
  | { readonly kind: 'plan'; readonly plan: Written }
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'alone' }
);

/** What a command writes. */
interface Written {
  readonly outcome: Outcome;
  readonly operation: Operation | undefined;
  /** What is united with what others write. */
  readonly actions: readonly Action[];
  /** Records, which nothing else writes; counts of records, and keys of pseudonyms, which others may share. */
  readonly records: readonly Action[];
  readonly shared: readonly Action[];
  readonly bytes: number;
}

type Planned = Extract<PlanningResult, { kind: 'plan' }>;

/** The error of one command in a transaction of several. */
class OfPart extends GatehouseError {
  readonly of: Pending;
  readonly error: GatehouseError;
  /** The item on which it failed. */
  readonly item: string;
  constructor(of: Pending, error: GatehouseError, item: string) {
    super(error.code, error.message, { cause: error });
    this.of = of;
    this.error = error;
    this.item = item;
  }
}

const attributed = (of: Pending, action: Action): Action =>
  explained(action, (error) => new OfPart(of, error, identity(action)));

const identity = (action: Action): string => identityOf(keyOf(action));

const OUTAGE: ReadonlySet<ErrorCode> = new Set(['throttled', 'transient']);

/** Whether the table does not answer, or refuses all: there is no use in trying fewer commands. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof GatehouseError) ||
  OUTAGE.has(error.code) ||
  (error.code === 'internal' && error.cause !== undefined);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the pipeline of a batch: its steps share what was planned.
export function createBatches(options: BatchOptions) {
  const { reader, clock, newId, budgetMs, commands, nextCounter, sharedItems, pipeline } = options;

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: the same.
  return async (parts: readonly Part[], around: Around): Promise<readonly Answer[]> => {
    const { guarded, dryRun, event, alone, fail, signal } = around;
    const begun = clock.now();
    const batchId = newId();
    const answers: Answer[] = [];
    let pending: readonly Pending[] = parts.map((part, position) => ({
      part,
      position,
      guarded: undefined,
      tries: 0,
    }));
    /** The most commands in one transaction: halved when one cannot be written as it is. */
    let most = AT_ONCE;

    const answer = ({ position }: Pending, given: Answer): void => {
      answers[position] = given;
    };
    const succeed = (of: Pending, { result, shownOnce }: Outcome): void =>
      answer(of, {
        ok: true,
        result: { ...result, ...shownOnce },
        ...(dryRun ? { dryRun: true } : {}),
      });
    const refuse = (of: Pending, error: unknown): void =>
      answer(of, fail(error, of.part, of.part.operationId ?? batchId, of.guarded));
    const refuseAll = (error: unknown): void => {
      for (const of of pending) if (answers[of.position] === undefined) refuse(of, error);
    };

    async function planned(of: Pending, itemReader: Reader, seen: Seen, turn: Turn): Promise<PlanningResult> {
      const { part } = of;
      try {
        const command = commands.get(part.command);
        if (
          !command ||
          (command.kind === 'write' && (command.inSteps || command.compares || command.contends))
        )
          return { of, seen, kind: 'alone' };
        of.guarded = turn.guarded?.(itemReader);
        const { now } = turn;
        const begun = await pipeline.begin(part, of.guarded, { from: itemReader, now });
        if (begun.result) return { of, seen, kind: 'answer', outcome: { result: begun.result } };
        const { input, given } = begun;
        const operation =
          part.operationId === undefined
            ? undefined
            : await describeOperation(part.operationId, true, part.command, given);
        const outcome = await pipeline.earlier(operation, of.guarded, itemReader);
        if (outcome) return { of, seen, kind: 'answer', outcome };
        const { plan, nodes } = await pipeline.plan((planning) => begun.command.plan(planning, input), {
          guarded: of.guarded,
          from: itemReader,
          now,
          again: of.tries > 0,
        });
        await of.guarded?.checkPlan(command.name, plan);
        if (isKept(plan)) return { of, seen, kind: 'answer', outcome: { result: plan.result } };
        if (plan.next || plan.record || (await of.guarded?.waits(command.name, plan)))
          return { of, seen, kind: 'alone' };
        const { audit, ...known } = await pipeline.seal(
          plan,
          {
            now: new Date(clock.now()).toISOString(),
            writtenAt: turn.writtenAt,
            command: command.name,
            counter: turn.counter,
            operationId: part.operationId ?? batchId,
            event,
            step: undefined,
          },
          of.tries > 0,
          { from: itemReader, keys: turn.keys },
        );
        const operations = operation
          ? [attributed(of, recordOperation(operation, { result: known.result }, now, turn.writtenAt))]
          : [];
        const actions = nodes.keep(mergeActions(plan.actions)).map((action) => attributed(of, action));
        const records = [...operations, ...audit.filter(({ kind }) => kind === 'put')];
        return {
          of,
          seen,
          kind: 'plan',
          plan: {
            outcome: { result: plan.result, shownOnce: plan.shownOnce },
            operation,
            actions,
            records,
            shared: [...known.keys, ...audit.filter(({ kind }) => kind === 'update')],
            bytes: [...actions, ...records].reduce(
              (sum, action) => sum + (action.kind === 'put' ? sizeOf(action.item) : 0),
              0,
            ),
          },
        };
      } catch (error) {
        return { of, seen, kind: 'error', error };
      }
    }

    /** One planning of the commands that come next, and the transactions that it leads to. */
    async function advance(): Promise<void> {
      const turn: Turn = {
        now: new Date(clock.now()).toISOString(),
        writtenAt: clock.now(),
        counter: nextCounter(),
        keys: new Map(),
        guarded: guarded?.forParts(),
      };
      const reads = createBatchedReads(reader);
      const chosen = pending.slice(0, AT_ONCE);
      const results = await Promise.all(
        chosen.map((of) => reads.work((itemReader, seen) => planned(of, itemReader, seen, turn))),
      );

      /** Items that this turn has changed, and those that a command which waits will change or looks at. */
      const changed = new Set<string>();
      const waiting = { changed: new Set<string>(), seen: new Set<string>() };
      let open = createTransaction(reads.reader);
      let isFirst = true;
      let isOver = false;

      const wait = ({ plan, seen }: Planned): void => {
        for (const action of plan.actions) {
          waiting.seen.add(identity(action));
          if (!isTouch(action)) waiting.changed.add(identity(action));
        }
        for (const key of seen.keys) waiting.seen.add(key);
      };
      const restsOnEarlier = ({ seen }: PlanningResult): boolean =>
        !isFirst && (seen.hasListed() || hasAny(changed, seen.keys) || hasAny(waiting.changed, seen.keys));
      const send = async (): Promise<void> => {
        const sent = open;
        open = createTransaction(reads.reader);
        if (sent.members.length > 0 && !(await write(sent, reads.reader))) isOver = true;
      };

      const asked = results.flatMap((each) => (each.kind === 'plan' ? each.plan.actions : [])).map(keyOf);
      await reads.reader.getMany(twice(asked));
      for (const each of results) {
        if (each.kind === 'alone') {
          if (!isFirst) break;
          answer(each.of, await alone(each.of.part));
          return;
        }
        if (each.kind !== 'plan') {
          // An error, or what a read finds, may be due to what is not written yet.
          if (restsOnEarlier(each)) break;
          if (each.kind === 'answer') succeed(each.of, each.outcome);
          else refuse(each.of, each.error);
          continue;
        }
        const { actions } = each.plan;
        const changes = actions.filter((action) => !isTouch(action)).map(identity);
        if (
          restsOnEarlier(each) ||
          hasAny(waiting.changed, actions.map(identity)) ||
          hasAny(waiting.seen, changes)
        ) {
          wait(each);
          continue;
        }
        if (open.members.length >= most || !open.holds(each)) {
          await send();
          if (isOver) break;
        }
        if (await open.add(each)) for (const change of changes) changed.add(change);
        else wait(each);
        isFirst = false;
      }
      if (!isOver) await send();
    }

    /** Writes a transaction, without the commands that are refused. Answers whether planning still holds. */
    async function write(transaction: Transaction, itemReader: Reader): Promise<boolean> {
      let isSound = true;
      for (let open = transaction; open.members.length > 0; ) {
        const { members } = open;
        const notes: WriteNotes = { failures: [] };
        try {
          const actions = open.actions();
          await sharedItems.sparingly(actions, () => pipeline.send(actions, dryRun, notes));
          for (const { of, plan } of members) succeed(of, plan.outcome);
          most = Math.min(AT_ONCE, most * 2);
          return isSound;
        } catch (error) {
          const failures = notes.failures.length > 0 ? notes.failures : [error];
          const ofParts = failures.filter((failure) => failure instanceof OfPart);
          if (ofParts.length === 0) {
            whole(members, error);
            return false;
          }
          const failed = new Set<Pending>();
          for (const failure of ofParts) {
            const { of } = failure;
            if (failed.has(of)) continue;
            failed.add(of);
            const member = members.find((each) => each.of === of) as Planned;
            if (!(await settle(member, failure, open))) isSound = false;
          }
          const left = members.filter(({ of }) => !failed.has(of));
          open = createTransaction(itemReader);
          for (const member of left) if (!(await open.add(member))) isSound = false;
        }
      }
      return isSound;
    }

    /** Answers a command that was refused. False where it has to be planned anew. */
    async function settle(
      member: Planned,
      { error: reason, item }: OfPart,
      open: Transaction,
    ): Promise<boolean> {
      const { of, plan } = member;
      if (reason instanceof AlreadyDone && reason.found && plan.operation) {
        const { operation } = plan;
        try {
          succeed(of, await pipeline.recalled(operation, reason.found));
        } catch (error) {
          refuse(of, error);
        }
        return true;
      }
      // What is refused upon what another one before it writes is judged anew when that is written, or not.
      const again = reason.code === 'stale' || !open.isFirstOn(item, member);
      if (again && ++of.tries < MAX_PLANS) return false;
      refuse(of, reason);
      return true;
    }

    /** An error that is of no one command. */
    function whole(members: readonly Planned[], error: unknown): void {
      if (isOutage(error)) {
        refuseAll(error);
        return;
      }
      const isStale = error instanceof GatehouseError && error.code === 'stale';
      if (isStale && members.every(({ of }) => ++of.tries < MAX_PLANS)) return;
      const [first] = members as [Planned];
      if (members.length === 1) refuse(first.of, error);
      most = Math.max(1, Math.floor(members.length / 2));
    }

    while (pending.length > 0) {
      const done = parts.length - pending.length;
      if (done > 0 && (signal?.aborted || clock.now() - begun > budgetMs)) {
        refuseAll(unfinished(done, parts.length));
        break;
      }
      try {
        await advance();
      } catch (error) {
        refuseAll(error);
      }
      pending = pending.filter(({ position }) => answers[position] === undefined);
    }
    return answers;
  };
}

/** What the commands that are planned side by side share. */
interface Turn {
  readonly now: string;
  readonly writtenAt: number;
  readonly counter: number;
  readonly keys: SubjectKeys;
  readonly guarded: ((itemReader: Reader) => Guarded) | undefined;
}

/** Commands that are written together. */
interface Transaction {
  readonly members: readonly Planned[];
  /** Whether there is room for what a command writes. */
  readonly holds: (member: Planned) => boolean;
  /** False where it cannot be written together with the others. */
  readonly add: (member: Planned) => Promise<boolean>;
  /** Whether no command before it writes an item. */
  readonly isFirstOn: (item: string, member: Planned) => boolean;
  readonly actions: () => readonly Action[];
}

function createTransaction(itemReader: Reader): Transaction {
  const members: Planned[] = [];
  const united = createPlanned(itemReader);
  /** The first command that writes each item. */
  const items = new Map<string, Planned | undefined>();
  const records: Action[] = [];
  const shared = new Map<string, Action>();
  let bytes = 0;
  return {
    members,
    holds: ({ plan }) => {
      const fresh = [...plan.actions, ...plan.shared].filter((action) => !items.has(identity(action)));
      return (
        items.size + fresh.length + records.length + plan.records.length <= MAX_ACTIONS &&
        bytes + plan.bytes <= MAX_TRANSACTION_BYTES
      );
    },
    add: async (member) => {
      const { plan } = member;
      try {
        await united.add(plan.actions);
      } catch (error) {
        // As the first one it would be united with nothing.
        if (error instanceof GatehouseError && members.length > 0) return false;
        throw error;
      }
      members.push(member);
      for (const action of plan.actions)
        if (!items.has(identity(action))) items.set(identity(action), member);
      records.push(...plan.records);
      for (const action of plan.shared) {
        const known = shared.get(identity(action));
        const [one = action] =
          known && known.kind === 'update' ? mergeActions([known, action]) : [known ?? action];
        shared.set(identity(action), one);
        items.set(identity(action), undefined);
      }
      bytes += plan.bytes;
      return true;
    },
    isFirstOn: (item, member) => (items.get(item) ?? member) === member,
    actions: () => [...united.actions(), ...records, ...shared.values()],
  };
}

/** The keys that are there more than once. */
function twice<K extends ReturnType<typeof keyOf>>(keys: readonly K[]): readonly K[] {
  const once = new Set<string>();
  const more = new Map<string, K>();
  for (const key of keys) {
    if (once.has(identityOf(key))) more.set(identityOf(key), key);
    once.add(identityOf(key));
  }
  return [...more.values()];
}

const unfinished = (done: number, of: number): GatehouseError =>
  new GatehouseError('unfinished', `${done} of ${of} commands are done: send the others again`);
