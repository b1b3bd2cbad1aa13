import { createHandlerFrom } from '../../authorizer/index.ts';
import { byteLength } from '../../table/bytes.ts';
import { processorMs } from '../harness/clocks.ts';
import { countRequests, type Spent } from '../harness/counted.ts';
import { openTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { httpEvent } from '../model/events.ts';
import { answerKeys, createTokenSource, TOKEN_ENVIRONMENT } from '../model/tokens.ts';
import { idOf, visitOf } from '../model/visits.ts';
import { isAllowed, type Question, type World } from '../model/world.ts';
import { createTableFor } from './authorizer.ts';

/** One invocation of the authorizer: its processor time, its requests to DynamoDB, and the bytes that it logs. */
export interface Priced extends Spent {
  readonly processorMs: number;
  readonly logBytes: number;
}

/** Longer than decision items and routes are cached. */
const EXPIRED_MS = 61_000;
/** Of a token: no run lasts as long on its own clock. */
const YEAR_SECONDS = 31_536_000;

/**
 * The authorizer with the default environment: an event of an HTTP API with an RS256 token in, its answer
 * out. Routes and the issuer's keys are cached, and a token that was verified within five minutes.
 */
export async function createPricedHandler(endpoint: string, table: string, world: World) {
  await createTableFor(world, endpoint, table);
  const { client, reader } = openTable(endpoint, table);
  const counter = countRequests(client, () => 0);
  let now = Date.now();
  const issuer = await createTokenSource('RS256', YEAR_SECONDS);
  const lines: string[] = [];
  const handler = createHandlerFrom(
    {
      ...TOKEN_ENVIRONMENT,
      TABLE_NAME: table,
      // As the stack sets it.
      METRICS_NAMESPACE: 'gatehouse-dev',
    },
    {
      reader,
      clock: { now: () => now },
      // Waiting advances the clock.
      wait: async (milliseconds) => {
        now += milliseconds;
      },
      fetch: answerKeys(issuer),
      log: (line) => void lines.push(line),
      writeMetrics: (line) => void lines.push(line),
    },
  );

  async function price(question: Question, path?: string): Promise<Priced> {
    const event = httpEvent(visitOf(question, await issuer.token(idOf(question.subject))), path);
    counter.reset();
    lines.length = 0;
    const begun = processorMs();
    const answer = (await handler(event)) as { readonly isAuthorized?: boolean };
    const took = processorMs() - begun;
    if (path === undefined && answer.isAuthorized !== question.allowed)
      throw wrongAnswer('the authorizer', question);
    const logBytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    return { ...counter.spent(), processorMs: took, logBytes };
  }

  /** With nothing of the decision cached, with everything, and with everything but the user. */
  return async (question: Question) => {
    const subject = world.users.find(({ ref }) => ref !== question.subject)?.ref as string;
    const allowed = isAllowed(world, subject, question.permission, question.scope);
    const byOther = { ...question, subject, allowed };
    /** Lets the cached decision items expire, and loads the routes again. */
    const expire = async (): Promise<unknown> => {
      now += EXPIRED_MS;
      return price(byOther, '/nowhere');
    };
    await expire();
    const cold = await price(question);
    const hit = await price(question);
    await expire();
    await price(byOther);
    return { cold, hit, newUser: await price(question) };
  };
}
