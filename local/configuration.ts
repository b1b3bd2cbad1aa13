import * as z from 'zod';
import { type Environment, variablesSetIn } from '../table/environment.ts';

/** The local stack's environment variables, parsed once. */
const whole = (max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text) && Number(text) <= max, `is not a whole number from 0 to ${max}`)
    .transform(Number);

const schema = z.object({
  /** Port of the gateway and the identity provider; 0 takes a free one. */
  PORT: whole(65_535).default(3000),
  /** Port of the Lambda Invoke API; 0 takes a free one. */
  LAMBDA_PORT: whole(65_535).default(3002),
  /** Port of the embedded engine; 0 takes a free one. */
  DYNAMODB_PORT: whole(65_535).default(3001),
  /** File of the embedded engine; in memory when left out. */
  DATA: z.string().min(1).optional(),
  /** A DynamoDB endpoint to use instead of the embedded engine. */
  DYNAMODB_ENDPOINT: z
    .url('is not a URL')
    .refine(
      (url) => !URL.canParse(url) || !/\.amazonaws\.com(?:\.cn)?$/.test(new URL(url).hostname),
      'is AWS: the local stack creates and changes its table, so give DynamoDB Local',
    )
    .optional(),
  /** Table on that endpoint; created if missing. */
  TABLE_NAME: z.string().min(3).default('gatehouse'),
  /** Time-to-live of the engine's cache in seconds. */
  CACHE_TTL_SECONDS: whole(3_600).default(5),
  /** Whether WebSocket connections are closed when what allowed them is revoked. */
  LIVE_REVOCATION: z
    .enum(['true', 'false'], 'is neither true nor false')
    .default('false')
    .transform((text) => text === 'true'),
});

export type LocalConfiguration = z.infer<typeof schema>;

/** @throws Error with the name of the invalid variable */
export function readConfiguration(env: Environment): LocalConfiguration {
  const parsed = schema.safeParse(variablesSetIn(env, Object.keys(schema.shape)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`environment variable ${String(issue?.path[0])} ${issue?.message}`);
}
