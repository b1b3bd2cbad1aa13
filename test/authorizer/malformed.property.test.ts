import { describe, expect, it } from 'vitest';
import { createAuthorizer } from '../../authorizer/index.ts';
import { isId } from '../../table/identifiers.ts';
import { createFakeEngine } from '../support/fake-engine.ts';
import * as fc from '../support/fast-check.ts';
import { NO_LOG } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import { answerOf } from './served.ts';
import {
  ALICE,
  appSyncEvent,
  createIssuer,
  httpEvent,
  httpV1Event,
  identifyByIssuer,
  NO_API,
  NOW,
  restRequestEvent,
  restTokenEvent,
  rule,
  webSocketEvent,
} from './support.ts';

const PATH = '/locations/L1/pages';
const RULES = [
  rule('only', 'GET', '/locations/{id}/pages'),
  rule('socket', 'CONNECT', '/$connect', 'page', 'location:{query:at}'),
  rule('graph', 'GRAPHQL', '/', 'page', 'location:{header:x-at}'),
];

const issuer = await createIssuer();
const credentials = `Bearer ${await issuer.token()}`;
const clock = createClock();
const authorizer = createAuthorizer({
  ...NO_API,
  identify: identifyByIssuer(issuer, clock),
  subjectOf: () => `user:${ALICE}`,
  // It says yes to everything: whatever is let through here, only the authorizer can have let through.
  engine: createFakeEngine({ rules: RULES }).engine,
  log: NO_LOG,
  httpAnswer: 'simple',
  outsideKey: () => [],
  now: () => NOW,
});

type Outcome = 'allow' | 'deny' | 'Unauthorized' | 'Internal error';

async function outcomeOf(event: unknown): Promise<Outcome> {
  const { said, coverage } = await answerOf(authorizer, event);
  return coverage === undefined || said === 'allow' ? (said as Outcome) : 'deny';
}

/** A good event of each kind, and the fields on which the decision stands. */
const KINDS = {
  http: {
    event: () => httpEvent('GET', PATH, { authorization: credentials }, 'prod'),
    essential: [
      ...['type', 'version', 'routeArn', 'rawPath', 'requestContext', 'requestContext.stage'],
      ...['requestContext.http', 'requestContext.http.method', 'headers', 'headers.authorization'],
    ],
  },
  request: {
    event: () => restRequestEvent('GET', PATH, { Authorization: [credentials] }),
    essential: ['type', 'methodArn'],
  },
  token: {
    event: () => restTokenEvent('GET', PATH, credentials),
    essential: ['type', 'methodArn', 'authorizationToken'],
  },
  http10: {
    event: () => httpV1Event('GET', PATH, { Authorization: credentials }),
    // Without its version it is one of REST, with the same ARN and the same answer.
    essential: ['type', 'methodArn', 'headers', 'headers.Authorization'],
  },
  websocket: {
    event: () => webSocketEvent({ Authorization: [credentials] }, { at: ['L1'] }),
    essential: [
      ...['type', 'methodArn', 'multiValueHeaders', 'multiValueHeaders.Authorization'],
      ...['headers.Authorization', 'multiValueQueryStringParameters.at', 'queryStringParameters.at'],
      ...['requestContext', 'requestContext.eventType', 'requestContext.routeKey'],
      ...['requestContext.connectionId'],
    ],
  },
  appsync: {
    event: () => appSyncEvent(credentials, { 'X-At': 'L1' }),
    essential: ['authorizationToken', 'requestContext', 'requestHeaders', 'requestHeaders.X-At'],
  },
} as const;

/** The event with what stands at a dotted path replaced. */
function replaced(event: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const fields = (event ?? {}) as Record<string, unknown>;
  return { ...fields, [name]: rest.length > 0 ? replaced(fields[name], rest.join('.'), value) : value };
}

/** Wrong in type, or right in type and almost right. */
const wrong = fc.oneof(
  fc.anything(),
  fc.constantFrom(
    undefined,
    null,
    '',
    '/',
    `${PATH}/`,
    `/${PATH}`,
    'POST',
    'ANY',
    '*',
    '$default',
    'REQUEST',
    'TOKEN',
    '1.0',
    'arn:aws:execute-api:eu-central-1:1:api/prod/GET/other',
    'arn:aws:execute-api:eu-central-1:1:api/prod/GET/locations/*/pages',
  ),
);

/** Changes after which the event is one that AWS sends, and as good as before. */
function isHarmless(path: string, value: unknown): boolean {
  const isText = typeof value === 'string' && value !== '';
  if (path === 'requestContext.connectionId') return isText;
  if (path === 'requestHeaders.X-At') return isText && isId(value);
  if (!/^(?:multiValue|headers\.A|queryString)/.test(path)) return false;
  // Any other map in place of one of the two, or no values in it: the second map says the same.
  return value === undefined || value === null || typeof value === 'object';
}

/** Every path in an event, the deep ones included. */
const pathsIn = (fields: object, prefix = ''): string[] =>
  Object.entries(fields).flatMap(([name, value]) => [
    prefix + name,
    ...(typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pathsIn(value, `${prefix}${name}.`)
      : []),
  ]);

describe('a malformed event', () => {
  it.each(Object.entries(KINDS))('starts from one that is allowed: %s', async (_, { event }) => {
    expect(await outcomeOf(event())).toBe('allow');
  });

  it('that was good but for one field on which the decision stands is never allowed', async () => {
    const faulty = fc
      .constantFrom(...Object.values(KINDS))
      .chain((kind) => fc.tuple(fc.constant(kind), fc.constantFrom(...kind.essential), wrong));
    await fc.assert(
      fc.asyncProperty(faulty, async ([kind, path, value]) => {
        const event = replaced(kind.event(), path, value);
        fc.pre(JSON.stringify(event) !== JSON.stringify(kind.event()));
        // What is left out of one map stands in the other still, and so do other ids, and other names of places.
        fc.pre(!isHarmless(path, value));
        // A route of the same path under another ARN is the same request to an HTTP API.
        fc.pre(!(path === 'routeArn' && String(value).startsWith('arn:aws:execute-api:')));
        expect(await outcomeOf(event)).not.toBe('allow');
      }),
      { numRuns: 1_000 },
    );
  });

  it('of several changes anywhere ends in an answer or one of the two errors, and is for one ARN', async () => {
    let allowed = 0;
    const changed = fc.constantFrom(...Object.values(KINDS)).chain((kind) => {
      const change = fc.tuple(fc.constantFrom(...pathsIn(kind.event())), wrong);
      return fc.tuple(fc.constant(kind), fc.array(change, { minLength: 1, maxLength: 4 }));
    });
    await fc.assert(
      fc.asyncProperty(changed, async ([kind, changes]) => {
        const event = changes.reduce<unknown>(
          (made, [path, value]) => replaced(made, path, value),
          kind.event(),
        );
        const outcome = await outcomeOf(event);
        expect(['allow', 'deny', 'Unauthorized', 'Internal error']).toContain(outcome);
        if (outcome !== 'allow') return;
        allowed += 1;
        // Then it is an answer of its kind, for what was asked and nothing wider.
        const answer = await authorizer(event);
        const { methodArn } = event as { methodArn?: unknown };
        if ('policyDocument' in answer) {
          expect(answer.policyDocument.Statement[0]?.Resource).toBe(methodArn);
          expect(methodArn).toMatch(/^arn:[^*?]+$/);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(allowed).toBeGreaterThan(20);
  });
});
