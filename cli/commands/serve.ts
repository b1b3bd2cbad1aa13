import { composeFrom } from '../../authzen/compose.ts';
import { defined } from '../../table/defined.ts';
import { connect, readEndpoint, tableOf } from '../connection.ts';
import { type Context, UsageError } from '../context.ts';
import { type GlobalOptions, text, type ValuesOf } from '../options.ts';
import { createManifestTable } from '../serve/manifest-table.ts';
import { LISTENING, type Served, serveOverHttp } from '../serve/over-http.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  ...LISTENING,
  manifest: text('<file>', 'serve this manifest from a temporary table, and print a token for callers'),
};
type ServeOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

/** `gatehouse serve`: the AuthZEN API as a server. */
export const addServe = subcommand({
  name: 'serve',
  summary: 'serve the AuthZEN API over HTTP',
  description: 'Serves decisions and searches over HTTP, as OpenID AuthZEN 1.0 defines them.',
  options: OPTIONS,
  examples: `  gatehouse serve --table gatehouse --public-url https://pdp.example.com
  gatehouse serve --table gatehouse --host 0.0.0.0 --tls-cert pdp.crt --tls-key pdp.key
  gatehouse serve --manifest docs/examples/authzen-certification.manifest.yaml`,
  notes: `Callers authenticate with an API token or, if TOKEN_ISSUER and TOKEN_AUDIENCE
(or TOKEN_ISSUERS) are set, with a JWT. SIGTERM or Ctrl-C stops the server after
it has answered the requests in flight.`,
  run: (_, options, context) => {
    if (options.manifest !== undefined && options.table !== undefined)
      throw new UsageError('--manifest makes a temporary table: give --manifest or --table, not both');
    return serveOverHttp(options, context, 'authzen', () => open(options, context));
  },
});

async function open(options: ServeOptions, context: Context): Promise<Served> {
  const { env, now, error } = context;
  const served = (reader: Served['reader'], table: string): Pick<Served, 'reader' | 'serve'> => ({
    reader,
    serve: (publicUrl, write) => {
      const { handle, decisionLog } = composeFrom(
        { ...env, TABLE_NAME: table, PUBLIC_URL: publicUrl },
        { reader, clock: { now }, log: write, writeMetricsLater: write },
      );
      return { handle, ...defined({ end: decisionLog?.end }) };
    },
  });
  if (options.manifest === undefined)
    return { ...served(await connect(options, context), tableOf(options, env)), close: async () => {} };
  const { reader, token, isInMemory, close } = await createManifestTable(
    options.manifest,
    readEndpoint(options, env),
    now,
  );
  if (isInMemory) error('note: the manifest is served from memory: no embedded engine is published here\n');
  return { ...served(reader, 'manifest'), note: `token ${token}\n`, close };
}
