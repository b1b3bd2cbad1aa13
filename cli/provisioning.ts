import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import {
  type Answer,
  COMMANDS,
  createIds,
  createProvisioning,
  type Failure,
  type Queries,
  queriesBy,
  type Success,
} from '../provisioning/index.ts';
import { createNodeEncryption } from '../provisioning/node-encryption.ts';
import type { ClientOptions, createClient } from '../table/dynamodb/client.ts';
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
import type { GlobalOptions, WriteOptions } from './options.ts';
import { type Names, namesThrough } from './references.ts';
import {
  type Deliver,
  type Delivered,
  deliverer,
  directTransport,
  type ProvisioningEvent,
  type Transport,
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
function provisionedWith({ reader, writer }: Store, now: () => number): Provisioned {
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

/** An answer that is no refusal. Throws {@link RefusedError}, with a text that `say` makes of the refusal. */
export function accepted(answer: Answer, say = refusalText): Success {
  if (answer.ok) return answer;
  throw new RefusedError(answer.error, say(answer.error));
}

type Input = Readonly<Record<string, unknown>>;

/** Sends a command. Throws {@link RefusedError} for a refusal. */
export type Send = (command: string, input: Input) => Promise<Success['result']>;

/** All that sends commands: `find` and `list` read, as {@link Queries} say. */
export interface Sender {
  readonly send: Send;
  /** As `send`, but returns the freshness token of the write. */
  readonly write: (command: string, input: Input) => Promise<string | undefined>;
  /** As `send`, but writes nothing. */
  readonly dryRun: Send;
  readonly find: Queries['read'];
  readonly list: Queries['list'];
  readonly names: Names;
  /** Sends any event, with retries. */
  readonly deliver: Deliver;
  /** Who acts, for the audit log. */
  readonly actor: string | undefined;
  /** Throws {@link UsageError} where commands go to a function. */
  readonly reader: () => Reader;
}

/** Where commands go. */
export interface Target {
  readonly transport: Transport;
  /** Undefined where they go to a function. */
  readonly reader?: Reader;
}

/** The function that the options name, or the table that they or the environment name. */
export async function targetOf(
  options: GlobalOptions,
  context: Context,
  more: Pick<ClientOptions, 'requestTimeoutMs'> = {},
): Promise<Target> {
  const named = functionOf(options, context.env);
  if (named) return { transport: functionTransport(named) };
  const store = await openStore(options, context, { ...more, deadlineMs: TABLE_ANSWERS_WITHIN_MS });
  return directTo(provisionedWith(store, context.now));
}

export const directTo = ({ reader, provisioning }: Provisioned): Target => ({
  reader,
  transport: directTransport(provisioning),
});

/**
 * Sends commands to the table that the options or the environment name, or to the function of `--function`. Commands
 * that are throttled or get no answer are sent again under the same operation id.
 */
export const openSender = async (options: WriteOptions, context: Context): Promise<Sender> =>
  senderTo(await targetOf(options, context), options, context);

export function senderTo(
  { transport, reader }: Target,
  options: WriteOptions,
  { env, written }: Pick<Context, 'env' | 'written'>,
): Sender {
  const pacing = createPacing({ deadlineMs: (options.deadline ?? 60) * 1_000 });
  const retrying = deliverer(transport, { pacing, newId: () => ulid() });
  const deliver: Deliver = (given, hooks) => {
    if (!isWrite(given)) return retrying(given, hooks);
    const operationId = given.operationId ?? ulid();
    const isDone = ({ answer }: Delivered): boolean => answer.ok;
    return written.note(() => retrying({ ...given, operationId }, hooks), { operationId, isDone });
  };
  const actor = actorOf(options, env);
  const answerTo = async (command: string, input: Input, dryRun?: true): Promise<Success> =>
    accepted((await deliver({ command, input, dryRun, actor })).answer);
  const queries = queriesBy(async (command, input) => {
    const { answer } = await deliver({ command, input });
    if (!answer.ok && answer.error.code === 'not_found') return undefined;
    return accepted(answer, ({ message }) => `${command}: ${message}`).result;
  });
  return {
    send: async (command, input) => (await answerTo(command, input)).result,
    write: async (command, input) => (await answerTo(command, input)).token,
    dryRun: async (command, input) => (await answerTo(command, input, true)).result,
    find: queries.read,
    list: queries.list,
    names: namesThrough(queries.read),
    deliver,
    actor,
    reader: () => {
      if (reader) return reader;
      throw new UsageError(NOT_THROUGH_A_FUNCTION);
    },
  };
}

/** Whether an event changes the table. */
export const isWrite = ({ command, dryRun }: ProvisioningEvent): boolean =>
  dryRun !== true && COMMANDS.get(command)?.kind === 'write';
