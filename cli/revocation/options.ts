import type { Command } from 'commander';
import { addConnectionOptions } from '../connection.ts';
import { addActorOption, type WriteOptions } from '../provisioning.ts';
import { type Surroundings, UsageError } from '../surroundings.ts';
import { DEFAULTS, type Times } from './layers.ts';

/** The options of all subcommands that revoke: who does it, where, and what may still say yes. */
export interface RevokeOptions extends WriteOptions {
  readonly cacheTtl?: string;
  readonly outageTtl?: string;
  readonly resultTtl?: string;
  readonly jwtLife?: string;
  readonly json?: boolean;
}

const EXIT_CODES = `
Exit codes:
  0  it is revoked; what may still say yes is in the answer
  2  wrong use, a refusal or a fault: read it, and send it again`;

export const withRevokeOptions = (command: Command, examples: string): Command =>
  addActorOption(
    addConnectionOptions(
      command
        .option(
          '--cache-ttl <seconds>',
          `CACHE_TTL_SECONDS of the authorizer (${DEFAULTS.cacheTtl} unless given)`,
        )
        .option('--outage-ttl <seconds>', 'CACHE_OUTAGE_TTL_SECONDS of the authorizer (off unless given)')
        .option('--result-ttl <seconds>', "the result cache of API Gateway's authorizer (off unless given)")
        .option('--json', 'print data'),
    ),
  ).addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES}`);

function seconds(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^\d{1,8}$/.test(text)) throw new UsageError(`${option} ${text} is no whole number of seconds`);
  return Number(text);
}

export const timesOf = (
  { cacheTtl, outageTtl, resultTtl, jwtLife }: RevokeOptions,
  env: Surroundings['env'],
): Times => ({
  cacheTtl: seconds('--cache-ttl', cacheTtl ?? (env.CACHE_TTL_SECONDS || undefined), DEFAULTS.cacheTtl),
  outageTtl: seconds(
    '--outage-ttl',
    outageTtl ?? (env.CACHE_OUTAGE_TTL_SECONDS || undefined),
    DEFAULTS.outageTtl,
  ),
  resultTtl: seconds('--result-ttl', resultTtl, DEFAULTS.resultTtl),
  webSocket: DEFAULTS.webSocket,
  jwtLife: jwtLife === undefined ? undefined : seconds('--jwt-life', jwtLife, 0),
});
