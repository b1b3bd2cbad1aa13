import * as z from 'zod';
import { parseJson } from '../../table/json.ts';

/** A day: enough for tests of expiry, too short for a token to be kept. */
export const MAX_EXPIRES_IN_SECONDS = 86_400;

/** Longest email address (RFC 5321, 4.5.3.1.3). */
const MAX_EMAIL_LENGTH = 254;

const whole = z
  .int('must be a whole number of seconds')
  .min(-MAX_EXPIRES_IN_SECONDS, `must not be below -${MAX_EXPIRES_IN_SECONDS} seconds`)
  .max(MAX_EXPIRES_IN_SECONDS, `must not be above ${MAX_EXPIRES_IN_SECONDS} seconds`);

/** Unknown fields are refused: `expires_in` would otherwise be ignored. */
const schema = z.strictObject(
  {
    /** Email of a user that exists, or another name that the stack knows. */
    user: z
      .string('must be the email or the name of a user')
      .min(1, 'must be the email or the name of a user')
      .max(MAX_EMAIL_LENGTH, `must not be longer than ${MAX_EMAIL_LENGTH} characters`),
    /**
     * Seconds from now; negative for a token that has expired already. Undefined: the provider's lifetime.
     */
    expiresIn: whole.optional(),
    /** The claim `groups`, as an identity provider gives it. */
    groups: z
      .array(
        z
          .string('must be a list of texts')
          .min(1, 'must hold no empty text')
          .max(256, 'must hold texts of at most 256 characters'),
        'must be a list of texts',
      )
      .max(1_000, 'must not hold more than 1,000')
      .optional(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys[0]}: is not a field of a token request`
        : 'body: must be a JSON object such as {"user": "someone@example.com"}',
  },
);

/** What `POST /_dev/token` takes. */
export type TokenRequest = z.infer<typeof schema>;

/** A request, or an OAuth error body (RFC 6749, 5.2) with a message that names the field at fault. */
export function readTokenRequest(text: string) {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  const message = field === undefined ? issue?.message : `${String(field)}: ${issue?.message}`;
  return { error: 'invalid_request' as const, message: message ?? '' };
}
