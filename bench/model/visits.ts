import { methodArnOf, restEvent, type Visit } from './events.ts';
import type { TokenSource } from './tokens.ts';
import type { Question, World } from './world.ts';

export const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** The request that a question is asked by. */
export const visitOf = ({ scope, permission }: Question, token: string): Visit => ({
  building: idOf(scope),
  page: permission,
  token,
});

/** One request to the authorizer, also as the JSON that the Lambda runtime gets, and the resource that a policy must name. */
const caseOf = (question: Question, token: string) => {
  const visit = visitOf(question, token);
  const event = restEvent(visit);
  return { question, token, event, text: JSON.stringify(event), arn: methodArnOf(visit) };
};
export type Case = ReturnType<typeof caseOf>;

/** A fresh copy of the event: none of its objects and strings was used before. */
export const renewed = (one: Case): Case => ({ ...one, event: JSON.parse(one.text) });

/** Users whose tokens the authorizer caches. */
const KNOWN_USERS = 200;
const KNOWN = 1_000;

/**
 * Tokens for each algorithm. They are used in turn, and an authorizer caches 16 MB of them, by its estimate
 * 3.5 to 4.7 KB each: a token is evicted before it is used again.
 */
const NEW = 5_000;

export async function createCases(world: World, questions: readonly Question[], source: TokenSource) {
  const users = world.users.slice(0, KNOWN_USERS).map(({ ref }) => ref);
  const tokens = new Map<string, string>();
  for (const ref of users) tokens.set(ref, await source.token(idOf(ref)));
  const allowed = questions.filter((question) => question.allowed && tokens.has(question.subject));
  /** For each caller: cases in any number, each with a token that is not cached. */
  const withNewTokens = async (other: TokenSource) => {
    const unknown: (readonly [Question, string])[] = [];
    for (let n = 0; n < NEW; n++) {
      const question = allowed[n % KNOWN] as Question;
      unknown.push([question, await other.token(idOf(question.subject))]);
    }
    return () => {
      let next = 0;
      return (count: number): readonly Case[] =>
        Array.from({ length: count }, () => {
          const [question, token] = unknown[next++ % NEW] as (typeof unknown)[number];
          return renewed(caseOf(question, token));
        });
    };
  };
  const rest = allowed
    .slice(0, KNOWN)
    .map((question) => caseOf(question, tokens.get(question.subject) ?? ''));
  return { rest, withNewTokens };
}
