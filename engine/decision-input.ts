import type { CredentialItem, GlobalItem, ScopeItem, SubjectItem } from '../table/decision/items.ts';
import { MAX_ANCESTORS, SCOPE_TYPES } from '../table/entities/scope-types.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Credential } from './credential.ts';
import {
  type CheckedPermission,
  CREDENTIAL,
  GLOBAL,
  GLOBAL_ID,
  PERMISSION,
  SCOPE,
  SUBJECT,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from './items.ts';
import type { Look } from './load.ts';

/** What is asked of the engine. */
export interface Question {
  /** `user:01J…` */
  readonly subject: string;
  /** `dashboard`, `module:action:resource`; undefined when only the effective roles are asked for. */
  readonly permission: string | undefined;
  /** `location:01J…`; undefined when only the credential is asked about. */
  readonly scope: string | undefined;
  /** What the subject comes with; one that is not good is refused before all else (`credential_refused`). */
  readonly credential?: Credential | undefined;
  /**
   * Scopes that may stand above the one asked about, nearest first, up to the root; no more than can stand there are looked
   * at. Prefetched, never trusted: a wrong one costs the read units of what it names, and nothing else.
   */
  readonly prefetch?: readonly string[] | undefined;
}

/** What a decision looks at: plain values. Absent items are null. */
export interface DecisionInput<Q extends Question = Question> {
  readonly question: Q;
  /** Undefined when the subject comes with none that has a record. */
  readonly credential: CredentialItem | null | undefined;
  readonly subject: SubjectItem | null;
  /** The scope itself, then its ancestors up to the root; null where one is missing. */
  readonly scopes: readonly (ScopeItem | null)[];
  readonly permission: CheckedPermission | null;
  /** What the root's own roles do to the permission. */
  readonly tenantEffects: TenantEffects | null;
  readonly global: GlobalItem;
}

/** What holds everywhere while nothing was ever said of it. */
export const NO_GLOBAL: GlobalItem = { roles: new Map(), soldModules: new Set() };

/**
 * The decision input of a question; undefined while something is missing.
 *
 * All items of a flat scope are known from the question, so they are missed together: one read. The ancestors of a nested
 * scope are known once it is read: a second one. Where the cache had the scope before, or the question names what stands
 * above it, they are prefetched with the first.
 */
export function decisionInput<Q extends Question>(question: Q, look: Look): DecisionInput<Q> | undefined {
  const { permission: name, scope: scopeRef } = question;
  const credential = question.credential && look.item(CREDENTIAL, question.credential.ref);
  const isCredentialMissing = question.credential !== undefined && credential === undefined;
  if (scopeRef === undefined) {
    const nothing = { subject: null, scopes: [], permission: null, tenantEffects: null, global: NO_GLOBAL };
    return isCredentialMissing ? undefined : { question, credential, ...nothing };
  }
  const subject = look.item(SUBJECT, question.subject);
  const scope = look.item(SCOPE, scopeRef);
  const permission = name === undefined ? null : look.item(PERMISSION, name);
  const global = look.item(GLOBAL, GLOBAL_ID);
  if (scope === undefined) prefetchAbove(scopeRef, question, look);
  // Without a subject or a scope the answer is known: nothing more is read for it.
  const isRefused = subject === null || scope === null;
  // What stands above the scope is read together with all else that is missing.
  const scopes = scope === undefined || isRefused ? undefined : scopesFrom(scope, look);
  const tenantEffects =
    !scope || isRefused || name === undefined
      ? null
      : look.item(TENANT_EFFECTS, tenantEffectsId(scope.ancestors.at(-1) ?? scope.ref, name));
  if (scope === undefined || subject === undefined || permission === undefined) return undefined;
  if (global === undefined || isCredentialMissing || tenantEffects === undefined) return undefined;
  if (scopes === undefined && !isRefused) return undefined;
  return {
    question,
    credential,
    subject,
    scopes: scopes ?? [scope],
    permission,
    tenantEffects,
    global: global ?? NO_GLOBAL,
  };
}

/** A scope and its ancestors up to the root; undefined while one is missing. */
function scopesFrom(scope: ScopeItem, look: Look): readonly (ScopeItem | null)[] | undefined {
  const scopes: (ScopeItem | null)[] = [scope];
  for (const ref of scope.ancestors) {
    const ancestor = look.item(SCOPE, ref);
    if (ancestor !== undefined) scopes.push(ancestor);
  }
  return scopes.length > scope.ancestors.length ? scopes : undefined;
}

/** Names what may stand above a scope that is not loaded: what stood there when it was read last, or what the question says. */
function prefetchAbove(scope: string, { permission, prefetch = [] }: Question, look: Look): void {
  const above = look.recall(SCOPE, scope)?.ancestors ?? prefetch.slice(0, MAX_ANCESTORS);
  for (const ref of above) look.prefetch(SCOPE, ref);
  // The scope may turn out to be a root: its own effects are prefetched then.
  const root = above.at(-1) ?? (mayBeRoot(scope) ? scope : undefined);
  if (root !== undefined && permission !== undefined)
    look.prefetch(TENANT_EFFECTS, tenantEffectsId(root, permission));
}

/** Whether this is a scope of a type that can stand alone; types that are not known here may. */
const mayBeRoot = (scope: string): boolean => SCOPE_TYPES[scope.slice(0, scope.indexOf(':'))]?.root ?? true;

/**
 * What only allows may be absent: then less is allowed. What may refuse must not be. To be asked of an input that was true
 * at one instant: before that is known, an item may only seem to be missing.
 *
 * @throws GatehouseError `damaged_item`
 */
export function assertWhole({ question, permission, scopes, tenantEffects, global }: DecisionInput): void {
  if (permission?.registered && global === NO_GLOBAL) throw absent('what holds everywhere');
  const name = question.permission;
  if (name !== undefined && tenantEffects?.isStored === false && scopes.at(-1)?.denials.has(name))
    throw absent("what a tenant's own roles do to a permission");
}

const absent = (what: string): GatehouseError =>
  new GatehouseError('damaged_item', `the decision item of ${what} is missing`);
