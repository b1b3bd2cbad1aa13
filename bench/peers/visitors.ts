import type { jwtVerify } from 'jose';
import type { PolicyAnswer, SimpleAnswer } from '../../authorizer/answer.ts';
import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Engine } from '../../engine/index.ts';
import type { Loop } from '../harness/batches.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { AUDIENCE, ISSUER, type TokenSource } from '../model/tokens.ts';
import type { Case } from '../model/visits.ts';
import type { Question } from '../model/world.ts';

/** Loops that ask and look at each answer: of the authorizer, and of what it stands on, alone. */

/** A policy for this very request, and for nothing else. */
function isRight(answer: PolicyAnswer, { question, arn }: Case): boolean {
  const [statement, ...others] = answer.policyDocument.Statement;
  return (
    statement?.Effect === (question.allowed ? 'Allow' : 'Deny') &&
    statement.Resource === arn &&
    answer.principalId === question.subject &&
    others.length === 0
  );
}

const wrong = ({ question }: Case): Error => wrongAnswer('the handler', question);

export const askForPolicy =
  (authorizer: Authorizer): Loop<Case> =>
  async (cases) => {
    for (const one of cases)
      if (!isRight((await authorizer(one.event)) as PolicyAnswer, one)) throw wrong(one);
    return cases.length;
  };

export const askForSimple =
  (authorizer: Authorizer): Loop<Case> =>
  async (cases) => {
    for (const one of cases) {
      const { isAuthorized, context } = (await authorizer(one.event)) as SimpleAnswer;
      const { allowed, subject } = one.question;
      if (isAuthorized !== allowed || context.subject !== subject) throw wrong(one);
    }
    return cases.length;
  };

/** The policy is the caller's own, and for all of the API. */
export const askForWhole =
  (authorizer: Authorizer): Loop<Case> =>
  async (cases) => {
    for (const one of cases) {
      const { principalId, context } = (await authorizer(one.event)) as PolicyAnswer;
      if (principalId !== one.question.subject || context.coverage !== 'api') throw wrong(one);
    }
    return cases.length;
  };

/** Refused by nothing but the one message that becomes 401. */
export const askInVain =
  (authorizer: Authorizer): Loop<Case> =>
  async (cases) => {
    for (const one of cases) {
      const said = await authorizer(one.event).then(
        () => 'an answer',
        (error: Error) => error.message,
      );
      if (said !== 'Unauthorized') throw wrong(one);
    }
    return cases.length;
  };

/** A request and its answer as text: what the Lambda runtime makes of both. */
export interface Exchange {
  readonly request: string;
  readonly answer: object;
  readonly expected: string;
}

export async function exchangesOf(authorizer: Authorizer, cases: readonly Case[]) {
  const exchanges: Exchange[] = [];
  for (const one of cases) {
    const answer = (await authorizer(one.event)) as PolicyAnswer;
    if (!isRight(answer, one)) throw wrong(one);
    const expected = JSON.stringify(answer);
    // A copy: kept themselves, answers would look long-lived, and each later one be made among old objects.
    exchanges.push({ request: one.text, answer: JSON.parse(expected), expected });
  }
  return exchanges;
}

export const askInText =
  (authorizer: Authorizer): Loop<Exchange> =>
  async (exchanges) => {
    for (const exchange of exchanges)
      if (JSON.stringify(await authorizer(JSON.parse(exchange.request))) !== exchange.expected)
        throw wrongAnswer('the handler', exchange);
    return exchanges.length;
  };

/** The same texts parsed and written, with nothing in between. */
export const parseAndWrite: Loop<Exchange> = (exchanges) => {
  for (const { request, answer, expected } of exchanges) {
    const { type } = JSON.parse(request) as { type: string };
    if (type !== 'REQUEST' || JSON.stringify(answer) !== expected) throw wrongAnswer('JSON', { request });
  }
  return exchanges.length;
};

/** What the handler asks the engine about such a request. */
export const askEngine =
  (engine: Engine): Loop<Question> =>
  async (questions) => {
    for (const { subject, permission, scope, allowed } of questions) {
      const { decision, roles } = await engine.checkWithRoles(subject, permission, scope);
      if (decision.allowed !== allowed || (roles === undefined) === allowed)
        throw wrongAnswer('the engine', { subject, permission, scope });
    }
    return questions.length;
  };

/** jose with all that is asked of a token, and the key at hand. */
export const verifyAlone =
  (verify: typeof jwtVerify, { alg, publicKey }: TokenSource): Loop<Case> =>
  async (cases) => {
    for (const { token, question } of cases) {
      const { payload } = await verify(token, publicKey, {
        algorithms: [alg],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp'],
      });
      if (`user:${payload.sub}` !== question.subject) throw wrongAnswer('jose', question);
    }
    return cases.length;
  };
