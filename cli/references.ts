import type { Actor, Reason } from '../engine/index.ts';
import {
  type Candidate,
  closestPath,
  type Found,
  findName,
  oneMeant,
  type Queries,
  suggestName,
  type WantedName,
} from '../provisioning/index.ts';
import { defined } from '../table/defined.ts';
import { type EntityType, isScopeType, type NamedKind } from '../table/entities/registry.ts';
import { mayBeSubjectType, SCOPE_TYPES } from '../table/entities/scope-types.ts';
import { BUILT_IN_SUBJECTS, isBuiltInSubject, isRef, isSafeText } from '../table/identifiers.ts';
import { allOf } from '../table/index-queries.ts';
import { nodeKey, permissionRef } from '../table/keys.ts';
import { readPermissionName } from '../table/permission-name.ts';
import type { Reader } from '../table/reader.ts';
import { hint } from '../table/similar-words.ts';
import { UsageError } from './context.ts';
import { columns, plain } from './print.ts';

/**
 * What a person types for a subject, a scope, a group or a role: a reference, an email, a username, a code, an id, a
 * name, or a path of names (ADR 0023). A reference stays one; everything else is looked up.
 */

/** Where names are looked up: in the table, or through the provisioning function. */
export interface Names {
  readonly find: (wanted: WantedName) => Promise<Found>;
  readonly suggest: (wanted: WantedName) => Promise<string | undefined>;
}

export const namesIn = (reader: Reader): Names => ({
  find: (wanted) => findName(reader, wanted),
  suggest: (wanted) => suggestName(reader, wanted),
});

export const namesThrough = (send: Queries['read']): Names => ({
  find: async (wanted) => (await send('name.find', { ...wanted })) as unknown as Found,
  suggest: async ({ name, kind }) =>
    (await send('name.suggest', { name, kind }))?.meant as string | undefined,
});

/** A name that nothing has, or several have. */
export class NameError extends UsageError {
  override readonly code: 'name_unknown' | 'name_ambiguous';
  /** What it may mean. */
  readonly candidates: readonly Candidate[];
  constructor(code: NameError['code'], message: string, candidates: readonly Candidate[] = []) {
    super(message);
    this.code = code;
    this.candidates = candidates;
  }
}

/** The candidates for people: what to type instead, and which it is. */
export const candidateRows = (candidates: readonly Candidate[]): readonly (readonly string[])[] =>
  candidates.map(({ ref, name, path, email }) => [`  ${ref}`, plain(path ?? name), email ?? '']);

/** What is to be typed, and how messages call it. */
export interface Typed {
  /** As in messages: `SUBJECT`, `--tenant`, `group`. */
  readonly label: string;
  readonly kind: NamedKind;
  readonly type?: string;
  /** Whether an id is meant before any other name. */
  readonly takesIds?: true;
}

const wordOf = (kind: NamedKind): string =>
  kind === 'subject' ? 'user or other subject' : kind.replaceAll('-', ' ');
const MAX_LENGTH = 2_200;
const isName = (text: string): boolean => text.trim() !== '' && text.length <= MAX_LENGTH && isSafeText(text);

export const isSubjectRef = (text: string): boolean => {
  const type = text.slice(0, text.indexOf(':'));
  return isRef(text) && (isBuiltInSubject(type) || mayBeSubjectType(type));
};

/** Whether a text is a reference to something of this kind. */
export function isReference({ kind, type }: Pick<Typed, 'kind' | 'type'>, text: string): boolean {
  if (kind === 'subject') return isSubjectRef(text);
  if (!isRef(text)) return false;
  const given = text.slice(0, text.indexOf(':'));
  return kind === 'scope' ? given === (type ?? given) && isScopeType(given) : given === kind;
}

/** The reference of what a text means. Throws {@link NameError}. */
export type Resolve = (typed: Typed, text: string) => Promise<string>;

export const resolveBy =
  (names: Names): Resolve =>
  async (typed, text) =>
    (await lookUp(names, typed, text)).ref;

/** What a text means. Throws {@link NameError} unless it is one thing, which exists. */
export async function lookUp(names: Names, typed: Typed, text: string): Promise<Candidate> {
  const found = await optionsOf(names, typed, text);
  const one = oneMeant(found, typed.takesIds === true);
  if (one) return one;
  throw ambiguous(typed, text, found);
}

/** Candidates, at least one. Throws {@link NameError} where there is none. */
async function optionsOf(names: Names, typed: Typed, text: string): Promise<Found> {
  const { label, kind, type } = typed;
  if (!isName(text)) throw new NameError('name_unknown', `${label} ${plain(text)} is no name`);
  const wanted = { name: text, ...defined({ kind, type }) };
  const found = await names.find(wanted);
  if (found.candidates.length > 0 || found.more) return found;
  if (isReference(typed, text)) throw unknownReference(label, text);
  const what = type ?? wordOf(kind);
  const head = `${label} ${plain(text)}: no ${what} has this ${text.includes('/') ? 'path' : 'name'}`;
  const [other] = found.elsewhere;
  const slip = closestPath(
    text,
    found.elsewhere.map(({ path, name }) => path ?? name),
  );
  if (other && slip === undefined)
    throw new NameError(
      'name_unknown',
      `${head}; there is ${plain(other.path ?? other.name)} (${other.ref})`,
      found.elsewhere,
    );
  const meant = slip ?? (await names.suggest(wanted));
  throw new NameError(
    'name_unknown',
    meant === undefined ? head : `${head}; did you mean ${plain(meant)}?`,
    found.elsewhere,
  );
}

