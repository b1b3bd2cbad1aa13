import * as z from 'zod';
import { type Environment, variablesSetIn } from '../table/environment.ts';

/** The local stack's environment variables, parsed once. */
const whole = (max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text) && Number(text) <= max, `is not a whole number from 0 to ${max}`)
    .transform(Number);

export const LOCAL = z.object({
  PORT: whole(65_535).prefault('3000'),
  LAMBDA_PORT: whole(65_535).prefault('3002'),
  DYNAMODB_PORT: whole(65_535).prefault('3001'),
  DATA: z.string().min(1).optional(),
  DYNAMODB_ENDPOINT: z
    .url('is not a URL')
    .refine(
      (url) => !URL.canParse(url) || !/\.amazonaws\.com(?:\.cn)?$/.test(new URL(url).hostname),
      'is AWS: the local stack creates and changes its table, so give DynamoDB Local',
    )
    .optional(),
  TABLE_NAME: z.string().min(3).default('gatehouse'),
  CACHE_TTL_SECONDS: whole(3_600).prefault('5'),
  LIVE_REVOCATION: z
    .enum(['true', 'false'], 'is neither true nor false')
    .transform((text) => text === 'true')
    .prefault('false'),
});

export type LocalConfiguration = z.infer<typeof LOCAL>;

/** @throws Error with the name of the invalid variable */
export function readConfiguration(env: Environment): LocalConfiguration {
  const parsed = LOCAL.safeParse(variablesSetIn(env, Object.keys(LOCAL.shape)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`environment variable ${String(issue?.path[0])} ${issue?.message}`);
}
