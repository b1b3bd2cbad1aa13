import type { Command } from 'commander';
import { type ClientOptions, createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import type { Reader } from '../table/reader.ts';
import { type Context, UsageError } from './context.ts';
import type { FunctionOptions } from './lambda.ts';

/** The options that name the table, or the provisioning function in front of it. */
export interface ConnectionOptions {
  readonly table?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly function?: string;
  readonly lambdaEndpoint?: string;
}

export const addConnectionOptions = (command: Command): Command =>
  command
    .option('--table <name>', 'the table (or TABLE_NAME)')
    .option('--endpoint <url>', 'the DynamoDB endpoint, if not AWS (or DYNAMODB_ENDPOINT)')
    .option('--region <region>', 'the AWS region (or AWS_REGION)')
    .option('--function <name>', 'send commands to this provisioning function instead of the table')
    .option('--lambda-endpoint <url>', 'the Lambda endpoint, if not AWS, such as http://127.0.0.1:3002');

const isUrl = (text: string): boolean => /^https?:\/\/[^/]/.test(text) && URL.canParse(text);

/** The endpoint and region of a DynamoDB client. Throws {@link UsageError} for an endpoint that is no URL. */
export function readEndpoint(options: ConnectionOptions, env: Context['env']): ClientOptions {
  const endpoint = options.endpoint ?? (env.DYNAMODB_ENDPOINT || undefined);
  const name = options.endpoint === undefined ? 'DYNAMODB_ENDPOINT' : '--endpoint';
  if (endpoint !== undefined && !isUrl(endpoint))
    throw new UsageError(`${name} is not a URL such as http://127.0.0.1:8000`);
  const region = options.region ?? env.AWS_REGION;
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region ? { region } : {}),
  };
}

/** The function that the options name; undefined where commands go to the table. */
export function functionOf(options: ConnectionOptions, env: Context['env']): FunctionOptions | undefined {
  const { function: name, lambdaEndpoint: endpoint } = options;
  if (name === undefined) {
    if (endpoint !== undefined) throw new UsageError('--lambda-endpoint goes with --function NAME');
    return undefined;
  }
  if (!/^[\w:$-]{1,170}$/.test(name))
    throw new UsageError(`--function ${name} is neither the name of a Lambda function nor its ARN`);
  if (endpoint !== undefined && !isUrl(endpoint))
    throw new UsageError('--lambda-endpoint is not a URL such as http://127.0.0.1:3002');
  const region = options.region ?? env.AWS_REGION;
  return { name, ...(endpoint === undefined ? {} : { endpoint }), ...(region ? { region } : {}) };
}

/** The name of the table that options or environment name. */
export function tableOf(options: ConnectionOptions, env: Context['env']): string {
  const table = options.table ?? env.TABLE_NAME;
  if (!table) throw new UsageError('which table? Give --table NAME, or set TABLE_NAME');
  return table;
}

/** A reader of the table that options or environment name. */
export function connect(options: ConnectionOptions, env: Context['env']): Reader {
  if (options.function !== undefined)
    throw new UsageError(
      'this reads the table itself, not through a function: give --table NAME instead of --function',
    );
  const table = tableOf(options, env);
  return createReader({ client: createClient(readEndpoint(options, env)), table });
}
