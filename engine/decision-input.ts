import {
  type CredentialItem,
  type GlobalItem,
  type ScopeItem,
  type SubjectItem,
  subjectWith,
} from '../table/decision/items.ts';
import { MAX_ANCESTORS, mayBeRoot } from '../table/entities/scope-types.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Actor } from './actor.ts';
import type { Work } from './conditions/work.ts';
import type { Credential } from './credential.ts';
import type { Given } from './given.ts';
import {
  type CheckedPermission,
  CREDENTIAL,
  effectsIdOf,
  GLOBAL,
  GLOBAL_ID,
  GROUP_ROLES,
  groupRolesId,
  MEMBERSHIPS,
  membershipsId,
  PERMISSION,
  SCOPE,
  SUBJECT,
  subjectId,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from './items.ts';
import type { Look } from './load.ts';
import {
  NO_TOKEN_GROUPS,
  prefetchTokenGroups,
  type TokenGroup,
  type TokenGroups,
  tokenGroupsAt,
} from './token-groups.ts';

/** A question to the engine. */
export interface Question {
  /** `user:01J…` */
  readonly subject: string;
  /** `dashboard`, `module:action:resource`; undefined to ask for the effective roles only. */
  readonly permission: string | undefined;
  /** `location:01J…`; undefined to check the credential only. */
  readonly scope: string | undefined;
  /** The subject's credential. An invalid one is refused first (`credential_refused`). */
  readonly credential?: Credential | undefined;
  /**
   * Probable ancestors of the scope, closest first, up to the root; those beyond the maximum depth are
   * ignored. They are prefetched, never trusted: a wrong one costs its read units and nothing else.
   */
  readonly prefetch?: readonly string[] | undefined;
  /** The groups that a verified token of the subject names (ADR 0043). They can allow, and only until it ends. */
  readonly groups?: TokenGroups | undefined;
  /** Who acts for the subject: it is allowed only what the subject, the actor and the mandate are (ADR 0048). */
  readonly actor?: Actor | undefined;
  /** Whether who asks counts the use of a mandate with a budget. Nothing that a caller gives says so. */
  readonly isCounted?: boolean | undefined;
  /** The instant to decide for, in epoch milliseconds, and `context.time` if none is given. Default: now. */
  readonly at?: number | undefined;
  /** What the caller knows of subject, resource, action and context. Only conditions look at it. */
  readonly given?: Given | undefined;
  /** The budget that the conditions of a request share (`createWork`), over several calls. Default: one for each call. */
  readonly work?: Work | undefined;
}

/** The items that a decision evaluates, as plain values. Absent items are null. */
export interface DecisionInput<Q extends Question = Question> {
  readonly question: Q;
  /** Undefined if the question has no credential. */
  readonly credential: CredentialItem | null | undefined;
  /** With what stands apart of it and of these scopes; of one whose groups do, no groups elsewhere. */
  readonly subject: SubjectItem | null;
  /** The scope itself, then its ancestors up to the root; null where one is missing. */
  readonly scopes: readonly (ScopeItem | null)[];
  /** The groups of ours that the question's token names. */
  readonly tokenGroups: readonly TokenGroup[];
  readonly permission: CheckedPermission | null;
  /** The effects of the root's own roles on the permission. */
  readonly tenantEffects: TenantEffects | null;
  readonly global: GlobalItem;
}

/** The global item of a table that has none. */
export const NO_GLOBAL: GlobalItem = { roles: new Map(), soldModules: new Set(), declarations: new Map() };

const NOTHING = {
  subject: null,
  scopes: [],
  tokenGroups: NO_TOKEN_GROUPS,
  permission: null,
  tenantEffects: null,
  global: NO_GLOBAL,
};

/**
 * The decision input of a question; undefined while an item is not loaded.
 *
 * All keys of a flat scope follow from the question: one read. The ancestors of a nested scope follow from
 * the scope's item: a second read. If the cache had the scope before, or the question names probable
 * ancestors, they are prefetched with the first read.
 *
 * The permission and its effects are looked at last, at a scope and for a subject that exist (`Run.spans`).
 */
export function decisionInput<Q extends Question>(question: Q, look: Look): DecisionInput<Q> | undefined {
  const { permission: name, scope: scopeRef } = question;
  const credential = question.credential && look.item(CREDENTIAL, question.credential.ref);
  const isCredentialMissing = question.credential !== undefined && credential === undefined;
  if (scopeRef === undefined) {
    return isCredentialMissing ? undefined : { question, credential, ...NOTHING };
  }
  const subject = look.item(SUBJECT, subjectId(question.subject));
  const scope = look.item(SCOPE, scopeRef);
  const global = look.item(GLOBAL, GLOBAL_ID);
  if (scope === undefined) prefetchAbove(scopeRef, question, look);
  if (subject === undefined || scope === undefined) prefetchApart(scopeRef, question.subject, look);
  // Without a subject or a scope the answer is known: do not read more.
  const isRefused = subject === null || scope === null;
  // Look at the ancestors before returning: they are read together with the other missing items.
  const scopes = scope === undefined || isRefused ? undefined : scopesFrom(scope, look);
  const whole = scope && scopes ? wholeSubject(question.subject, subject, scope, scopes, look) : subject;
  const tokenGroups =
    question.groups === undefined || !scope || !scopes
      ? NO_TOKEN_GROUPS
      : tokenGroupsAt(question.groups, scope, scopes, look);
  const permission = name === undefined ? null : look.item(PERMISSION, name);
  const root = scope?.ancestors.at(-1) ?? scope?.ref;
  const tenantEffects =
    root === undefined || isRefused || name === undefined
      ? null
      : look.item(TENANT_EFFECTS, effectsIdOf(root, name, permission));
  if (scope === undefined || subject === undefined || permission === undefined) return undefined;
  if (global === undefined || isCredentialMissing || tenantEffects === undefined) return undefined;
  if (whole === undefined || tokenGroups === undefined || scopes?.includes(undefined)) return undefined;
  return {
    question,
    credential,
    subject: whole,
    scopes: (scopes as readonly (ScopeItem | null)[] | undefined) ?? [scope],
    tokenGroups,
    permission,
    tenantEffects,
    global: global ?? NO_GLOBAL,
  };
}

/**
 * The subject with what stands apart of it and of the scopes (ADR 0003): its groups on the path, whose keys follow from
 * the subject and the scope, and the roles of those at scopes whose groups stand apart. Undefined while some of it is
 * missing.
 *
 * @param scopes the scope and its ancestors; undefined where one is missing
 */
function wholeSubject(
  ref: string,
  subject: SubjectItem | null | undefined,
  scope: ScopeItem,
  scopes: readonly (ScopeItem | null | undefined)[],
  look: Look,
): SubjectItem | null | undefined {
  if (!subject || (!subject.groupsApart && subject.groupsAt.size === 0)) return subject;
  const parts = new Map<string, readonly string[]>();
  const groupRoles = new Map<string, readonly string[]>();
  let isWhole = true;
  for (const [position, at] of [scope.ref, ...scope.ancestors].entries()) {
    const groups = subject.groupsApart
      ? look.item(MEMBERSHIPS, membershipsId(ref, at))
      : (subject.groupsAt.get(at) ?? NO_GROUPS);
    if (groups === undefined) isWhole = false;
    else if (groups !== null) parts.set(at, groups);
    const item = scopes[position];
    for (const group of groups ?? NO_GROUPS) {
      // That the subject lists them by scope says that the scope's groups stand apart, but for a migration under way.
      if (item === undefined && !subject.groupsApart) look.prefetch(GROUP_ROLES, groupRolesId(group));
      if (!item?.groupsApart) continue;
      const roles = look.item(GROUP_ROLES, groupRolesId(group));
      if (roles === undefined) isWhole = false;
      else groupRoles.set(group, roles ?? NO_GROUPS);
    }
  }
  if (!isWhole) return undefined;
  return subjectWith(subject, subject.groupsApart ? { groupsAt: parts, groupRoles } : { groupRoles });
}

const NO_GROUPS: readonly string[] = [];

/** A scope and its ancestors up to the root; undefined where one is missing. */
function scopesFrom(scope: ScopeItem, look: Look): readonly (ScopeItem | null | undefined)[] {
  // Of its length from the start: an array that grows takes room for 16 more.
  const scopes = new Array<ScopeItem | null | undefined>(1 + scope.ancestors.length);
  scopes[0] = scope;
  for (let above = 1; above < scopes.length; above++)
    scopes[above] = look.item(SCOPE, scope.ancestors[above - 1] as string);
  return scopes;
}

/**
 * Prefetches the probable ancestors of a scope that is not loaded: its last known ones, or those that the
 * question names.
 */
function prefetchAbove(scope: string, { permission, groups, prefetch = [] }: Question, look: Look): void {
  const above = look.recall(SCOPE, scope)?.ancestors ?? prefetch.slice(0, MAX_ANCESTORS);
  for (const ref of above) look.prefetch(SCOPE, ref);
  // The scope may itself be a root, with effects of its own.
  const root = above.at(-1) ?? (mayBeRoot(scope) ? scope : undefined);
  if (root === undefined) return;
  if (permission !== undefined) look.prefetch(TENANT_EFFECTS, tenantEffectsId(root, permission));
  if (groups !== undefined) prefetchTokenGroups(groups, root, [scope, ...above], look);
}

/**
 * Prefetches what stands apart of a subject and of the scopes, as far as it, the path and what stood apart when it was
 * read last are remembered.
 */
function prefetchApart(scope: string, ref: string, look: Look): void {
  const subject = look.recall(SUBJECT, subjectId(ref));
  if (!subject || (!subject.groupsApart && subject.groupsAt.size === 0)) return;
  for (const at of [scope, ...(look.recall(SCOPE, scope)?.ancestors ?? [])]) {
    const part = membershipsId(ref, at);
    if (subject.groupsApart) look.prefetch(MEMBERSHIPS, part);
    const groups = subject.groupsApart ? look.recall(MEMBERSHIPS, part) : subject.groupsAt.get(at);
    if (look.recall(SCOPE, at)?.groupsApart ?? !subject.groupsApart)
      for (const group of groups ?? NO_GROUPS) look.prefetch(GROUP_ROLES, groupRolesId(group));
  }
}

/**
 * Checks that no item is missing that could refuse; a missing item that can only allow is safe. Call it for a
 * coherent input only: items read at different instants can make one look missing.
 *
 * @throws GatehouseError `damaged_item`
 */
export function assertWhole({ question, permission, scopes, tenantEffects, global }: DecisionInput): void {
  if (permission?.registered && global === NO_GLOBAL) throw absent('the global roles and sold modules');
  const name = question.permission;
  if (name !== undefined && tenantEffects?.isStored === false && scopes.at(-1)?.denials.has(name))
    throw absent("the effects of a tenant's own roles on a permission");
}

const absent = (what: string): GatehouseError =>
  new GatehouseError('damaged_item', `the decision item of ${what} is missing`);
