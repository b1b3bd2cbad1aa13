import { readConfiguration } from '../../local/configuration.ts';
import { messageOf } from '../../local/message-of.ts';
import { defined } from '../../table/defined.ts';
import { type Context, interruptionOf, UsageError } from '../context.ts';
import { argument, type GlobalOptions, parsed, port, type ValuesOf } from '../options.ts';
import { subcommand } from '../subcommand.ts';

const portOf = (of: string, usual: number) =>
  port(`the port of ${of}; 0 chooses a free one (default: ${usual})`);

const OPTIONS = {
  backend: parsed(
    '<url>',
    'the service that gets the allowed requests (default: one that echoes them)',
    readBackend,
  ),
  cors: parsed(
    '<origin>',
    'pages of this origin may call the APIs; give it again for another (default: none)',
    readOrigin,
  ),
  port: portOf('the gateway and the token issuer', 3000),
  dynamodbPort: portOf('DynamoDB', 3001),
  lambdaPort: portOf('the Lambda Invoke API', 3002),
};
type DevOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

/** `gatehouse dev`: the local stack. */
export const addDev = subcommand({
  name: 'dev',
  summary: 'run a manifest on this machine: API gateway, tokens, table',
  description:
    'Runs an API gateway with the authorizer, a token issuer and a table on this machine, until Ctrl-C.',
  arguments: [argument('[manifest]', 'tenants, users and routes, in YAML or JSON (default: a sample world)')],
  options: OPTIONS,
  examples: `  gatehouse dev authz/manifest.yaml
  gatehouse dev authz/manifest.yaml --backend http://127.0.0.1:4000
  gatehouse dev
  gatehouse dev --port 0 --dynamodb-port 0 --lambda-port 0     (free ports)`,
  notes: `With a manifest, its users can log in and its routes are served; when the file
is saved, it is applied again. Without one, there is a sample world to look
around in. It prints requests to paste.`,
  run: async ([manifest], options, context) => {
    if (options.function !== undefined)
      throw new UsageError('--function: gatehouse dev has functions of its own');
    if (manifest === undefined && options.backend !== undefined)
      throw new UsageError('--backend goes with a manifest: gatehouse dev MANIFEST --backend URL');
    if (manifest === undefined && options.cors !== undefined)
      throw new UsageError('--cors goes with a manifest: gatehouse dev MANIFEST --cors ORIGIN');
    const { signal, interrupted } = interruptionOf(context);
    const stack = await start(manifest, options, context).catch((error: unknown) => {
      // Ctrl-C ends the engine as well, and what asks it then fails.
      if (!signal.aborted) throw error;
    });
    try {
      if (!stack || signal.aborted) return;
      context.out(stack.screen);
      context.out(`ready ${stack.url}\n`);
      await interrupted;
    } finally {
      await stack?.stop();
    }
  },
});

const SOME_BACKEND = 'http://127.0.0.1:4000';

/** Throws {@link UsageError}. */
function readBackend(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol) && url.search === '' && url.hash === '') return url;
  throw new UsageError(`--backend ${text} is not a URL such as ${SOME_BACKEND}`);
}

const SOME_ORIGIN = 'http://localhost:5173';

/** One more origin. Throws {@link UsageError}. */
function readOrigin(text: string, _: string, before: readonly string[] = []): readonly string[] {
  const { origin, protocol } = URL.canParse(text) ? new URL(text) : { origin: '', protocol: '' };
  if (origin === text && ['http:', 'https:'].includes(protocol)) return [...before, text];
  throw new UsageError(`--cors ${text} is not an origin such as ${SOME_ORIGIN}`);
}

/** Loads a stack with what it takes: other subcommands do without. */
async function start(file: string | undefined, options: DevOptions, context: Context) {
  const configuration = configurationOf(file, options, context);
  const ttl = configuration.CACHE_TTL_SECONDS;
  const say = (line: string) => context.error(`${line}\n`);
  if (file === undefined) {
    const { startSample } = await import('../../local/sample/stack.ts');
    const { describeSample } = await import('../../local/sample/screen.ts');
    const stack = await startSample(configuration, { say });
    return { ...stack, screen: describeSample(stack, ttl) };
  }
  const { startManifest } = await import('../../local/manifest/stack.ts');
  const { describeManifest } = await import('../../local/manifest/screen.ts');
  const { backend, cors } = options;
  const stack = await startManifest(configuration, { ...defined({ backend, cors }), file, say });
  return { ...stack, screen: describeManifest(stack, ttl) };
}

/** Options come before variables; a manifest is tried without waiting for caches. Throws {@link UsageError}. */
function configurationOf(
  file: string | undefined,
  { port, dynamodbPort, lambdaPort, table, endpoint }: DevOptions,
  { env }: Context,
) {
  const given = {
    PORT: port,
    DYNAMODB_PORT: dynamodbPort,
    LAMBDA_PORT: lambdaPort,
    TABLE_NAME: table,
    DYNAMODB_ENDPOINT: endpoint,
  };
  const texts = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const usual = file === undefined ? {} : { CACHE_TTL_SECONDS: '0' };
  try {
    return readConfiguration({ ...usual, ...env, ...Object.fromEntries(texts) });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
