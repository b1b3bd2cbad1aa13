import { sha256 } from './bytes.ts';
import { isId, isRef, type Ref } from './identifiers.ts';

/**
 * The text of an API token: `gh1_t_<subject's id>_<token's id>_<secret>`, where the letter says of which kind
 * the subject is. It names its subject, so that all a request needs can be read at once. Only the SHA-256 of
 * the text is kept: the secret holds 256 random bits, so a faster hash than those for passwords will do.
 */
const FORM = /^gh1_([ut])_([0-9A-Za-z-]{26,36})_([0-9A-Za-z-]{26,36})_([0-9A-Za-z_-]{43})$/;
const LETTERS: Readonly<Record<string, string>> = { u: 'user', t: 'technical-user' };

export interface ApiToken {
  /** The subject that the text names, as a reference; whether it is true, its hash says. */
  readonly subject: string;
  readonly id: string;
}

export function formatApiToken(subject: Ref, id: string, secret: string): string {
  const letter = subject.type === 'user' ? 'u' : 't';
  return `gh1_${letter}_${subject.id}_${id}_${secret}`;
}

/** Undefined for a text that is no API token. */
export function readApiToken(text: string): ApiToken | undefined {
  const [, letter = '', subjectId = '', id = ''] = FORM.exec(text) ?? [];
  const subject = `${LETTERS[letter]}:${subjectId}`;
  return isId(id) && isRef(subject) ? { subject, id } : undefined;
}

/** SHA-256 of a token's text, base64url. */
export const hashOfToken = (text: string): Promise<string> => sha256(text);
