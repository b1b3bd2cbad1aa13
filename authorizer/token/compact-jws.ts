import { CredentialsError } from '../errors.ts';

const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Of a last character, 4 bits stand for nothing where a part is 2 longer than a multiple of 4, and 2 where it is 3. */
const LAST_OF_TWO = 'AQgw';
const LAST_OF_THREE = 'AEIMQUYcgkosw048';

function isCanonical(text: string, start: number, end: number): boolean {
  const rest = (end - start) % 4;
  if (rest === 0) return true;
  return rest !== 1 && (rest === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(text.charAt(end - 1));
}

/**
 * Whether a text is a JWS in compact form (RFC 7515), each part in the one spelling that base64url has for it: the
 * bits of a last character that stand for nothing are zero, or the same token could be written in sixteen ways.
 */
export function isCompactJws(text: string): boolean {
  if (!THREE_PARTS.test(text)) return false;
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  return (
    isCanonical(text, 0, first) &&
    isCanonical(text, first + 1, second) &&
    isCanonical(text, second + 1, text.length)
  );
}

/**
 * What the payload of a compact JWS says, before anything of it is verified.
 *
 * @throws CredentialsError `token_malformed` when that is no object
 */
export function unverifiedClaims(token: string): Readonly<Record<string, unknown>> {
  const start = token.indexOf('.') + 1;
  const payload = Buffer.from(token.slice(start, token.indexOf('.', start)), 'base64url').toString();
  const claims = parsed(payload);
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new CredentialsError('token_malformed');
  }
  return claims as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
