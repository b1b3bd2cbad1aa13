import {
  REVOCATION_DEFAULTS,
  type RevocationBound,
  type RevocationTimes,
  revocationBound,
} from '../../provisioning/index.ts';
import type { NamedKind } from '../../table/entities/registry.ts';
import type { Context } from '../context.ts';
import { type Agreed, agree } from '../destruction.ts';
import { knownAs } from '../known-as.ts';
import {
  argument,
  type GlobalOptions,
  number,
  type Options,
  readNumber,
  type ValuesOf,
  WRITING,
  withDefault,
  YES,
} from '../options.ts';
import { columns, plain } from '../print.ts';
import { openSender, type Sender } from '../provisioning.ts';
import { type Named, type Subcommand, subcommand } from '../subcommand.ts';
import type { Command } from '../transport.ts';

/** A subcommand that revokes something, and reports until when caches may still allow. */
export interface Revocation<O extends Options> extends Named {
  /** Its argument: `<user>`, and what it is. */
  readonly argument: readonly [string, string];
  readonly options?: O;
  readonly examples: string;
  /** `agreed` is to be called with the commands, and what they do, before they are sent. */
  readonly revoke: (
    sender: Sender,
    argument: string,
    options: ValuesOf<O>,
    agreed: (what: string, ...commands: readonly Command[]) => Promise<void>,
  ) => Promise<Revoked>;
}

export interface Revoked {
  /** What was revoked: `user:ID`, `tenant:ID`, `session:ID`, `token:ID`. */
  readonly revoked: string;
  /** Of what people know by a name. The text begins with its reference. */
  readonly kind?: NamedKind;
  /** Whether it was revoked before. */
  readonly before: boolean;
  readonly text: string;
  /** The freshness token of the write; undefined where nothing was written. */
  readonly token: string | undefined;
  /** Edges that were removed as well. */
  readonly stripped?: number | undefined;
}

const SECONDS = { kind: 'whole number of seconds', least: 0, most: 99_999_999 };

/** An option that is a number of seconds. */
export const seconds = (description: string) => number('<seconds>', description, SECONDS);

const OPTIONS = {
  cacheTtl: seconds(
    `the cache TTL of the authorizer (or CACHE_TTL_SECONDS; default: ${REVOCATION_DEFAULTS.cacheTtl})`,
  ),
  outageTtl: seconds('the outage TTL of the authorizer (or CACHE_OUTAGE_TTL_SECONDS; default: off)'),
  resultTtl: withDefault(
    seconds("the TTL of API Gateway's result cache"),
    REVOCATION_DEFAULTS.resultTtl,
    'off',
  ),
  yes: YES,
  ...WRITING,
};
type Given = ValuesOf<typeof OPTIONS> & GlobalOptions & { readonly jwtLife?: number | undefined };

const fromEnv = (env: Context['env'], name: string, otherwise: number): number =>
  env[name] ? readNumber(name, env[name], SECONDS) : otherwise;

const timesOf = (
  { cacheTtl, outageTtl, resultTtl, jwtLife }: Given,
  env: Context['env'],
): RevocationTimes => ({
  cacheTtl: cacheTtl ?? fromEnv(env, 'CACHE_TTL_SECONDS', REVOCATION_DEFAULTS.cacheTtl),
  outageTtl: outageTtl ?? fromEnv(env, 'CACHE_OUTAGE_TTL_SECONDS', REVOCATION_DEFAULTS.outageTtl),
  resultTtl,
  webSocket: REVOCATION_DEFAULTS.webSocket,
  jwtLife,
});

export const revocation = <const O extends Options = Record<never, never>>({
  argument: typed,
  options: own,
  revoke,
  ...of
}: Revocation<O>): Subcommand =>
  subcommand({
    ...of,
    description: `${of.description} in one transaction, and says until when caches may still allow requests.`,
    arguments: [argument(...typed)],
    options: { ...(own as O), ...OPTIONS },
    run: async ([given], all, context) => {
      const options = all as unknown as ValuesOf<O> & Given;
      const times = timesOf(options, context.env);
      const sender = await openSender(options, context);
      let agreed: Agreed | undefined;
      const { kind, ...revoked } = await revoke(
        sender,
        given as string,
        options,
        async (what, ...commands) => {
          agreed = await agree(sender, commands, what, options, context);
        },
      );
      const referred = kind && { ref: revoked.revoked, kind };
      const known = referred && (await knownAs(sender.deliver, [referred]))(referred);
      const text = known ? `${plain(known)}${revoked.text.slice(referred.ref.length)}` : revoked.text;
      return report({ ...revoked, ...agreed, text }, revocationBound(times), context.now());
    },
  });

/** What was done, and until when each layer may still allow. */
export function report(done: Revoked, bound: RevocationBound, now: number) {
  const until = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  const { layers, request, webSocket } = bound;
  const data = {
    ...done,
    at: until(0),
    layers: layers.map((layer) => ({ ...layer, until: until(layer.atMost) })),
    atMost: { request, webSocket },
    until: { request: until(request), webSocket: until(webSocket) },
  };
  const rows = layers.map(({ layer, adds, atMost, end }) =>
    adds === 0 ? [layer, 'nothing', '-', '-'] : [layer, duration(adds), until(atMost), end],
  );
  const text = `${[
    done.text,
    ...(done.token === undefined ? [] : [`token ${done.token}`]),
    '',
    ...columns([['may still allow', 'adds', 'until', 'ended at once by'], ...rows]),
    '',
    `the last request is allowed before ${until(request)}, ${request} s from now`,
  ].join('\n')}\n`;
  return { data, text };
}

const duration = (seconds: number): string =>
  seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds} s`;
