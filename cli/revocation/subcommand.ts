import type { Command, Option } from 'commander';
import {
  REVOCATION_DEFAULTS,
  type RevocationBound,
  type RevocationTimes,
  revocationBound,
} from '../../provisioning/revocation-bound.ts';
import type { NamedKind } from '../../table/entities/entity.ts';
import type { Context } from '../context.ts';
import { type Agreed, agree, type Command as Sent, YES } from '../destruction.ts';
import { OK } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { knownAs } from '../known-as.ts';
import { asJson, columns, plain } from '../print.ts';
import { addActorOption, connectForWriting, type Editing, type WriteOptions } from '../provisioning.ts';
import { numberOption, readNumber } from '../question.ts';
import type { Subcommand } from '../subcommand.ts';

/** A subcommand that revokes something, and reports until when caches may still allow. */
export interface Revocation<Options extends RevokeOptions = RevokeOptions> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Its argument: `<user>`, and what it is. */
  readonly argument: readonly [string, string];
  readonly options?: readonly Option[];
  readonly examples: string;
  /** `agreed` is to be called with the commands, and what they do, before they are sent. */
  readonly revoke: (
    editing: Editing,
    argument: string,
    options: Options,
    agreed: (what: string, ...commands: readonly Sent[]) => Promise<void>,
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
  readonly stripped?: number;
}

export interface RevokeOptions extends WriteOptions {
  readonly cacheTtl?: number;
  readonly outageTtl?: number;
  readonly resultTtl: number;
  readonly jwtLife?: number;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const SECONDS = { kind: 'whole number of seconds', least: 0, most: 99_999_999 };

/** An option that is a number of seconds. */
export const secondsOption = (flag: string, description: string): Option =>
  numberOption(flag, '<seconds>', description, SECONDS);

const fromEnv = (env: Context['env'], name: string, otherwise: number): number =>
  env[name] ? readNumber(name, env[name], SECONDS) : otherwise;

const timesOf = (options: RevokeOptions, env: Context['env']): RevocationTimes => ({
  cacheTtl: options.cacheTtl ?? fromEnv(env, 'CACHE_TTL_SECONDS', REVOCATION_DEFAULTS.cacheTtl),
  outageTtl: options.outageTtl ?? fromEnv(env, 'CACHE_OUTAGE_TTL_SECONDS', REVOCATION_DEFAULTS.outageTtl),
  resultTtl: options.resultTtl,
  webSocket: REVOCATION_DEFAULTS.webSocket,
  jwtLife: options.jwtLife,
});

export const revocation =
  <Options extends RevokeOptions>(of: Revocation<Options>): Subcommand =>
  (program, context, finish) => {
    const command: Command = program
      .command(of.name)
      .summary(of.summary)
      .description(
        `${of.description} in one transaction, and says until when caches may still allow requests.`,
      )
      .argument(...of.argument);
    for (const option of of.options ?? []) command.addOption(option);
    command
      .addOption(
        secondsOption(
          '--cache-ttl',
          `the cache TTL of the authorizer (or CACHE_TTL_SECONDS; default: ${REVOCATION_DEFAULTS.cacheTtl})`,
        ),
      )
      .addOption(
        secondsOption(
          '--outage-ttl',
          'the outage TTL of the authorizer (or CACHE_OUTAGE_TTL_SECONDS; default: off)',
        ),
      )
      .addOption(
        secondsOption('--result-ttl', "the TTL of API Gateway's result cache").default(
          REVOCATION_DEFAULTS.resultTtl,
          'off',
        ),
      )
      .option(...YES);
    addHelpTexts(addActorOption(command), { examples: of.examples }).action(
      async (argument: string, options: Options) => {
        const times = timesOf(options, context.env);
        const editing = await connectForWriting(options, context);
        let agreed: Agreed | undefined;
        const revoked = await of.revoke(editing, argument, options, async (what, ...commands) => {
          agreed = await agree(editing, commands, what, options, context);
        });
        const { kind, ...rest } = revoked;
        const referred = kind && { ref: revoked.revoked, kind };
        const known = referred && (await knownAs(editing.deliver, [referred]))(referred);
        const text = known ? `${plain(known)}${revoked.text.slice(referred.ref.length)}` : revoked.text;
        const done = { ...rest, ...agreed, text };
        context.out(report(done, revocationBound(times), context.now(), options.json === true));
        finish(OK);
      },
    );
  };

/** What was done, and until when each layer may still allow. */
export function report(done: Revoked, bound: RevocationBound, now: number, isJson: boolean): string {
  const until = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  const { layers, request, webSocket } = bound;
  if (isJson)
    return asJson({
      ...done,
      at: until(0),
      layers: layers.map((layer) => ({ ...layer, until: until(layer.atMost) })),
      atMost: { request, webSocket },
      until: { request: until(request), webSocket: until(webSocket) },
    });
  const rows = layers.map(({ layer, adds, atMost, end }) =>
    adds === 0 ? [layer, 'nothing', '-', '-'] : [layer, duration(adds), until(atMost), end],
  );
  return `${[
    done.text,
    ...(done.token === undefined ? [] : [`token ${done.token}`]),
    '',
    ...columns([['may still allow', 'adds', 'until', 'ended at once by'], ...rows]),
    '',
    `the last request is allowed before ${until(request)}, ${request} s from now`,
  ].join('\n')}\n`;
}

const duration = (seconds: number): string =>
  seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds} s`;
