import { invalid } from './errors.ts';

/**
 * Grammar of everything that may become part of a key.
 *
 * An id is what its creator names (`alice`, `auth0|5f7c8ec7c33c6c004bbafe82`, a UUID), otherwise a ULID
 * (ADR 0004). Case counts. It holds neither `:` nor `#`, so references and keys have one
 * reading. Types are lower-case words (`location`, `technical-user`). A reference names one entity:
 * `location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C`.
 */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._~|@=+-]*$/;
const TYPE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const MAX_ID_LENGTH = 128;
const MAX_TYPE_LENGTH = 32;
/** Characters of `type:id` at its longest. */
export const MAX_REF_LENGTH = MAX_TYPE_LENGTH + 1 + MAX_ID_LENGTH;
/** Bytes of one page name, or of one part of `module:action:resource`. */
const MAX_NAME_LENGTH = 128;

/** Bytes of a normalised value; a key holds it beside its kind and stays far below DynamoDB's 2,048. */
export const MAX_VALUE_BYTES = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE = /[#\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/;

/** Whether the text is free of `#`, control characters and lone surrogates. */
export const isSafeText = (value: string): boolean => !UNSAFE.test(value) && value.isWellFormed();

export interface Ref {
  readonly type: string;
  readonly id: string;
}

export const isId = (value: string): boolean => value.length <= MAX_ID_LENGTH && ID.test(value);

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text that may be a name as well is certainly an id: names do not look like that. */
export const isUlidOrUuid = (value: string): boolean => ULID.test(value) || UUID.test(value);

/** What an id is, as messages say it. */
export const ID_FORM = `1 to ${MAX_ID_LENGTH} of A-Z a-z 0-9 . _ ~ | @ = + -, the first a letter, a digit or _`;

/** Whether `value` is a scope or entity type as a person writes it (`location`, `technical-user`). */
export const isType = (value: string): boolean => value.length <= MAX_TYPE_LENGTH && TYPE.test(value);

/** Whether `value` can be a page name or one part of a permission. */
export const isName = (value: string): boolean => value.length <= MAX_NAME_LENGTH && NAME.test(value);

/**
 * Reads `type:id`. Throws `invalid` naming `field` for anything else, so that no unchecked text
 * reaches a key.
 */
export function parseRef(text: string, field: string): Ref {
  if (typeof text !== 'string') throw invalid(field, `${field} is not a text`);
  const colon = text.indexOf(':');
  const type = text.slice(0, Math.max(colon, 0));
  const id = text.slice(colon + 1);
  if (colon < 1 || !isType(type)) throw invalid(field, `${field} is not a reference of the form type:id`);
  if (!isId(id)) throw invalid(field, `${field} holds an id that is not ${ID_FORM}`);
  return { type, id };
}

/** A subject of a registered type has its own type in its id: it is written as that, `device:d1`. */
export const formatRef = ({ type, id }: Ref): string => (type === REGISTERED_SUBJECT ? id : `${type}:${id}`);

/** The type of the nodes of subjects whose type an operator registered. */
export const REGISTERED_SUBJECT = 'subject';

/** The types of the nodes of subjects, in the order of their keys. */
export const SUBJECT_NODES: readonly string[] = [REGISTERED_SUBJECT, 'technical-user', 'user'];

export const isSubjectNode = ({ type }: Pick<Ref, 'type'>): boolean => SUBJECT_NODES.includes(type);

/**
 * The node of a subject. The types `user` and `technical-user` come with the table; any other type is one that an
 * operator registered, which may have the name of a scope type. The subject `device:d1` is therefore the node
 * `subject` with the id `device:d1`, and the scope `device:d1` the node `device` with the id `d1`.
 */
export const subjectNode = (ref: Ref): Ref =>
  isBuiltInSubject(ref.type) ? ref : { type: REGISTERED_SUBJECT, id: `${ref.type}:${ref.id}` };

/** A subject type that comes with the table: what acts for somebody. Its nodes are as those of an added type. */
export const AGENT = 'agent';

export const BUILT_IN_SUBJECTS: readonly string[] = ['user', 'technical-user'];

export const isBuiltInSubject = (type: string): boolean => BUILT_IN_SUBJECTS.includes(type);

/** Reads a reference to a subject, `user:alice` or `device:d1`. Throws `invalid` naming `field`. */
export const parseSubjectRef = (text: string, field: string): Ref => subjectNode(parseRef(text, field));

/** Reads a subject as commands name it: a user by id, any other by reference. */
export const readSubject = (text: string, field: string): Ref =>
  isRef(text) ? parseSubjectRef(text, field) : { type: 'user', id: text };

export const isRef = (text: string): boolean => {
  const colon = text.indexOf(':');
  return colon > 0 && isType(text.slice(0, colon)) && isId(text.slice(colon + 1));
};
