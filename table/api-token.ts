import { sha256 } from './bytes.ts';
import { isBuiltInSubject, isId, isRef, REGISTERED_SUBJECT, type Ref } from './identifiers.ts';

/**
 * The text of an API token: `gh1_t_<subject's id>_<token's id>_<secret>`, where the letter says of which kind
 * the subject is. It names its subject, so that all a request needs can be read at once. Only the SHA-256 of
 * the text is kept: the secret holds 256 random bits, so a faster hash than those for passwords will do.
 *
 * Characters of ids beside letters, digits and `-` are written as `.` and two hexadecimal digits: `_` separates
 * the parts, and `|` and `@` may not stand in a bearer token (RFC 6750 section 2.1).
 */
const FORM = /^gh1_([uts])_([0-9A-Za-z.-]{1,484})_([0-9A-Za-z.-]{1,384})_([0-9A-Za-z_-]{43})$/;
const LETTERS: Readonly<Record<string, string>> = { u: 'user', t: 'technical-user' };

export interface ApiToken {
  /** The subject that the text names, as a reference; whether it is true, its hash says. */
  readonly subject: string;
  readonly id: string;
}

const escaped = (id: string): string =>
  id.replace(/[^0-9A-Za-z-]/g, (each) => `.${each.charCodeAt(0).toString(16)}`);

/** What the letter says of the subject; of one of an added type, the type is in the text with the id. */
const letterOf = ({ type }: Ref): string => (type === 'user' ? 'u' : type === REGISTERED_SUBJECT ? 's' : 't');

const isAddedSubject = (text: string): boolean =>
  isRef(text) && !isBuiltInSubject(text.slice(0, text.indexOf(':')));

/** The inverse of {@link escaped}. */
const unescaped = (text: string): string =>
  text.replace(/\.([0-9a-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The id that a part of a token names; undefined unless it is the one spelling of this id. */
function idIn(part: string, isValid: (text: string) => boolean): string | undefined {
  const id = unescaped(part);
  return isValid(id) && escaped(id) === part ? id : undefined;
}

export function formatApiToken(subject: Ref, id: string, secret: string): string {
  return `gh1_${letterOf(subject)}_${escaped(subject.id)}_${escaped(id)}_${secret}`;
}

/** Undefined for a text that is no API token. */
export function readApiToken(text: string): ApiToken | undefined {
  const [, letter = '', of = '', named = ''] = FORM.exec(text) ?? [];
  const type = LETTERS[letter];
  const [subjectId, id] = [idIn(of, type === undefined ? isAddedSubject : isId), idIn(named, isId)];
  if (subjectId === undefined || id === undefined) return undefined;
  return { subject: type === undefined ? subjectId : `${type}:${subjectId}`, id };
}

/** SHA-256 of a token's text, base64url. */
export const hashOfToken = (text: string): Promise<string> => sha256(text);

/**
 * The text of a connection's credential: `gh1_c_<connection's id>_<credential's id>_<secret>`. It is no API token, and
 * counts for no subject.
 */
const SCIM_FORM = /^gh1_c_([0-9A-Za-z.-]{1,384})_([0-9A-Za-z.-]{1,384})_([0-9A-Za-z_-]{43})$/;

export const formatScimCredential = (connection: string, id: string, secret: string): string =>
  `gh1_c_${escaped(connection)}_${escaped(id)}_${secret}`;

/** The connection and the credential that a text names, by their ids; undefined for a text that is none. */
export function parseScimCredential(
  text: string,
): { readonly connection: string; readonly id: string } | undefined {
  const [, of = '', named = ''] = SCIM_FORM.exec(text) ?? [];
  const [connection, id] = [idIn(of, isId), idIn(named, isId)];
  return connection === undefined || id === undefined ? undefined : { connection, id };
}

/**
 * The text of a mandate's token: `gh1_m_<actor>_<subject>_<mandate's id>_<secret>`, actor and subject as references.
 * It is no API token of either.
 */
const MANDATE_FORM =
  /^gh1_m_([0-9A-Za-z.-]{1,484})_([0-9A-Za-z.-]{1,484})_([0-9A-Za-z.-]{1,384})_([0-9A-Za-z_-]{43})$/;

/** What the token of a mandate names; whether it is true, its hash says. */
export interface MandateToken {
  /** Who acts, as a reference: `agent:01J…`. */
  readonly actor: string;
  /** For whom, as a reference. */
  readonly subject: string;
  /** `mandate:01J…` */
  readonly mandate: string;
}

/**
 * @param actor the actor, and `subject` for whom it acts, as references: `agent:01J…`, `user:alice`
 * @param id the mandate's id
 * @param secret 256 random bits, base64url
 */
export const formatMandateToken = (actor: string, subject: string, id: string, secret: string): string =>
  `gh1_m_${escaped(actor)}_${escaped(subject)}_${escaped(id)}_${secret}`;

/** Undefined for a text that is no token of a mandate. */
export function parseMandateToken(text: string): MandateToken | undefined {
  const [, acting = '', of = '', named = ''] = MANDATE_FORM.exec(text) ?? [];
  const [actor, subject, id] = [idIn(acting, isRef), idIn(of, isRef), idIn(named, isId)];
  if (actor === undefined || subject === undefined || id === undefined) return undefined;
  return { actor, subject, mandate: `mandate:${id}` };
}