function ambiguous({ label, kind, type }: Typed, text: string, { candidates, more }: Found): NameError {
  const number = more ? `more than ${candidates.length}` : String(candidates.length);
  const plural =
    type === undefined ? (kind === 'subject' ? 'subjects' : `${wordOf(kind)}s`) : `scopes of type ${type}`;
  return new NameError(
    'name_ambiguous',
    `${label} ${plain(text)}: ${number} ${plural} have this name; give a longer path, or a reference`,
    candidates,
  );
}

const KINDS: readonly NamedKind[] = ['subject', 'scope', 'group', 'role'];

/** What a text means that may be of any kind. Throws {@link NameError}. */
export async function lookUpAny(names: Names, label: string, text: string): Promise<Candidate> {
  const found = await Promise.all(
    KINDS.map((kind) => (isName(text) ? names.find({ name: text, kind }) : undefined)),
  );
  const candidates = found.flatMap((each) => each?.candidates ?? []);
  const [one, ...others] = candidates;
  const more = found.some((each) => each?.more);
  if (one && others.length === 0 && !more) return one;
  if (!one) throw new NameError('name_unknown', `${label} ${plain(text)}: nothing has this name`);
  throw new NameError(
    'name_ambiguous',
    `${label} ${plain(text)}: ${more ? 'more than ' : ''}${candidates.length} have this name; give a reference`,
    candidates,
  );
}

/** A reference as it is, and the reference of what a name means; undefined where nothing is given. */
export async function referenceOf<T extends string | undefined>(
  names: Names,
  typed: Typed,
  text: T,
): Promise<string | Extract<T, undefined>> {
  if (text === undefined) return text as Extract<T, undefined>;
  return isReference(typed, text) ? text : (await lookUp(names, typed, text)).ref;
}

type ArgumentKind = 'subject' | 'permission' | 'scope';

/**
 * The subject, permission or scope that a text means, which exists. Throws {@link NameError}.
 */
export async function existing(reader: Reader, kind: ArgumentKind, text: string): Promise<string> {
  if (kind !== 'permission')
    return (await lookUp(namesIn(reader), { label: kind.toUpperCase(), kind }, text)).ref;
  const name = readPermissionName(text);
  if (name && !(await reader.get(nodeKey(permissionRef(name))))) throw await permissionUnknown(reader, text);
  return text;
}

/** Throws {@link NameError} for a type of scopes or subjects that the table does not have. */
export async function assertType(reader: Reader, of: 'subject' | 'scope', type: string): Promise<void> {
  const known = of === 'scope' ? Object.keys(SCOPE_TYPES) : BUILT_IN_SUBJECTS;
  if (known.includes(type) || (await reader.get(nodeKey({ type: `${of}-type`, id: type })))) return;
  throw new NameError('name_unknown', `there is no ${of} type ${plain(type)}: ${hint(type, known)}`);
}

/**
 * Throws {@link NameError} where a decision says that a part of the question does not exist. It is the rule of the exit
 * codes: what was typed does not exist, so that there is no answer to it.
 *
 * @param asked the parts that were typed, as references
 */
export async function assertAsked(
  reader: Reader,
  reason: Reason,
  asked: { readonly [kind in ArgumentKind]?: string | undefined } & { readonly actor?: Actor | undefined },
): Promise<void> {
  const { subject, permission, scope, actor } = asked;
  if (reason === 'subject_unknown' && subject !== undefined) throw unknownReference('SUBJECT', subject);
  if (reason === 'actor_unknown' && actor) throw unknownReference('--actor', actor.subject);
  if (reason === 'scope_unknown' && scope !== undefined) throw unknownReference('SCOPE', scope);
  if (reason === 'permission_unknown' && permission !== undefined)
    throw await permissionUnknown(reader, permission);
}

const unknownReference = (label: string, text: string): NameError =>
  new NameError('name_unknown', `${label} ${text} does not exist`);

/** The error of a permission that is not registered, with what was probably meant. */
async function permissionUnknown(reader: Reader, text: string): Promise<NameError> {
  const pages = await Promise.all(
    ['page', 'permission'].map((type) => reader.list({ ...allOf(type as EntityType), limit: 1_000 })),
  );
  const known = pages.flatMap(({ items }) => items.map((item) => String(item.name)));
  return new NameError('name_unknown', `there is no permission ${plain(text)}: ${hint(text, known)}`);
}

/** Who and where of a question, and what was typed for them where that is no reference. */
export interface Asked {
  readonly subject: string;
  readonly scope: string;
  readonly subjectName?: string;
  readonly scopeName?: string;
  readonly actor?: Actor;
  readonly actorName?: string;
}

/** Throws {@link NameError}. A reference is taken as it is: the decision says what is missing. */
export async function questionOf(names: Names, subject: string, scope: string): Promise<Asked> {
  const meant = async (typed: Typed, text: string) =>
    isReference(typed, text) ? { ref: text } : lookUp(names, typed, text);
  const [who, where] = (await Promise.all([
    meant({ label: 'SUBJECT', kind: 'subject' }, subject),
    meant({ label: 'SCOPE', kind: 'scope' }, scope),
  ])) as [Partial<Candidate> & { ref: string }, Partial<Candidate> & { ref: string }];
  const [subjectName, scopeName] = [who, where].map(({ path, name }) => path ?? name);
  return {
    subject: who.ref,
    scope: where.ref,
    ...defined({ subjectName, scopeName }),
  };
}

/** The lines that say what names mean; none where references were given. */
export const meantText = ({ subject, scope, actor, subjectName, scopeName, actorName }: Asked): string =>
  columns([
    ...(subjectName === undefined ? [] : [['subject', subject, plain(subjectName)]]),
    ...(actor && actorName !== undefined ? [['actor', actor.subject, plain(actorName)]] : []),
    ...(scopeName === undefined ? [] : [['scope', scope, plain(scopeName)]]),
  ])
    .map((line) => `${line}\n`)
    .join('');
