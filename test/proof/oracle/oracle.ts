import type { Actor, Decision } from '../../../engine/index.ts';
import type { Model, Question } from './model.ts';
import { variablesOf } from './variables.ts';

/** What a condition comes to; `unknown`: it cannot be evaluated. */
export type Outcome = 'true' | 'false' | 'unknown';

/** Evaluates a condition. */
export type OutcomeOf = (expression: string, variables: ReturnType<typeof variablesOf>) => Outcome;

/** For models without conditions. */
const noConditions: OutcomeOf = (expression) => {
  throw new Error(`nobody was given to evaluate the condition ${expression}`);
};

/**
 * SPEC sections 2 and 8 over a plain model, step by step in their order and their words, written only to be
 * obviously right. It shares no code with the engine or the table.
 *
 * @param outcomeOf is asked for every condition of the roles in force on the permission
 */
export function judge(model: Model, question: Question, outcomeOf: OutcomeOf = noConditions): Decision {
  const own = judgeAlone(model, question, outcomeOf);
  const { actor, subject, at } = question;
  if (!actor) return own;
  // ADR 0048. All three are looked at, so that it is known which conditions they look at.
  const ofActor = judgeAlone(model, ofActorAlone(question, actor), outcomeOf);
  const refusal = mandateRefusal(model, question, actor, outcomeOf);
  const deny = (reason: string): Decision => ({ allowed: false, reason: reason as Decision['reason'] });

  if (actor.until !== undefined && at >= actor.until) return deny('credential_refused');
  if (actor.hash !== undefined) {
    const isGood = model.mandates.some(
      (each) =>
        `mandate:${each.id}` === actor.mandate &&
        each.subject === subject &&
        each.actor === actor.subject &&
        each.hash === actor.hash &&
        each.active &&
        at < each.endsAt,
    );
    if (!isGood) return deny('credential_refused');
  }
  if (!own.allowed) return own;
  if (!ofActor.allowed) return deny(`actor_${ofActor.reason.replace('subject_', '')}`);
  return refusal === undefined ? own : deny(refusal);
}

/** The question that the actor would ask for itself: what is known of the subject is not its own. */
export function ofActorAlone({ permission, scope, at, isNow, given }: Question, actor: Actor): Question {
  const { claims: _, ...context } = given?.context ?? {};
  const own = given && { resource: given.resource, action: given.action, context };
  return { subject: actor.subject, permission, scope, at, isNow, given: own };
}

function mandateRefusal(
  model: Model,
  question: Question,
  actor: Actor,
  outcomeOf: OutcomeOf,
): string | undefined {
  const { subject, permission, scope, at } = question;
  if (actor.mandate === undefined) {
    const isFree = model.subjects.some(
      ({ ref, mandateOptional }) => ref === actor.subject && mandateOptional,
    );
    return actor.subject.startsWith('agent:') && !isFree ? 'mandate_required' : undefined;
  }
  const mandate = model.mandates.find(({ id }) => `mandate:${id}` === actor.mandate);
  if (!mandate || mandate.subject !== subject || mandate.actor !== actor.subject) return 'mandate_unknown';
  const outcome = mandate.when === undefined ? 'true' : outcomeOf(mandate.when, variablesOf(model, question));
  if (!mandate.active) return 'mandate_inactive';
  if (at >= mandate.endsAt) return 'mandate_ended';
  if (!mandate.permissions.some((on) => covers(on, permission))) return 'mandate_permission';
  const path = pathOf(model, scope) ?? [];
  if (!path.some(({ ref }) => mandate.scopes.includes(ref))) return 'mandate_scope';
  if (outcome !== 'true') return 'mandate_condition_failed';
  return mandate.counted ? 'budget_uncounted' : undefined;
}

