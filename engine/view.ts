import type {
  BearerFacts,
  GlobalFacts,
  PermissionFacts,
  ScopeFacts,
  SubjectFacts,
} from '../table/decision/facts.ts';
import { SCOPE_TYPES } from '../table/entities/scope-types.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Believed, Hints } from './hints.ts';
import {
  BEARER,
  type CheckedPermission,
  EVERYWHERE,
  type Kind,
  type Need,
  needScope,
  OWNED_EFFECTS,
  ownedId,
  PERMISSION,
  SCOPE,
  SUBJECT,
} from './needs.ts';
import type { Entry } from './store.ts';

/** A scope with all above it, and what holds everywhere. */
export interface Place {
  /** The scope itself, then its ancestors up to the root; null where one is missing. */
  readonly scopes: readonly (ScopeFacts | null)[];
  readonly global: GlobalFacts;
}

/** What a decision looks at, once everything it needs is at hand. Absent things are null. */
export interface View extends Place {
  /** The record of what the subject came with; undefined when that is not asked. */
  readonly bearer?: BearerFacts | null | undefined;
  readonly subject: SubjectFacts | null;
  readonly permission: CheckedPermission | null;
  /** Effects of the roles that the root owns. */
  readonly owned: PermissionFacts | null;
}

export interface Question {
  readonly subject: string;
  readonly scope: string;
  /** Undefined when only the roles in force are asked for. */
  readonly permission: string | undefined;
  /** What the subject comes with, by reference, where that is part of the question. */
  readonly bearer?: string | undefined;
  /** What the asker believes to stand above the scope: read along, and nothing is decided by it. */
  readonly hints?: Believed | undefined;
}

/** Finds by kind and name what is at hand. */
export type Find = <T>(kind: Kind<T>, id: string) => Entry<T> | undefined;

const NOTHING_GLOBAL: GlobalFacts = { roles: new Map(), soldModules: new Set() };

/**
 * Puts a view together from what `find` has, and adds what is missing to `missing`.
 *
 * All keys of a flat scope are known from the question, so they are missed together: one read. The
 * ancestors of a nested scope are known once it is read: a second one, and never a third. With a
 * hint that is right they are missed with all the rest.
 *
 * @param hints looked at only while something is missing, and only for what else may be
 * @returns the view, or undefined when something was missing. Nothing is said of it before it is known to have been true
 *   at some instant: then `whole` looks at it.
 */
export function assemble(
  question: Question,
  find: Find,
  missing: Need<unknown>[],
  hints?: Hints,
): View | undefined {
  const get = <T>(kind: Kind<T>, id: string): T | null => {
    const entry = find(kind, id);
    if (entry !== undefined) return entry.facts;
    const need = kind.needOf(id);
    if (need !== undefined) missing.push(need);
    return null;
  };
  const { permission: text } = question;
  const bearer = question.bearer === undefined ? undefined : get(BEARER, question.bearer);
  const subject = get(SUBJECT, question.subject);
  const before = missing.length;
  const own = get(SCOPE, question.scope);
  const isUnread = missing.length > before;
  const permission = text === undefined ? null : get(PERMISSION, text);
  const everywhere = get(EVERYWHERE, '');
  const global = everywhere ?? NOTHING_GLOBAL;
  const known = missing.length === 0;
  if (!known) {
    const above = own?.ancestors ?? (isUnread ? hints?.recalled(question.scope) : []);
    const along = above ?? hints?.believed(question.hints) ?? [];
    const root = along.at(-1);
    if (text !== undefined) {
      // The scope may turn out to be a root: its own effects come along in the same read.
      if (!above?.length && mayBeRoot(question.scope)) get(OWNED_EFFECTS, ownedId(question.scope, text));
      if (root !== undefined) get(OWNED_EFFECTS, ownedId(root, text));
    }
    for (const scope of along) get(SCOPE, scope);
    return undefined;
  }
  // Without a subject or a scope the answer is known: nothing more is read for it.
  if (own === null || subject === null)
    return { bearer, subject, scopes: [own], permission, owned: null, global };
  const scopes: (ScopeFacts | null)[] = [own];
  for (const ancestor of own.ancestors) scopes.push(get(SCOPE, ancestor));
  const root = own.ancestors.at(-1) ?? own.ref;
  const owned = text === undefined ? null : get(OWNED_EFFECTS, ownedId(root, text));
  if (missing.length > 0) return undefined;
  return { bearer, subject, scopes, permission, owned, global };
}

/**
 * The view, if nothing is absent that must be there. What only allows may be missing: then less is allowed. What may
 * refuse is missed.
 *
 * @throws GatehouseError `damaged_item`
 */
export function whole(view: View, { permission: text }: Question): View {
  const { subject, scopes, permission, owned, global } = view;
  if (!subject || !scopes[0]) return view;
  if (permission?.registered && global === NOTHING_GLOBAL) throw missed('what holds everywhere');
  if (text !== undefined && owned === null && scopes.at(-1)?.denials.has(text))
    throw missed("what a tenant's own roles do to a permission");
  return view;
}

const missed = (what: string): GatehouseError =>
  new GatehouseError('damaged_item', `the decision item of ${what} is missing`);

/** Whether this is a scope of a type that can stand alone; types that are not known here may. */
function mayBeRoot(scope: string): boolean {
  return needScope(scope) !== undefined && (SCOPE_TYPES[scope.slice(0, scope.indexOf(':'))]?.root ?? true);
}
