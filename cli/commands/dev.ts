import { readConfiguration } from '../../local/configuration.ts';
import { messageOf } from '../../local/message-of.ts';
import type { ConnectionOptions } from '../connection.ts';
import { type Context, UsageError } from '../context.ts';
import { OK } from '../exit-codes.ts';
import { numberOption } from '../question.ts';
import type { Subcommand } from '../subcommand.ts';

interface DevOptions extends ConnectionOptions {
  readonly port?: number;
  readonly dynamodbPort?: number;
  readonly lambdaPort?: number;
}

const HELP = `
Without a manifest it is a sample world to look around in: schools, tenants, buildings, a platform.

Examples:
  gatehouse dev
  gatehouse dev --port 0 --dynamodb-port 0 --lambda-port 0     (free ports)`;

const PORTS = { kind: 'whole number', least: 0, most: 65_535 };

const portOption = (flag: string, of: string, usual: number) =>
  numberOption(flag, '<number>', `the port of ${of}; 0 takes a free one (default: ${usual})`, PORTS);

/** `gatehouse dev`: the local stack. */
export const addDev: Subcommand = (program, context, finish) => {
  program
    .command('dev')
    .summary('run everything on this machine: gateway, tokens, table')
    .description('Runs the local stack until Ctrl-C: an API gateway with the authorizer, tokens, DynamoDB.')
    .addOption(portOption('--port', 'the gateway and of tokens', 3000))
    .addOption(portOption('--dynamodb-port', 'DynamoDB', 3001))
    .addOption(portOption('--lambda-port', 'the Lambda Invoke API', 3002))
    .addHelpText('after', HELP)
    .action(async (options: DevOptions) => {
      await dev(options, context);
      finish(OK);
    });
};

async function dev(options: DevOptions, context: Context): Promise<void> {
  if (options.function !== undefined)
    throw new UsageError('--function: the local stack has its own functions');
  const interrupted = new Promise<void>((resolve) => void context.onInterrupt?.(resolve));
  const configuration = configurationOf(options, context);
  const { startSample } = await import('../../local/sample/stack.ts');
  const { describeSample } = await import('../../local/sample/screen.ts');
  const stack = await startSample(configuration);
  try {
    context.out(`${describeSample(stack, configuration.CACHE_TTL_SECONDS)}ready ${stack.url}\n`);
    await interrupted;
  } finally {
    await stack.stop();
  }
}

/** Options come before variables. Throws {@link UsageError}. */
function configurationOf({ port, dynamodbPort, lambdaPort, table, endpoint }: DevOptions, { env }: Context) {
  const given = {
    ...{ PORT: port, DYNAMODB_PORT: dynamodbPort, LAMBDA_PORT: lambdaPort },
    ...{ TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint },
  };
  const texts = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  try {
    return readConfiguration({ ...env, ...Object.fromEntries(texts) });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
