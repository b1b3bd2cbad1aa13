import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import * as z from 'zod';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';
import type { Answer } from './answer.ts';
import { inPlainWords } from './issues.ts';
import { createProvisioning } from './provisioning.ts';

const environment = z.object({
  TABLE_NAME: z.string().min(3).max(255),
  DYNAMODB_ENDPOINT: z.url().optional(),
  TABLE_REGION: z
    .string()
    .regex(/^[a-z]{2,4}(?:-[a-z]{1,16}){1,3}-\d{1,2}$/)
    .optional(),
});

/** Wires provisioning from environment variables; throws at start, naming the variable that is wrong. */
export function createHandlerFrom(
  env: Readonly<Record<string, string | undefined>>,
): (event: unknown) => Promise<Answer> {
  const parsed = environment.safeParse(env, { error: inPlainWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`environment variable ${String(issue?.path[0])}: ${issue?.message}`);
  }
  const { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, TABLE_REGION: region } = parsed.data;
  // Lambda puts the credentials of the function's role into the environment.
  const client = createClient({
    credentialsFrom: 'environment',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
  const provisioning = createProvisioning({
    reader: createReader({ client, table, deadlineMs: 5_000 }),
    writer: createWriter({ client, table }),
    clock: { now: Date.now },
    newId: () => ulid(),
    newSecret: () => randomBytes(32).toString('base64url'),
    log: (line) => console.error(line),
  });
  // Lambda gives its context as well, which is none of our hooks.
  return (event) => provisioning(event);
}
