import type { QuestionKind, Rests } from '../table/decision-line.ts';
import type { Actor } from './actor.ts';
import type { Decided } from './decided.ts';
import { usesOf } from './deciding.ts';
import type { Question } from './decision-input.ts';

/** A decision as it was answered. What is not known is undefined. */
export interface LoggedDecision {
  readonly kind: QuestionKind;
  readonly requestId?: string | undefined;
  /** A reference, as the scope and the tenant. */
  readonly subject?: string | undefined;
  /** Who acted for the subject. */
  readonly actor?: Actor | undefined;
  readonly permission?: string | undefined;
  readonly scope?: string | undefined;
  readonly allowed: boolean;
  readonly reason: string;
  readonly tenant?: string | undefined;
  readonly route?: string | undefined;
  /** The instant that was asked about, in epoch milliseconds; undefined for that of the decision. */
  readonly at?: number | undefined;
  /** Undefined where it rests on the table alone. */
  readonly rests?: readonly Rests[] | undefined;
}

export type LogDecision = (decision: LoggedDecision) => void;

/** Where decisions are logged: `createDecisionLog` makes one. What it throws is dropped. */
export interface DecisionLog {
  readonly log: LogDecision;
  /** Call it at the end of an invocation on Lambda, before the answer, and at the end of a process. */
  readonly end: () => void;
}

/** Logs what was decided in one call. */
type LogDecided = (decided: readonly Decided<Question>[]) => void;

/** As what decisions of one call are logged: each by itself, rows by their scope, a search in one line. */
export type LogAs = 'check' | 'rows' | 'subject search' | 'resource search' | 'action search';

/** How an engine logs what it decides. A refused credential is no decision. */
export function createEngineLog({ log }: DecisionLog): Readonly<Record<LogAs, LogDecided>> {
  const logging =
    (
      kind: 'check' | 'rows' | 'search',
      linesOf: (all: readonly LoggedDecision[]) => readonly LoggedDecision[],
    ) =>
    (decided: readonly Decided<Question>[]): void => {
      try {
        for (const line of linesOf(decided.flatMap((each) => loggedOf(each, kind)))) log(line);
      } catch {}
    };
  return {
    check: logging('check', (all) => all),
    rows: logging('rows', eachScope),
    'subject search': logging('search', (all) => searched(all, 'subject')),
    'resource search': logging('search', (all) => searched(all, 'scope')),
    'action search': logging('search', (all) => searched(all, 'permission')),
  };
}

/** What was decided on one question; nothing without a decision. */
export function loggedOf(decided: Decided<Question>, kind: QuestionKind): readonly LoggedDecision[] {
  const { question, decision, made } = decided;
  if (decision === undefined || decision.reason === 'credential_refused') return [];
  const { subject, actor, permission, scope, groups, at } = question;
  const { allowed, reason } = decision;
  const rests = restsOf(usesOf(decided), groups !== undefined);
  return [{ kind, subject, actor, permission, scope, allowed, reason, tenant: made?.tenant, at, rests }];
}

/**
 * @param uses what the conditions that decided look at beside what the table keeps
 * @param hasGroups whether groups of a token could count
 */
export function restsOf(uses: readonly string[], hasGroups: boolean): readonly Rests[] | undefined {
  if (uses.length === 0 && !hasGroups) return undefined;
  const ofClaims = uses.filter((use) => /^context\.claims\b/.test(use));
  const isOfToken = hasGroups || ofClaims.length > 0;
  return [
    ...(uses.length > ofClaims.length ? ['properties' as const] : []),
    ...(isOfToken ? ['token' as const] : []),
  ];
}

/** Of each scope a decision that allows, if there is one. */
function eachScope(all: readonly LoggedDecision[]): readonly LoggedDecision[] {
  const byScope = new Map<string | undefined, LoggedDecision>();
  for (const each of all) if (!byScope.get(each.scope)?.allowed) byScope.set(each.scope, each);
  return [...byScope.values()];
}

/** What candidates of a search have in common, and whether one was found. */
function searched(
  [first, ...others]: readonly LoggedDecision[],
  what: 'subject' | 'permission' | 'scope',
): readonly LoggedDecision[] {
  if (first === undefined) return [];
  const all = [first, ...others];
  const allowed = all.some((each) => each.allowed);
  const reason = allowed ? 'found' : 'nothing_found';
  const tenant = others.every((each) => each.tenant === first.tenant) ? first.tenant : undefined;
  const rests = all.find((each) => each.rests)?.rests;
  return [{ ...first, [what]: undefined, allowed, reason, tenant, rests }];
}
