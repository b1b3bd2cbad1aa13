/** What `POST /_dev/token` takes. */
export interface TokenRequest {
  /** Email of a user that exists. */
  readonly user: string;
  /** Seconds from now; negative for a token that has expired already. Undefined: the provider's lifetime. */
  readonly expiresIn: number | undefined;
}

/** An OAuth error body (RFC 6749, 5.2), with a message that names the field at fault. */
export interface TokenRequestError {
  readonly error: 'invalid_request';
  readonly message: string;
}

/** A day: enough for any test of expiry, too little to be a token that somebody keeps. */
export const MAX_EXPIRES_IN_SECONDS = 86_400;

/** Longest address that mail can carry (RFC 5321, 4.5.3.1.3). */
const MAX_EMAIL_LENGTH = 254;

const FIELDS: readonly string[] = ['user', 'expiresIn'];

const invalid = (message: string): TokenRequestError => ({ error: 'invalid_request', message });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the body of a token request; unknown fields are refused, because `expires_in` would go unnoticed. */
export function readTokenRequest(text: string): TokenRequest | TokenRequestError {
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalid('body: must be a JSON object such as {"user": "someone@example.com"}');
  }
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return invalid(`${unknown}: is not a field of a token request`);
  const { user, expiresIn } = body as Readonly<Record<string, unknown>>;
  if (typeof user !== 'string' || user === '') return invalid('user: must be the email of a user');
  if (user.length > MAX_EMAIL_LENGTH)
    return invalid(`user: must not be longer than ${MAX_EMAIL_LENGTH} characters`);
  if (expiresIn === undefined) return { user, expiresIn };
  if (typeof expiresIn !== 'number' || !Number.isInteger(expiresIn)) {
    return invalid('expiresIn: must be a whole number of seconds');
  }
  if (Math.abs(expiresIn) > MAX_EXPIRES_IN_SECONDS) {
    return invalid(`expiresIn: must be from -${MAX_EXPIRES_IN_SECONDS} to ${MAX_EXPIRES_IN_SECONDS} seconds`);
  }
  return { user, expiresIn };
}
