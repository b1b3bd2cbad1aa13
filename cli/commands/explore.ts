import type { Reply, Service } from '../../explorer/service/index.ts';
import { messageOf } from '../../local/message-of.ts';
import { type OpenTable, openTable, readEndpoint } from '../connection.ts';
import { type Context, interruptionOf, UsageError } from '../context.ts';
import { withAdvice } from '../faults.ts';
import { flag, type GlobalOptions, port, text, type ValuesOf, withDefault } from '../options.ts';
import { asJson } from '../print.ts';
import { directTo, isWrite, provisionedOn, senderTo } from '../provisioning.ts';
import { subcommand } from '../subcommand.ts';
import type { ProvisioningEvent } from '../transport.ts';

const OPTIONS = {
  port: withDefault(port('the port on 127.0.0.1; 0 chooses a free one'), 0),
  write: flag('let the page change the table too'),
  actor: text('<name>', 'with --write: who makes the changes, for the audit log (or USER)'),
};
type ExploreOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

/** Seconds for which a person at a page waits for a write that is throttled. */
const ANSWER_WITHIN = 10;

/** `gatehouse explore`: the table in a browser. */
export const addExplore = subcommand({
  name: 'explore',
  summary: 'look at the table in a browser: who may do what, and why',
  description: 'Serves a page over the table on this machine, until Ctrl-C, and prints a link that opens it.',
  options: OPTIONS,
  examples: `  gatehouse explore --table gatehouse
  gatehouse explore --table gatehouse --write --actor ann@example.com`,
  notes: `The link works once, within five minutes, in a browser on this machine. The page
reads the table by your own AWS credentials; only with --write it can change it.`,
  run: async (_, options, context) => {
    const { write: canWrite = false } = options;
    if (options.actor !== undefined && !canWrite)
      throw new UsageError('--actor goes with --write: who only looks leaves no audit record');
    const { signal, interrupted } = interruptionOf(context);
    const opened = await openTable(options, context.env);
    const place = await placeOf(opened, readEndpoint(options, context.env).endpoint);
    const service = await serviceOver(opened, { place, canWrite }, options, context, signal);
    const { serveExplorer } = await import('../../local/explorer/serve.ts');
    const served = await serveExplorer({ service, port: options.port, now: context.now }).catch(
      (error: unknown) => {
        throw new UsageError(messageOf(error));
      },
    );
    try {
      if (signal.aborted) return;
      const { link } = served;
      context.out(
        options.json
          ? asJson({ link, table: opened.table, canWrite })
          : `Explorer of ${place}${canWrite ? '; it may change the table' : ' (read-only)'}\n\n  ${link}\n\n` +
              'The link works once, within five minutes. Ctrl-C ends the explorer.\n',
      );
      await interrupted;
    } finally {
      await served.stop();
    }
  },
});

const placeOf = async ({ client, table }: OpenTable, endpoint: string | undefined): Promise<string> =>
  `table ${table} ${endpoint === undefined ? `in ${await client.config.region()}` : `at ${endpoint}`}`;

/**
 * The service over the table. A write that is throttled, or of which no answer comes, is sent
 * again for a while, under the same operation id; who reads asks again. Faults say what to do.
 */
async function serviceOver(
  { client, table }: OpenTable,
  about: { readonly place: string; readonly canWrite: boolean },
  options: ExploreOptions,
  context: Context,
  interruption: AbortSignal,
): Promise<Service> {
  // Other subcommands do without.
  const { createService } = await import('../../explorer/service/index.ts');
  const { reader, provisioning } = provisionedOn(client, table, context.now);
  const asked = { ...options, deadline: ANSWER_WITHIN };
  const { deliver, actor } = senderTo(directTo({ reader, provisioning }), asked, context);
  const service = createService({
    reader,
    clock: { now: context.now },
    actor,
    provisioning: async (given) => {
      // The service has checked what the page sent, and provisioning checks the rest.
      const event = given as ProvisioningEvent;
      return isWrite(event) ? (await deliver(event, { interruption })).answer : provisioning(event);
    },
    about: { ...about, isLive: false },
  });
  return async (method, input) => advised(await service(method, input));
}

/** A reply whose fault, or that of the command in it, says what to do about it. */
function advised(reply: Reply): Reply {
  const { error } = reply.ok ? faultIn(reply.result) : reply;
  if (error === undefined) return reply;
  const said = { ...error, message: withAdvice(error.message) };
  return (reply.ok ? { ok: true, result: { ok: false, error: said } } : { ok: false, error: said }) as Reply;
}

type Faulty = { readonly error?: { readonly message: string } };
const faultIn = (result: object): Faulty => ('ok' in result && result.ok === false ? (result as Faulty) : {});
