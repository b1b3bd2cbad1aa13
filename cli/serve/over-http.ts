import { createSecureContext } from 'node:tls';
import type { Handle } from '../../authorizer/service/http.ts';
import { createNodeServer, type NodeServerOptions } from '../../authorizer/service/node-server.ts';
import { logLevelIn } from '../../authzen/configuration.ts';
import { createLog } from '../../engine/log.ts';
import { globalKey } from '../../table/keys.ts';
import { isLoopback } from '../../table/loopback.ts';
import type { Reader } from '../../table/reader.ts';
import { readText } from '../../testing/text-file.ts';
import { type Context, interruptionOf, UsageError } from '../context.ts';
import { type Line, textOf } from '../gathered-lines.ts';
import { duration, type GlobalOptions, port, text, type ValuesOf, whole, withDefault } from '../options.ts';

/** The options of a subcommand that serves over HTTP. */
export const LISTENING = {
  host: withDefault(text('<address>', 'the address to listen on'), '127.0.0.1'),
  port: withDefault(port('the port to listen on; 0 chooses a free one'), 8080),
  publicUrl: text('<url>', 'the base URL that callers use (or PUBLIC_URL)'),
  tlsCert: text('<file>', 'the certificate chain (PEM); without it the server uses plain HTTP'),
  tlsKey: text('<file>', "the certificate's private key (PEM)"),
  maxRequests: withDefault(
    whole('how many requests to serve at the same time; others get 429', 1, 100_000),
    1_000,
  ),
  grace: withDefault(duration('how long to wait for requests in flight when the server stops', 0, 3_600), 20),
};
type ListeningOptions = ValuesOf<typeof LISTENING> & GlobalOptions;

/** Milliseconds for which it is known that the table answers. */
const REACHABLE_MS = 1_000;

/** What is served. */
export interface Served {
  readonly reader: Reader;
  /** @param publicUrl undefined where nobody has said it, and it is not for others to find */
  readonly serve: (
    publicUrl: string | undefined,
    write: (line: Line) => void,
  ) => {
    readonly handle: Handle;
    /** Called when the last request is answered. */
    readonly end?: () => void;
  };
  /** Printed when it is ready, below the address. */
  readonly note?: string;
  readonly close: () => Promise<void>;
}

/** Serves until it is interrupted, and answers the requests in flight. */
export async function serveOverHttp(
  options: ListeningOptions,
  context: Context,
  service: 'authzen' | 'scim',
  open: () => Promise<Served>,
): Promise<undefined> {
  const { host, port, tlsCert, tlsKey } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key go together: give both or neither');
  const tls = tlsCert && tlsKey ? { cert: await readText(tlsCert), key: await readText(tlsKey) } : undefined;
  assertCertificate(tls);
  const write = context.log ?? ((line: Line): void => context.error(`${textOf(line)}\n`));
  const log = createLog({ service, level: logLevelIn(context.env), write });
  const { interrupted } = interruptionOf(context);
  const { reader, serve, note = '', close } = await open();
  let { handle, end }: ReturnType<typeof serve> = {
    handle: () => Promise.reject(new Error('not composed yet')),
  };
  const server = createNodeServer({
    handle: (request) => handle(request),
    isReachable: reachabilityOf(reader, context.now),
    tls,
    maxRequests: options.maxRequests,
    graceMs: options.grace * 1_000,
    log,
    clock: { now: context.now },
  });
  try {
    const name = host.includes(':') ? `[${host}]` : host;
    const taken = await server.listen(port, host).catch(refuseAddress(host, port));
    const url = `${tls ? 'https://' : 'http://'}${name}:${taken}`;
    // What is not secure is nothing to be found by others.
    const found = tls !== undefined || isLoopback(host) ? url : undefined;
    const publicUrl = options.publicUrl ?? context.env.PUBLIC_URL ?? found;
    ({ handle, end } = serve(publicUrl, write));
    context.out(`ready ${url}\n${note}`);
    await interrupted;
  } finally {
    await server.stop();
    end?.();
    await close();
  }
}

/** Throws {@link UsageError} for a certificate or a key that cannot be used. */
function assertCertificate(tls: NodeServerOptions['tls']): void {
  try {
    if (tls) createSecureContext(tls);
  } catch {
    throw new UsageError('--tls-cert and --tls-key: not a certificate and its private key, as PEM');
  }
}

/** Says what to do about an address that cannot be had. */
const refuseAddress = (host: string, port: number) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') throw new UsageError(`port ${port} is in use: give another --port`);
  throw new UsageError(`--host ${host} and --port ${port}: ${error.code ?? error.message}`);
};

/** Whether the table answers, asked at most once a second: probes need no credential. */
function reachabilityOf(reader: Reader, now: () => number): () => Promise<boolean> {
  let [askedAt, asked] = [Number.NEGATIVE_INFINITY, Promise.resolve(false)];
  return () => {
    if (Math.abs(now() - askedAt) < REACHABLE_MS) return asked;
    askedAt = now();
    asked = reader.getMany([globalKey()]).then(
      () => true,
      () => false,
    );
    return asked;
  };
}