/** Without an actor. */
function judgeAlone(model: Model, question: Question, outcomeOf: OutcomeOf): Decision {
  const { subject, permission, scope, at } = question;
  const deny = (reason: Decision['reason']): Decision => ({ allowed: false, reason });

  // 1. The subject exists and is active at `at` (status, end date).
  const who = model.subjects.find(({ ref }) => ref === subject);
  if (!who) return deny('subject_unknown');
  if (who.status !== 'active') return deny('subject_inactive');
  if (at >= who.endsAt) return deny('subject_ended');

  // 2. The scope exists, and it and all its ancestors are active: the first that is not, upwards, is the reason.
  const path: Scope[] = [];
  for (let ref: string | undefined = scope; ref !== undefined; ref = path.at(-1)?.parent) {
    const place = model.scopes.find((each) => each.ref === ref);
    if (!place) return deny('scope_unknown');
    if (place.status !== 'active') return deny('scope_inactive');
    path.push(place);
  }
  const isOnPath = (ref: string) => path.some((each) => each.ref === ref);
  const root = path[path.length - 1] as Scope;

  // 3. The permission is registered.
  const checked = model.permissions.find(({ name }) => name === permission);
  if (!checked) return deny('permission_unknown');

  // 4. A global admin is allowed.
  if (model.admins.includes(subject)) return { allowed: true, reason: 'admin' };

  // 5. Entitlement: a subscription at the scope or an ancestor; a workstream needs a licence.
  const isWithin = ({ from, until }: { from: number; until: number }) => from <= at && at < until;
  const module = permission.includes(':') ? permission.split(':')[0] : checked.module;
  if (model.modules.some(({ name, sold }) => name === module && sold)) {
    const isPaid = model.subscriptions.some(
      (each) =>
        each.module === module &&
        isOnPath(each.scope) &&
        (each.status === 'active' || each.status === 'trial') &&
        isWithin(each),
    );
    if (!isPaid) return deny('not_subscribed');
  }
  for (const { enterprise } of path) {
    if (enterprise === undefined) continue;
    const isLicensed = model.licences.some(
      (each) =>
        each.enterprise === enterprise &&
        isOnPath(each.account) &&
        each.status === 'active' &&
        isWithin(each),
    );
    if (!isLicensed) return deny('not_licensed');
  }

  // 6. Roles in force.
  const inForce = rolesInForce(model, question, path);

  // 7. Effects of those roles on the permission, exact and by wildcard, and the outcomes of their conditions.
  let variables: ReturnType<typeof variablesOf> | undefined;
  const outcomeIn = (when: string): Outcome => {
    variables ??= variablesOf(model, question);
    return outcomeOf(when, variables);
  };
  const effects = model.effects
    .filter(({ role, on }) => inForce.includes(role) && covers(on, permission))
    .map(({ effect, when }) => ({ effect, outcome: when === undefined ? 'true' : outcomeIn(when) }));
  // "One that cannot be evaluated does not count as an ALLOW and does count as a DENY."
  const counted = effects.filter(
    ({ effect, outcome }) => outcome === 'true' || (outcome === 'unknown' && effect === 'DENY'),
  );
  // As if each of those had come to what is best for the subject.
  const hoped = effects.filter(
    ({ effect, outcome }) => outcome === 'true' || (outcome === 'unknown' && effect === 'ALLOW'),
  );

  // 8. and 9. Combination, and nothing found.
  const combined = (some: readonly { readonly effect: string }[]): Decision => {
    const isAllowed = some.some(({ effect }) => effect === 'ALLOW');
    const isDenied = some.some(({ effect }) => effect === 'DENY');
    if (isDenied && (root.combination === 'deny-overrides' || !isAllowed)) return deny('denied_by_role');
    return isAllowed ? { allowed: true, reason: 'role' } : deny('no_grant');
  };
  const decision = combined(counted);
  // "The reason is condition_failed only where the answer would have been another had it been evaluated."
  return !decision.allowed && combined(hoped).allowed ? deny('condition_failed') : decision;
}

/**
 * The root of the scope and the roles in force there, in order. Whether subject and scope are
 * active does not matter; undefined when there is no such one.
 */
export function rolesAt(model: Model, question: Omit<Question, 'permission'>) {
  const { subject, scope } = question;
  const path = pathOf(model, scope);
  if (!path || !model.subjects.some(({ ref }) => ref === subject)) return undefined;
  return { tenant: path[path.length - 1]?.ref, roles: rolesInForce(model, question, path).sort() };
}

type Scope = Model['scopes'][number];

/** The scope and all above it; undefined when one of them is missing. */
function pathOf(model: Model, scope: string): readonly Scope[] | undefined {
  const place = model.scopes.find(({ ref }) => ref === scope);
  if (!place) return undefined;
  const path = [place];
  for (let top = place; top.parent !== undefined; ) {
    const above = model.scopes.find(({ ref }) => ref === top.parent);
    if (!above) return undefined;
    path.push(above);
    top = above;
  }
  return path;
}

function rolesInForce(
  model: Model,
  { subject, at, groups }: Omit<Question, 'permission'>,
  path: readonly Scope[],
): string[] {
  const isOnPath = (ref: string) => path.some((each) => each.ref === ref);
  const isWithin = ({ from, until }: { from: number; until: number }) => from <= at && at < until;
  const root = path[path.length - 1] as Scope;
  const granted: string[] = [];
  for (const { id, scope: where, everyone } of model.groups) {
    if (!isOnPath(where)) continue;
    const isMember = model.memberships.some((each) => each.group === id && each.subject === subject);
    // SPEC section 16: in the roots that name its issuer, while the token lives.
    const isNamed = model.externalGroups.some(
      (each) =>
        each.group === id &&
        each.root === root.ref &&
        each.issuer === groups?.issuer &&
        groups.ids.includes(each.name) &&
        at < groups.until,
    );
    if (!everyone && !isMember && !isNamed) continue;
    for (const { group, role } of model.groupRoles) if (group === id) granted.push(role);
  }
  for (const each of model.assignments) {
    if (each.subject === subject && isOnPath(each.scope) && isWithin(each)) granted.push(each.role);
  }
  for (const each of model.grants) {
    if (each.subject === subject && each.root === root.ref) granted.push(...each.roles);
  }
  for (const each of model.globalRoles) if (each.subject === subject) granted.push(each.role);
  const inForce: string[] = [];
  for (const first of granted) {
    for (let next: string | undefined = first; next !== undefined && !inForce.includes(next); ) {
      const id: string = next;
      const role = model.roles.find((each) => each.id === id);
      const counts = role && (role.scope === 'global' || role.scope === 'tenant' || role.scope === root.ref);
      if (!counts) break;
      inForce.push(id);
      next = role.parent;
    }
  }
  return inForce;
}

/** `*` for action or resource, or for all three; all three cover pages as well. */
function covers(on: string, permission: string): boolean {
  if (on === permission || on === '*:*:*') return true;
  const [wanted, given] = [on.split(':'), permission.split(':')];
  if (wanted.length !== 3 || given.length !== 3 || wanted[0] !== given[0]) return false;
  return [1, 2].every((part) => wanted[part] === '*' || wanted[part] === given[part]);
}
