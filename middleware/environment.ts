import * as z from 'zod/mini';
import { type Environment, LOGGING, parseVariables } from '../authorizer/configuration.ts';
import { createDecisionLog } from '../authorizer/decision-log.ts';
import { parseServiceConfiguration } from '../authorizer/service-configuration.ts';
import { createEngine, type Engine, systemClock } from '../engine/index.ts';
import { writeLine } from '../engine/log.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import type { Reader } from '../table/reader.ts';
import { createTokenCaller, type TokenCaller } from './token-caller.ts';

/** Not LOG_LEVEL: that is the application's. */
const { DECISION_LOG, DECISION_LOG_SAMPLE } = LOGGING;
const LOGGED = z.object({ DECISION_LOG, DECISION_LOG_SAMPLE });

/** What guards and the permissions endpoint need. */
export interface Access {
  readonly engine: Engine;
  readonly reader: Reader;
  readonly who: TokenCaller;
}

/**
 * The engine, the table's reader and the callers' verification, configured by the authorizer's environment
 * variables: `TABLE_NAME`, `TABLE_REGION`, `DYNAMODB_ENDPOINT`, `TOKEN_ISSUER` and `TOKEN_AUDIENCE` (or `TOKEN_ISSUERS`),
 * `SUBJECT_FROM`, `REVOCATION`, those of the caches, and `DECISION_LOG` and `DECISION_LOG_SAMPLE`, whose lines go to standard
 * output with the service `middleware`: call `engine.decisionLog?.end()` when the process ends. Without an issuer, API tokens are the only credentials.
 * AWS credentials and the region are looked for where the AWS SDK looks; variables of it that are empty are taken out of
 * the process, for they count as not set.
 *
 * @throws Error naming the variables that are missing or invalid, without their values
 */
export function fromEnvironment(env: Environment = process.env): Access {
  unsetEmptyOfSdk(process.env);
  const { table, endpoint, region, token, revocation, cache } = parseServiceConfiguration(env);
  const client = createClient(defined({ endpoint, region }));
  const reader = createReader({ client, table });
  const { DECISION_LOG: mode, DECISION_LOG_SAMPLE: share } = parseVariables(LOGGED, env);
  const decisionLog = createDecisionLog({ mode, share, service: 'middleware', write: writeLine });
  const engine = createEngine({ reader, clock: systemClock, decisionLog, ...cache });
  return { engine, reader, who: createTokenCaller(token, revocation, {}) };
}
