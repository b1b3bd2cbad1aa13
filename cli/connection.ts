import type { Command } from 'commander';
import { type ClientOptions, createClient } from '../table/client.ts';
import { createReader, type Reader } from '../table/read/reader.ts';
import { type Surroundings, UsageError } from './surroundings.ts';

/** The options by which subcommands find their table. */
export interface ConnectionOptions {
  readonly table?: string;
  readonly endpoint?: string;
  readonly region?: string;
}

export const addConnectionOptions = (command: Command): Command =>
  command
    .option('--table <name>', 'the table (or environment variable TABLE_NAME)')
    .option('--endpoint <url>', 'where DynamoDB is, if not at AWS (or DYNAMODB_ENDPOINT)')
    .option('--region <region>', 'the AWS region (or AWS_REGION)');

/** The options of a client; throws {@link UsageError} for an endpoint that is no URL. */
export function readEndpoint(options: ConnectionOptions, env: Surroundings['env']): ClientOptions {
  const endpoint = options.endpoint ?? (env.DYNAMODB_ENDPOINT || undefined);
  const name = options.endpoint === undefined ? 'DYNAMODB_ENDPOINT' : '--endpoint';
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    throw new UsageError(`${name} is not a URL such as http://127.0.0.1:8000`);
  const region = options.region ?? env.AWS_REGION;
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region ? { region } : {}),
  };
}

/** The name of the table that options or environment name. */
export function tableOf(options: ConnectionOptions, env: Surroundings['env']): string {
  const table = options.table ?? env.TABLE_NAME;
  if (!table) throw new UsageError('which table? Give --table NAME, or set TABLE_NAME');
  return table;
}

/** A reader of the table that options or environment name. */
export function connect(options: ConnectionOptions, env: Surroundings['env']): Reader {
  const table = tableOf(options, env);
  return createReader({ client: createClient(readEndpoint(options, env)), table });
}
