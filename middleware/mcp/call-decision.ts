import { CredentialsError } from '../../authorizer/errors.ts';
import type { Engine, Given, Lists, Question } from '../../engine/index.ts';
import type { VisibleRows } from '../../engine/rows/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { type Authorization, visibleTo } from '../authorization.ts';
import type { Caller } from '../caller.ts';
import { logRefusal, questionOf, reasonOf } from '../guard.ts';
import type { AskedCall } from './allowed-calls.ts';
import type { Refusal } from './refusal.ts';
import { type Arguments, isFixed, propertiesOf, type Rule, scopeOf } from './rules.ts';

/** A use of a mandate with a budget, as `createMandates(…).use` takes it. */
export interface CountedUse {
  /** Its id. */
  readonly mandate: string;
  readonly subject: string;
  readonly actor: string;
  readonly permission: string;
  readonly scope: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Of this call: a use that is repeated with it is counted once. */
  readonly operationId: string;
}

type Use = (use: CountedUse) => Promise<{ readonly allowed: boolean; readonly reason?: string }>;

export interface DecisionOptions {
  readonly engine: Pick<Engine, 'checkAsked' | 'checkManyAsked' | 'decisionLog'>;
  /**
   * Checks and counts a use of a mandate with a budget, before the handler runs: `createMandates(…).use`. Default:
   * such mandates are refused (`budget_uncounted`).
   */
  readonly use?: Use | undefined;
  /**
   * Lists tools and templates whose scope is an argument only for those who may use them at some scope. Default:
   * for every caller who is known.
   */
  readonly lists?: Pick<Lists, 'listScopes'> | undefined;
  /** Lists of rows, for `authorizationOf(extra).visible`. Default: none. */
  readonly visibleRows?: VisibleRows | undefined;
  /** Epoch milliseconds, for `context.time`. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** What may be listed: a rule, and the arguments if they are known. */
export interface Listed {
  readonly rule: Rule | undefined;
  readonly given?: Arguments | undefined;
}

/** Questions of one list that the engine is asked together. */
const AT_ONCE = 500;

/** How calls are decided: on the rule and on the arguments that the handler gets. */
export function createCallDecisions(options: DecisionOptions) {
  const { engine, use, lists, visibleRows, now = Date.now } = options;

  async function decide(
    caller: Caller,
    rule: Rule,
    args: Arguments,
  ): Promise<{ readonly authorization: Authorization; readonly asked: AskedCall } | Refusal> {
    const { permission } = rule;
    const scope = scopeOf(rule, args, caller);
    const action = { properties: propertiesOf(rule, args) };
    const given = givenOf(caller, now(), action);
    const ask = (isCounted?: true) =>
      engine.checkAsked((look): Question | undefined => {
        const asked = questionOf(caller, { permission, scope, given }, look);
        return asked && { ...asked, isCounted };
      });
    const answered = await ask();
    const { subject } = answered.question;
    const reason = reasonOf(answered, scope);
    if (scope === undefined || !answered.decision) {
      logRefusal(engine, { subject, actor: caller.actor, permission, scope, reason });
      return reason;
    }
    let allowed = answered;
    const { actor, claims = {}, credential } = caller;
    if (reason === 'budget_uncounted' && use && actor?.mandate !== undefined) {
      const mandate = actor.mandate.replace(/^mandate:/, '');
      const asked = { subject, actor: actor.subject, permission, scope, ...action };
      const refused = await counted(use, { mandate, ...asked });
      if (refused !== undefined) return refused;
      // It was counted: what allows it, and by which roles. What was taken away meanwhile refuses.
      allowed = await ask(true);
    }
    const { decision, roles } = allowed;
    if (!decision?.allowed || roles === undefined) return reasonOf(allowed, scope);
    const visible = visibleTo(visibleRows, { subject, actor, credential, given });
    const { reason: why } = decision;
    return {
      authorization: { subject, actor, permission, scope, ...roles, reason: why, claims, visible },
      asked: { permission, scope, ...action },
    };
  }

  /** Whether a caller may use each of what is listed, with arguments that are not known yet. */
  async function mayUse(caller: Caller, listed: readonly Listed[]): Promise<readonly boolean[]> {
    const { subject } = await known(engine, caller);
    const given = givenOf(caller, now());
    const may: boolean[] = listed.map(() => false);
    const asked = listed.flatMap(({ rule, given: args }, at) => {
      if (rule === undefined || (args === undefined && !isFixed(rule))) return [];
      return [
        { at, question: { permission: rule.permission, scope: scopeOf(rule, args ?? {}, caller), given } },
      ];
    });
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE);
      const { answers } = await engine.checkManyAsked(
        some.map(
          ({ question }) =>
            (look) =>
              questionOf(caller, question, look),
        ),
        { logAs: 'action search' },
      );
      for (const [position, { decision }] of answers.entries()) {
        const isCounted = decision?.reason === 'budget_uncounted' && use !== undefined;
        // What a condition looks at may be an argument of the call.
        const isAsked = /condition_failed$/.test(decision?.reason ?? '');
        may[some[position]?.at ?? -1] = decision?.allowed === true || isCounted || isAsked;
      }
    }
    for (const [at, { rule, given: args }] of listed.entries())
      if (rule && args === undefined && !isFixed(rule)) may[at] = await somewhere(caller, subject, rule);
    return may;
  }

  async function somewhere(caller: Caller, subject: string, { permission }: Rule): Promise<boolean> {
    if (!lists) return true;
    const page = await lists.listScopes(subject, permission, {
      ...givenOf(caller, now()),
      actor: caller.actor,
      limit: 1,
    });
    return page.items.length > 0;
  }

  return {
    known: (caller: Caller) => known(engine, caller),
    decide,
    refusedNow: (caller: Caller, asked: AskedCall) => refusedNow(engine, caller, asked, now()),
    mayUse,
  };
}

