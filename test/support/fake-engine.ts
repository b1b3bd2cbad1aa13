import type { RouteRule } from '../../authorizer/index.ts';
import type { Decision, Engine, Look, Question, TenantRoles } from '../../engine/index.ts';

type CheckAsked = Engine['checkAsked'];

/** What a fake engine answers with, and what it knows. */
export interface FakeEngineOptions {
  readonly decide?: (question: Question, options: Parameters<CheckAsked>[1]) => Promise<Decision>;
  /** The routes of every API. */
  readonly rules?: readonly RouteRule[];
}

export const TENANT = 'tenant:01J8Z3Q3TQ6T0C9J2W0G7N2B6V';
const ROLES = ['01J8X2W3Y4Z5A6B7C8D9E0F1R1', '01J8X2W3Y4Z5A6B7C8D9E0F1R2'];

export const ALLOWED: Decision = { allowed: true, reason: 'role' };
export const NO_GRANT: Decision = { allowed: false, reason: 'no_grant' };

/** A table that has the routes of an API and no other item. */
export const lookAt = (rulesOf: () => readonly RouteRule[]) =>
  ({
    item: (_: unknown, id: string) => (id.startsWith('api:') ? rulesOf() : null),
    prefetch: () => {},
    recall: () => undefined,
  }) as Look;

/** An engine that says yes to everything unless it is told otherwise, and notes what it was asked. */
export function createFakeEngine({ decide = async () => ALLOWED, rules = [] }: FakeEngineOptions = {}) {
  const asked: string[] = [];
  const checkAsked: CheckAsked = async (ask, options) => {
    const question = ask(lookAt(() => rules));
    if (question === undefined) throw new Error('the question never followed from what the engine has');
    const { subject, permission, scope } = question;
    if (scope === undefined)
      return { question, decision: undefined, tenant: undefined, roles: undefined, uses: [] };
    asked.push(`${subject} ${permission} ${scope}`);
    const decision = await decide(question, options);
    const roles: TenantRoles | undefined = decision.allowed ? { tenant: TENANT, roles: ROLES } : undefined;
    return { question, decision, tenant: TENANT, roles, uses: [] };
  };
  return { engine: { checkAsked }, asked };
}
