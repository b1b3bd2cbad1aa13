import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import * as z from 'zod';
import { createLog } from '../engine/log.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';
import { invalid } from '../table/errors.ts';
import { LOG_LEVELS } from '../table/log.ts';
import type { Answer } from './answer.ts';
import { inPlainWords } from './issues.ts';
import { createProvisioning } from './provisioning.ts';

const environment = z.object({
  TABLE_NAME: z.string().min(3).max(255),
  DYNAMODB_ENDPOINT: z.url().optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('INFO'),
});

/** The part of Lambda's context that is used. */
interface Invocation {
  readonly awsRequestId?: string;
}

/**
 * Wires provisioning from environment variables.
 *
 * @param write writes one log line of JSON
 * @throws GatehouseError `invalid`, naming the variable that is wrong
 */
export function createHandlerFrom(
  env: Readonly<Record<string, string | undefined>>,
  write: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): (event: unknown, invocation?: Invocation) => Promise<Answer> {
  const parsed = environment.safeParse(env, { error: inPlainWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw invalid(name, `configuration: ${name} ${issue?.message}`);
  }
  const { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, LOG_LEVEL: level } = parsed.data;
  // Lambda puts the credentials of the function's role into the environment.
  const client = createClient({
    credentialsFrom: 'environment',
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const provisioning = createProvisioning({
    reader: createReader({ client, table, deadlineMs: 5_000 }),
    writer: createWriter({ client, table }),
    clock: { now: Date.now },
    newId: () => ulid(),
    newSecret: () => randomBytes(32).toString('base64url'),
    log: createLog({ service: 'provisioning', level, write }),
  });
  return (event, invocation) => provisioning(event, { requestId: invocation?.awsRequestId });
}
