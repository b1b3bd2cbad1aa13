import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import {
  COMMANDS,
  createIds,
  createProvisioning,
  type Failure,
  type Success,
} from '../provisioning/index.ts';
import { createNodeEncryption } from '../provisioning/node-encryption.ts';
import { defined } from '../table/defined.ts';
import type { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';
import { createPacing, type Pacing } from '../table/read/pacing.ts';
import type { Reader } from '../table/reader.ts';
import type { Provisioned } from '../testing/memory.ts';
import {
  functionOf,
  NOT_THROUGH_A_FUNCTION,
  openStore,
  TABLE_ANSWERS_WITHIN_MS,
  tokenOf,
} from './connection.ts';
import { type Context, type Store, UsageError } from './context.ts';
import { functionTransport } from './lambda.ts';
import type { WriteOptions } from './options.ts';
import {
  type Deliver,
  type Delivered,
  deliverer,
  directTransport,
  type ProvisioningEvent,
} from './transport.ts';

/** Provisioning in this process; `pacing` for a table without other readers, on a machine that may be slow. */
export const provisionedOn = (
  client: ReturnType<typeof createClient>,
  table: string,
  now: () => number,
  pacing?: Pacing,
): Provisioned =>
  provisionedWith(
    {
      reader: createReader({
        client,
        table,
        ...(pacing ? { pacing } : { deadlineMs: TABLE_ANSWERS_WITHIN_MS }),
      }),
      writer: createWriter({ client, table, ...(pacing ? { pacing } : {}) }),
    },
    now,
  );

/** The same on any table. */
export function provisionedWith({ reader, writer }: Store, now: () => number): Provisioned {
  const newSecret = () => randomBytes(32).toString('base64url');
  const provisioning = createProvisioning({
    reader,
    writer,
    newSecret,
    encryption: createNodeEncryption,
    clock: { now },
    newId: createIds(),
    // No platform ends this process.
    budgetMs: Number.POSITIVE_INFINITY,
  });
  return { reader, provisioning };
}

/** Who acts, for the audit log. Of who shows a token, the function knows it. */
export const actorOf = (options: WriteOptions, env: Context['env']): string | undefined =>
  options.actor ?? (tokenOf(options, env) === undefined ? (env.USER ?? env.USERNAME) : undefined);

/** Sends a write command; throws when it is refused. */
export type Send = (command: string, input: Readonly<Record<string, unknown>>) => Promise<Success['result']>;

/** The answer; undefined where what it is about does not exist. */
export const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof RefusedError && error.code === 'not_found') return undefined;
    throw error;
  });

/** The items of all pages of a list command. */
export async function* listAll(
  send: Send,
  command: string,
  input: Readonly<Record<string, unknown>>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for (let cursor: unknown; ; ) {
    const page = await send(command, { ...input, ...defined({ cursor }) });
    yield* page.items as readonly Readonly<Record<string, unknown>>[];
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

/** Whether the table or the connection failed, not the input. */
export const isFault = ({ code, retryable }: Failure['error']): boolean =>
  retryable || code === 'internal' || code === 'damaged_item' || code === 'newer_form';

/** Whether what was given is no value of its field, or names what does not exist. */
export const isWrongInput = ({ code }: Failure['error']): boolean =>
  code === 'invalid' || code === 'not_found';

/** A refusal of provisioning. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly failure: Failure['error'];
  readonly code: Failure['error']['code'];
  readonly field: string | undefined;
  readonly retryable: boolean;
  /** Whether the input is at fault, not the table or the connection. */
  readonly isOfInput: boolean;
  constructor(error: Failure['error'], text = refusalText(error)) {
    super(text);
    this.failure = error;
    this.code = error.code;
    this.field = error.field;
    this.retryable = error.retryable;
    this.isOfInput = !isFault(error);
  }
}

function refusalText({ code, message, holder, approval, retryable }: Failure['error']): string {
  const retry = retryable ? `; ${code}: it can be retried` : '';
  const named = holder ?? (approval === undefined ? undefined : `id=${approval}`);
  return `${message}${named === undefined ? '' : ` (${named})`}${retry}`;
}

/** The message of a refusal, with the field at fault. */
export function withField(error: Failure['error']): string {
  const { field } = error;
  const message = refusalText(error);
  return field === undefined || message.startsWith(`${field}: `) ? message : `${field}: ${message}`;
}

export interface Editing {
  /** Throws {@link UsageError} where commands go to a function. */
  readonly reader: Reader;
  readonly send: Send;
  /** As `send`, but returns the freshness token of the write. */
  readonly write: (command: string, input: Readonly<Record<string, unknown>>) => Promise<string | undefined>;
  /** As `send`, but writes nothing. */
  readonly dryRun: Send;
  /** Sends any event, with retries. */
  readonly deliver: Deliver;
  /** Who acts, for the audit log. */
  readonly actor: string | undefined;
}

/**
 * Sends commands to the table that the options or the environment name, or to the function of `--function`. Commands
 * that are throttled or get no answer are sent again under the same operation id.
 */
export async function connectForWriting(options: WriteOptions, context: Context): Promise<Editing> {
  const { env, now, written } = context;
  const target = functionOf(options, env);
  const direct = target
    ? undefined
    : provisionedWith(await openStore(options, context, { deadlineMs: TABLE_ANSWERS_WITHIN_MS }), now);
  const transport = target
    ? functionTransport(target)
    : directTransport((direct as Provisioned).provisioning);
  const pacing = createPacing({ deadlineMs: (options.deadline ?? 60) * 1_000 });
  const send = deliverer(transport, { pacing, newId: () => ulid() });
  const deliver: Deliver = (given, hooks) => {
    if (given.dryRun || COMMANDS.get(given.command)?.kind !== 'write') return send(given, hooks);
    const operationId = given.operationId ?? ulid();
    const isDone = ({ answer }: Delivered): boolean => answer.ok;
    return written.note(() => send({ ...given, operationId }, hooks), { operationId, isDone });
  };
  const actor = actorOf(options, env);
  const answerTo = async (
    asked: Pick<ProvisioningEvent, 'command' | 'input' | 'dryRun'>,
  ): Promise<Success> => {
    const { answer } = await deliver({ ...asked, actor });
    if (answer.ok) return answer;
    throw new RefusedError(answer.error);
  };
  return {
    get reader() {
      if (direct) return direct.reader;
      throw new UsageError(NOT_THROUGH_A_FUNCTION);
    },
    send: async (command, input) => (await answerTo({ command, input })).result,
    write: async (command, input) => (await answerTo({ command, input })).token,
    dryRun: async (command, input) => (await answerTo({ command, input, dryRun: true })).result,
    deliver,
    actor,
  };
}
