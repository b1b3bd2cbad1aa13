import type { Command } from 'commander';
import { UsageError } from './context.ts';

/** The options that name the table, or the provisioning function in front of it. */
export interface ConnectionOptions {
  readonly table?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly function?: string;
  readonly lambdaEndpoint?: string;
  /** The operator's token, for a function that verifies operators. */
  readonly token?: string;
}

/** The options that every subcommand has; they may stand before it too. */
export const addGlobalOptions = (program: Command): Command =>
  program
    .option('--table <name>', 'the DynamoDB table (or TABLE_NAME)')
    .option('--endpoint <url>', 'the endpoint of DynamoDB, for a local table (or DYNAMODB_ENDPOINT)')
    .option('--region <region>', 'the AWS region (or AWS_REGION)')
    .option('--function <name>', 'send commands to this provisioning function, instead of --table')
    .option('--lambda-endpoint <url>', 'the endpoint of Lambda, for a local function')
    .option('--token <token>', 'your token, for a function that verifies operators (better: GATEHOUSE_TOKEN)')
    .option('--json', 'print JSON, for errors too');

/** Throws {@link UsageError} for options that name both the table and a function in front of one. */
export function assertOneConnection(options: ConnectionOptions): void {
  if (options.function === undefined) {
    if (options.lambdaEndpoint !== undefined)
      throw new UsageError('--lambda-endpoint is of a function: give --function NAME too');
    if (options.token !== undefined)
      throw new UsageError('--token is for a function: give --function NAME too');
    return;
  }
  if (options.table !== undefined)
    throw new UsageError('--table and --function exclude each other: the function has its own table');
  if (options.endpoint !== undefined)
    throw new UsageError('--endpoint is of a table: with --function, give --lambda-endpoint');
}
