import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { defined } from '../defined.ts';
import { isLoopback, LOCAL_CREDENTIALS } from '../loopback.ts';
import { createRequestHandler } from './request-handler.ts';

export interface ClientOptions {
  /** Any DynamoDB endpoint; AWS's own for the region when left out. */
  readonly endpoint?: string;
  readonly region?: string;
  /**
   * Where credentials for AWS are looked for; everywhere that the SDK looks (profiles, single sign-on, …)
   * when left out.
   */
  readonly credentialsFrom?: 'environment';
  /** Milliseconds one attempt may take. */
  readonly requestTimeoutMs?: number;
  readonly maxAttempts?: number;
  /** The wall clock, by which idle connections age. */
  readonly now?: () => number;
}

/** Milliseconds of an attempt, and attempts: all of them fit into the deadline of a read. */
export const ATTEMPT_MS = 1_000;
export const ATTEMPTS = 2;

/**
 * The DynamoDB client. The SDK has no time-out by default, and `requestTimeout` alone only
 * logs: `throwOnRequestTimeout` makes it count. Four attempts of a throttled call took up to 6 s, so
 * attempts are few and every operation carries an overall deadline on top (read/ and write/).
 */
export function createServiceClient(options: ClientOptions = {}): DynamoDBClient {
  const {
    endpoint,
    region,
    credentialsFrom,
    requestTimeoutMs = ATTEMPT_MS,
    maxAttempts = ATTEMPTS,
    now,
  } = options;
  const local = endpoint !== undefined && isLoopback(new URL(endpoint).hostname);
  return new DynamoDBClient({
    ...defined({ endpoint }),
    ...(local
      ? { credentials: LOCAL_CREDENTIALS, region: region ?? 'eu-central-1' }
      : {
          ...defined({ region }),
          ...(credentialsFrom === undefined ? {} : { credentials: fromEnv() }),
        }),
    maxAttempts,
    requestHandler: createRequestHandler({ requestTimeoutMs, now }),
  });
}

/** The same as a document client: plain values in and out. */
export const createClient = (options: ClientOptions = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(createServiceClient(options), {
    marshallOptions: { removeUndefinedValues: true },
  });
