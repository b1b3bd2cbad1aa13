import type { jwtVerify } from 'jose';
import type { PolicyAnswer } from '../../authorizer/answer.ts';
import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Engine } from '../../engine/index.ts';
import type { Loop } from '../harness/batches.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { AUDIENCE, ISSUER, type TokenSource } from '../model/tokens.ts';
import type { Case } from '../model/visits.ts';
import type { Question } from '../model/world.ts';

/** Loops that check each answer: of the authorizer, and of its parts alone. */

/** A policy for exactly this request. */
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

/** A request as JSON, and its answer as an object and as JSON: the Lambda runtime parses and writes JSON. */
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
    // A copy: keeping the answers themselves would change how the garbage collector treats later ones.
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

/** Parses and writes the same JSON with nothing in between. */
export const parseAndWrite: Loop<Exchange> = (exchanges) => {
  for (const { request, answer, expected } of exchanges) {
    const { type } = JSON.parse(request) as { type: string };
    if (type !== 'REQUEST' || JSON.stringify(answer) !== expected) throw wrongAnswer('JSON', { request });
  }
  return exchanges.length;
};

/** The handler's question to the engine. */
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

/** jose with the same requirements, and the key in memory. */
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
