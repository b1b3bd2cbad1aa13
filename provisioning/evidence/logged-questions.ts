import type { Actor } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { limitExceeded } from '../../table/errors.ts';
import { byText } from '../canonical.ts';
import { actorIn, type DecisionRecord } from './log-lines.ts';

/** How many decisions, by the lines that were read and by the share with which such lines are written. */
export interface Counted {
  readonly lines: number;
  /** Not whole where lines are sampled. */
  readonly estimated: number;
}

export const NONE: Counted = { lines: 0, estimated: 0 };

export const plus = (a: Counted, b: Counted): Counted => ({
  lines: a.lines + b.lines,
  estimated: a.estimated + b.estimated,
});

/** What was asked. References may be as a log has them, with a pseudonym for an id. */
export interface AskedInLog {
  readonly subject: string;
  /** Who acted for the subject, and by which mandate. */
  readonly actor?: Actor | undefined;
  readonly permission: string;
  readonly scope: string;
}

/** A question that a log has answers to, once for all of them. */
export interface LoggedQuestion extends AskedInLog {
  readonly allowed: Counted;
  readonly refused: Counted;
}

/** What a log asks. */
export interface LoggedQuestions {
  readonly questions: readonly LoggedQuestion[];
  /** Lines about no permission of a known subject at a known scope: no route, no credential, a search. */
  readonly others: number;
  /** Lines about another instant than their own. */
  readonly ofInstants: Counted;
}

/** So many differ at most: they are in memory together. */
const MAX_QUESTIONS = 500_000;

type Asked = Pick<
  DecisionRecord,
  'rate' | 'subject' | 'actor' | 'mandate' | 'permission' | 'scope' | 'allowed' | 'reason' | 'askedFor'
>;

/** Groups decisions by what was asked. */
export function createLoggedQuestions(most = MAX_QUESTIONS) {
  const found = new Map<string, { -readonly [name in keyof LoggedQuestion]: LoggedQuestion[name] }>();
  let others = 0;
  let ofInstants = NONE;
  return {
    /** @throws GatehouseError `limit_exceeded` for more questions than `most` */
    add: ({ rate, subject, actor, mandate, permission, scope, allowed, reason, askedFor }: Asked): void => {
      const isQuestion = subject !== undefined && permission !== undefined && scope !== undefined;
      // Which credential was shown, no log says.
      if (!isQuestion || reason === 'credential_refused') {
        others += 1;
        return;
      }
      const one = { lines: 1, estimated: 1 / rate };
      if (askedFor !== undefined) {
        ofInstants = plus(ofInstants, one);
        return;
      }
      const name = `${subject} ${permission} ${scope} ${actor ?? ''} ${mandate ?? ''}`;
      let question = found.get(name);
      if (!question) {
        if (found.size >= most)
          throw limitExceeded(
            `the log asks more than ${most} different questions: give fewer days, or the log of one tenant or API`,
          );
        question = {
          subject,
          permission,
          scope,
          ...defined({ actor: actorIn({ actor, mandate }) }),
          allowed: NONE,
          refused: NONE,
        };
        found.set(name, question);
      }
      if (allowed) question.allowed = plus(question.allowed, one);
      else question.refused = plus(question.refused, one);
    },
    all: (): LoggedQuestions => ({
      // What is decided together shares its reads.
      questions: [...found.values()].sort((a, b) => byText(a.scope, b.scope) || byText(a.subject, b.subject)),
      others,
      ofInstants,
    }),
  };
}