const givenOf = ({ claims }: Caller, at: number, action?: Given['action'] & object): Given => ({
  ...(action && { action }),
  context: { time: new Date(at), claims },
});

/**
 * Why what was allowed is not any more; undefined where it still is. What it took of a budget is counted.
 *
 * @param at epoch milliseconds, for `context.time`
 */
export async function refusedNow(
  engine: Pick<Engine, 'checkAsked'>,
  caller: Caller,
  { permission, scope, properties }: AskedCall,
  at: number,
): Promise<Refusal | undefined> {
  const asked = { permission, scope, given: givenOf(caller, at, { properties }) };
  const answered = await engine.checkAsked((look) => questionOf(caller, asked, look));
  const reason = reasonOf(answered, scope);
  return answered.decision?.allowed || reason === 'budget_uncounted' ? undefined : reason;
}

/** The subject of a caller whose credential is valid, and a name for it with its actor and mandate. */
export async function known(
  engine: Pick<Engine, 'checkAsked'>,
  caller: Caller,
): Promise<{ readonly subject: string; readonly creator: string }> {
  const asked = { permission: undefined, scope: undefined, given: {} };
  const { decision, question } = await engine.checkAsked((look) => questionOf(caller, asked, look));
  const { subject } = question;
  // Without a scope nothing is used up: a mandate that is counted is good here.
  const isRefused = decision !== undefined && decision.reason !== 'budget_uncounted';
  if (isRefused || subject === '') throw new CredentialsError('token_refused');
  const { actor } = caller;
  // What was answered by one mandate is not read by another one.
  return { subject, creator: JSON.stringify([subject, actor?.subject ?? '', actor?.mandate ?? '']) };
}

export type CallDecisions = ReturnType<typeof createCallDecisions>;

/** Counts one use. A fault in between is resolved by the same operation once more. */
async function counted(use: Use, asked: Omit<CountedUse, 'operationId'>): Promise<Refusal | undefined> {
  const once = () => use({ ...asked, operationId });
  const operationId = crypto.randomUUID();
  const { allowed, reason } = await once().catch((error) => {
    if (error instanceof GatehouseError && error.retryable) return once();
    throw error;
  });
  return allowed ? undefined : ((reason ?? 'unavailable') as Refusal);
}
