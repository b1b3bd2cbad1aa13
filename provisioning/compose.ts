import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import {
  type CallerVerificationOptions,
  createCallerVerification,
} from '../authorizer/caller-verification.ts';
import type { Fetch } from '../authorizer/credentials/fetch.ts';
import { parseServiceConfiguration } from '../authorizer/service-configuration.ts';
import { createLog, writeLine } from '../engine/log.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';
import { mayBeScopeType } from '../table/entities/scope-types.ts';
import { type Environment, variablesSetIn } from '../table/environment.ts';
import { invalid } from '../table/errors.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import { LOG_LEVELS } from '../table/log.ts';
import type { Reader } from '../table/reader.ts';
import type { Writer } from '../table/writer.ts';
import { COMMANDS } from './all-commands.ts';
import type { Answer } from './answer.ts';
import { readHttpRequest, toHttpAnswer } from './http.ts';
import { createIds } from './ids.ts';
import { inPlainWords } from './issues.ts';
import { createNodeEncryption } from './node-encryption.ts';
import { isCommandPattern, matcherOf } from './operators/approval.ts';
import { EFFECTS, isEffect } from './operators/effects.ts';
import type { OperatorRules } from './operators/guard.ts';
import { createOperators } from './operators/rights.ts';
import { createProvisioning, type Provisioning } from './provisioning.ts';

const listed = (text: string): readonly string[] => text.split(',').map((each) => each.trim());

/** Whether a pattern names any command: a name that is misspelt would let it through alone. */
const isOfCommands = (text: string): boolean =>
  isCommandPattern(text) && [...COMMANDS.keys()].some(matcherOf([text]));

export const PROVISIONING = z
  .object({
    TABLE_NAME: z.string().min(3).max(255),
    DYNAMODB_ENDPOINT: z.url().optional(),
    TABLE_REGION: z
      .string()
      .regex(/^[a-z]{2,4}(?:-[a-z]{1,16}){1,3}-\d{1,2}$/)
      .optional(),
    LOG_LEVEL: z.enum(LOG_LEVELS).default('INFO'),
    OPERATORS: z.enum(['token', 'iam']).optional(),
    OPERATIONS_SCOPE: z
      .string()
      .refine(
        (text) => isRef(text) && mayBeScopeType(parseRef(text, 'scope').type),
        'is no reference to a scope, such as tenant:operations',
      )
      .optional(),
    APPROVAL_FOR: z
      .string()
      .max(4_096)
      .refine(
        (text) => listed(text).every((each) => isEffect(each) || isOfCommands(each)),
        `is no list of names of commands, with *, and of ${EFFECTS.join(', ')}`,
      )
      .transform(listed)
      .optional(),
  })
  .superRefine(({ OPERATORS, OPERATIONS_SCOPE, APPROVAL_FOR }, context) => {
    for (const [name, value] of Object.entries({ OPERATIONS_SCOPE, APPROVAL_FOR }))
      if (OPERATORS === undefined && value !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'needs OPERATORS=token or iam' });
  });

/** Replacements for the real dependencies, for tests. */
export interface Overrides {
  readonly reader?: Reader;
  readonly writer?: Writer;
  readonly clock?: { readonly now: () => number };
  /** Writes one log line of JSON. Default: standard output. */
  readonly log?: (line: string) => void;
  /** Fetches the issuers' keys. */
  readonly fetch?: Fetch;
}

/** The part of Lambda's context that is used. */
export interface Invocation {
  readonly awsRequestId?: string;
}

/** What a function URL or an HTTP API answers. */
export type HttpAnswer = ReturnType<typeof toHttpAnswer>;

/**
 * The function from environment variables. Where operators are IAM principals, it takes requests of a function URL or
 * an HTTP API as well, and only those name a principal.
 *
 * @throws GatehouseError `invalid` at start, naming the variable that is wrong
 */
export function createHandlerFrom(
  env: Environment,
  overrides: Overrides = {},
): (event: unknown, invocation?: Invocation) => Promise<Answer | HttpAnswer> {
  const provisioning = createProvisioningFrom(env, overrides);
  return async (event, invocation) => {
    const requestId = invocation?.awsRequestId;
    const http = env.OPERATORS === 'iam' ? readHttpRequest(event) : undefined;
    if (!http) return provisioning(event, { requestId });
    return toHttpAnswer(await provisioning(http.event, { principal: http.principal, requestId }));
  };
}

/** Wires provisioning from environment variables; throws at start, naming the variable that is wrong. */
export function createProvisioningFrom(env: Environment, overrides: Overrides = {}): Provisioning {
  const given = variablesSetIn(env, Object.keys(PROVISIONING.shape));
  const parsed = PROVISIONING.safeParse(given, { error: inPlainWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw invalid(name, `configuration: ${name} ${issue?.message}`);
  }
  const {
    TABLE_NAME: table,
    DYNAMODB_ENDPOINT: endpoint,
    TABLE_REGION: region,
    OPERATORS: mode,
  } = parsed.data;
  // Lambda puts the credentials of the function's role into the environment.
  const client = createClient({
    credentialsFrom: 'environment',
    ...defined({ endpoint, region }),
  });
  const {
    reader = createReader({ client, table, deadlineMs: 5_000 }),
    writer = createWriter({ client, table }),
    clock = { now: Date.now },
    log: write = writeLine,
  } = overrides;
  const log = createLog({ service: 'provisioning', level: parsed.data.LOG_LEVEL, write });
  const rules = (): OperatorRules => ({
    operators: createOperators({
      reader,
      clock,
      operationsScope: parsed.data.OPERATIONS_SCOPE,
      tokens:
        mode === 'token'
          ? tokensFrom(env, { clock, log, ...defined({ fetch: overrides.fetch }) })
          : undefined,
    }),
    approvalFor: parsed.data.APPROVAL_FOR ?? [],
  });
  return createProvisioning({
    reader,
    writer,
    clock,
    log,
    newId: createIds(),
    newSecret: () => randomBytes(32).toString('base64url'),
    encryption: createNodeEncryption,
    ...(mode === undefined ? {} : { operatorRules: rules() }),
  });
}

/** Estimated bytes of cached keys and verified tokens: there are few operators. */
const CACHE_BYTES = 1024 ** 2;

/** Where no issuer is configured: a JWT is read all the same, and the refusal says what is wrong with it. */
const NO_ISSUER = { issuers: [], maxBytes: 8_192, ttlMs: 0, staleMs: 0, credentialsFrom: [] };

/** How tokens are verified: by the authorizer's variables. */
function tokensFrom(env: Environment, parts: Pick<CallerVerificationOptions, 'clock' | 'log' | 'fetch'>) {
  const { token = NO_ISSUER, revocation } = parseServiceConfiguration(env);
  const cacheBytes = { keys: CACHE_BYTES, tokens: CACHE_BYTES };
  return createCallerVerification(token, { ...parts, revocation, cacheBytes });
}
