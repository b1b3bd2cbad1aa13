import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { defined } from '../table/defined.ts';
import { type ClientOptions, createClient } from '../table/dynamodb/client.ts';
import { createReader, type ReaderOptions } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';
import { nodeKey } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { type Context, type Store, UsageError } from './context.ts';
import { type Called, sdkFaultOf, sentenceOf } from './faults.ts';
import type { FunctionOptions } from './lambda.ts';
import type { GlobalOptions } from './options.ts';

const isUrl = (text: string): boolean => /^https?:\/\/[^/]/.test(text) && URL.canParse(text);

/** The endpoint and region of a DynamoDB client. Throws {@link UsageError} for an endpoint that is no URL. */
export function readEndpoint(options: GlobalOptions, env: Context['env']): ClientOptions {
  const endpoint = options.endpoint ?? env.DYNAMODB_ENDPOINT;
  const name = options.endpoint === undefined ? 'DYNAMODB_ENDPOINT' : '--endpoint';
  if (endpoint !== undefined && !isUrl(endpoint))
    throw new UsageError(`${name} ${endpoint} is not a URL, such as http://127.0.0.1:8000`);
  const region = options.region ?? env.AWS_REGION;
  return defined({ endpoint, region: region || undefined });
}

/** The operator's token, which goes to a function only; undefined without one. */
export const tokenOf = (options: GlobalOptions, env: Context['env']): string | undefined =>
  options.function === undefined ? undefined : (options.token ?? env.GATEHOUSE_TOKEN);

/** The function that the options name; undefined where commands go to the table. */
export function functionOf(options: GlobalOptions, env: Context['env']): FunctionOptions | undefined {
  const { function: name, lambdaEndpoint: endpoint } = options;
  if (name === undefined) return undefined;
  if (!/^[\w:$-]{1,170}$/.test(name))
    throw new UsageError(`--function ${name} is neither the name of a Lambda function nor its ARN`);
  if (endpoint !== undefined && !isUrl(endpoint))
    throw new UsageError(`--lambda-endpoint ${endpoint} is not a URL, such as http://127.0.0.1:3002`);
  const region = options.region ?? env.AWS_REGION;
  const token = tokenOf(options, env);
  return defined({ name, endpoint, region: region || undefined, token });
}

const NO_TABLE =
  'no table is named: give --table NAME or set TABLE_NAME. For a local table, start npx gatehouse-authz dev in another terminal and type here: export TABLE_NAME=gatehouse DYNAMODB_ENDPOINT=http://127.0.0.1:3001';

/** The name of the table that options or environment name. */
export function tableOf(options: GlobalOptions, env: Context['env']): string {
  const table = options.table ?? env.TABLE_NAME;
  if (!table) throw new UsageError(NO_TABLE);
  return table;
}

/** The connection failed before any work; the message says what to do. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code = 'connection';
}

/** The message of what no function answers. */
export const NOT_THROUGH_A_FUNCTION =
  'this reads the table itself, not through a function: give --table NAME instead of --function';

type Client = ReturnType<typeof createClient>;

/** A table that has answered. */
export interface OpenTable {
  readonly client: Client;
  readonly table: string;
}

/**
 * The table that options or environment name. It is read once, so that no region, no credentials, a wrong endpoint and
 * a wrong table are one message, before any work. Throws {@link UsageError} and {@link ConnectionError}.
 */
export async function openTable(
  options: GlobalOptions,
  env: Context['env'],
  more: Pick<ClientOptions, 'requestTimeoutMs'> = {},
): Promise<OpenTable> {
  if (options.function !== undefined) throw new UsageError(NOT_THROUGH_A_FUNCTION);
  const table = tableOf(options, env);
  const at = readEndpoint(options, env);
  const client = createClient({ ...at, ...more });
  await assertAnswers(client, table, at);
  return { client, table };
}

/** What reads and writes the table that options or environment name, as {@link openTable}. */
export async function openStore(
  options: GlobalOptions,
  { env, tableInMemory }: Pick<Context, 'env' | 'tableInMemory'>,
  { deadlineMs, ...more }: Pick<ClientOptions, 'requestTimeoutMs'> & Pick<ReaderOptions, 'deadlineMs'> = {},
): Promise<Store> {
  const inMemory = options.function === undefined ? tableInMemory?.(tableOf(options, env)) : undefined;
  if (inMemory) return inMemory;
  const on = await openTable(options, env, more);
  return { reader: createReader({ ...on, ...defined({ deadlineMs }) }), writer: createWriter(on) };
}

/** A reader of the table that options or environment name. */
export const connect = async (options: GlobalOptions, context: Context): Promise<Reader> =>
  (await openStore(options, context)).reader;

/** Long enough for a table that was just created, short enough for a person who waits. */
export const TABLE_ANSWERS_WITHIN_MS = 5_000;
const PAUSE_MS = 200;

/** Throws unless the table answers; what may pass (throttling, rights for other calls) is left to the work itself. */
async function assertAnswers(client: Client, table: string, { endpoint }: ClientOptions): Promise<void> {
  const { PK, SK } = nodeKey({ type: 'tenant', id: '0' });
  const request = new BatchGetItemCommand({
    RequestItems: { [table]: { Keys: [{ PK: { S: PK }, SK: { S: SK } }] } },
  });
  const signal = AbortSignal.timeout(TABLE_ANSWERS_WITHIN_MS);
  for (;;) {
    try {
      const { Responses, UnprocessedKeys } = await client.send(request, { abortSignal: signal });
      if (Responses || UnprocessedKeys) return;
      // Another service may answer anything with 200.
      throw Object.assign(new Error(), { name: 'UnknownError' });
    } catch (cause) {
      if (sdkFaultOf(cause) === 'transient' && !signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        continue;
      }
      const problem =
        sentenceOf(cause, calledTable(table, endpoint)) ??
        ((cause as { name?: string }).name === 'ValidationException'
          ? `${table} is not a table of Gatehouse: check --table or TABLE_NAME`
          : undefined);
      if (problem === undefined) return;
      throw new ConnectionError(problem, { cause });
    }
  }
}

const calledTable = (table: string, endpoint: string | undefined): Called => ({
  service: 'DynamoDB',
  endpoint,
  endpointOption: '--endpoint or DYNAMODB_ENDPOINT (gatehouse dev starts a local table)',
  orLocal: '; for a local table, give --endpoint or set DYNAMODB_ENDPOINT',
  missing: `there is no table ${table} at ${endpoint ?? 'DynamoDB'}: check --table or TABLE_NAME, the endpoint and the region`,
});
