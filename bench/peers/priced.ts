import { createHandlerFrom } from '../../authorizer/index.ts';
import { byteLength } from '../../table/bytes.ts';
import { apiRef, edgeKey } from '../../table/keys.ts';
import { processorMs } from '../harness/clocks.ts';
import { countRequests, type Spent } from '../harness/counted.ts';
import { longAgo, openTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { httpEvent } from '../model/events.ts';
import type { GroupWorld, Shape } from '../model/group-world.ts';
import { revisionOf, writeItems } from '../model/table.ts';
import { AUDIENCE, createTokenSource, ISSUER } from '../model/tokens.ts';
import { idOf } from '../model/visits.ts';
import type { Question } from '../model/world.ts';
import { coldTableOf } from './cold.ts';

/** One invocation of the authorizer: its processor time, its requests to DynamoDB, and the bytes that it logs. */
export interface Priced extends Spent {
  readonly processorMs: number;
  readonly logBytes: number;
}

export interface PricedDecision {
  /** With nothing of the decision cached. */
  readonly cold: Priced;
  /** With everything cached. */
  readonly hit: Priced;
  /** With everything but the user cached. */
  readonly newUser: Priced;
}

/** Longer than decision items and routes are cached. */
const EXPIRED_MS = 61_000;
/** Of a token: no run lasts as long on its own clock. */
const YEAR_SECONDS = 31_536_000;

/**
 * The authorizer with the default environment: an event of an HTTP API with an RS256 token in, its answer
 * out. Routes and the issuer's keys are cached, and a token that was verified within five minutes.
 */
export async function createPricedHandler(endpoint: string, shape: Shape, world: GroupWorld) {
  const table = coldTableOf(shape);
  const { client, reader } = openTable(endpoint, table);
  const counter = countRequests(client, () => 0);
  const type = shape === 'flat' ? 'location' : 'building';
  await writeItems(client, table, [
    {
      ...edgeKey(apiRef('default'), { type: 'route', id: 'r1' }),
      id: 'r1',
      method: 'GET',
      path: '/buildings/{building}/pages/{page}',
      permission: '{page}',
      scope: [type, '{building}'].join(':'),
    },
    revisionOf('default', longAgo()),
  ]);
  let now = Date.now();
  /** Waiting advances the clock. */
  const passTime = async (milliseconds: number) => {
    now += milliseconds;
  };
  const issuer = await createTokenSource('RS256', YEAR_SECONDS);
  const eventOf = async ({ subject, permission, scope }: Question, path?: string) => {
    const token = await issuer.token(idOf(subject));
    return httpEvent({ building: idOf(scope), page: permission, token }, path);
  };
  const lines: string[] = [];
  const handler = createHandlerFrom(
    {
      TABLE_NAME: table,
      TOKEN_ISSUER: ISSUER,
      TOKEN_AUDIENCE: AUDIENCE,
      RESULT_CACHE: '{"default":{"ttl":0}}',
      // As the stack sets it.
      METRICS_NAMESPACE: 'gatehouse-dev',
    },
    {
      reader,
      clock: { now: () => now },
      wait: passTime,
      fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
      log: (line) => void lines.push(line),
      writeMetrics: (line) => void lines.push(line),
    },
  );

  async function price(question: Question): Promise<Priced> {
    const event = await eventOf(question);
    counter.reset();
    lines.length = 0;
    const begun = processorMs();
    const answer = (await handler(event)) as { readonly isAuthorized?: boolean };
    const took = processorMs() - begun;
    if (answer.isAuthorized !== question.allowed) throw wrongAnswer('the authorizer', question);
    const logBytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    return { ...counter.spent(), processorMs: took, logBytes };
  }

  /** Lets the cached decision items expire, and loads the routes again. */
  async function expire(question: Question): Promise<void> {
    now += EXPIRED_MS;
    await handler(await eventOf(question, '/nowhere'));
  }

  return async (question: Question): Promise<PricedDecision> => {
    const [first, second] = world.users;
    const subject = (first?.ref === question.subject ? second?.ref : first?.ref) as string;
    const byOther = { ...question, subject };
    await expire(byOther);
    const cold = await price(question);
    const hit = await price(question);
    await expire(byOther);
    await handler(await eventOf(byOther));
    return { cold, hit, newUser: await price(question) };
  };
}
