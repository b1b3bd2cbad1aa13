import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authorizer, createAuthentication, createAuthorizer } from '../../authorizer/index.ts';
import {
  ALICE,
  AUDIENCE,
  createClock,
  createFakeEngine,
  createIssuer,
  httpEvent,
  ISSUER,
  restRequestEvent,
  restTokenEvent,
  rule,
} from './support.ts';

const PATH = '/locations/L1/pages';

let authorizer: Authorizer;
let credentials: string;
beforeAll(async () => {
  const issuer = await createIssuer();
  credentials = `Bearer ${await issuer.token()}`;
  const clock = createClock();
  authorizer = createAuthorizer({
    readApiToken: () => undefined,
    bearerOf: () => undefined,
    authenticate: createAuthentication({
      keys: issuer.keys,
      issuer: ISSUER,
      audience: [AUDIENCE],
      algorithms: ['RS256'],
      maxBytes: 4_096,
      clock,
    }),
    subjectOf: () => `user:${ALICE}`,
    routes: { rules: () => [rule('only', 'GET', '/locations/{id}/pages')] },
    // It says yes to everything: whatever is let through here, only the authorizer can have let through.
    engine: createFakeEngine().engine,
    clock,
    log: () => undefined,
    httpAnswer: 'simple',
  });
});

type Outcome = 'allow' | 'deny' | 'Unauthorized' | 'Internal error';

async function outcomeOf(event: unknown): Promise<Outcome> {
  try {
    const answer = await authorizer(event);
    if ('isAuthorized' in answer) return answer.isAuthorized ? 'allow' : 'deny';
    return answer.policyDocument.Statement[0]?.Effect === 'Allow' ? 'allow' : 'deny';
  } catch (error) {
    expect(['Unauthorized', 'Internal error']).toContain((error as Error).message);
    return (error as Error).message as Outcome;
  }
}

/** A good event of each kind, and the fields on which the decision stands. */
const KINDS = {
  http: {
    event: () => httpEvent('GET', PATH, { authorization: credentials }, 'prod'),
    essential: [
      'type',
      'version',
      'routeArn',
      'rawPath',
      'requestContext',
      'requestContext.stage',
      'requestContext.http',
      'requestContext.http.method',
      'headers',
      'headers.authorization',
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
} as const;

/** The event with what stands at a dotted path replaced. */
function replaced(event: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const fields = event as Record<string, unknown>;
  return { ...fields, [name]: rest.length > 0 ? replaced(fields[name], rest.join('.'), value) : value };
}

/** Wrong in type, or right in type and near to what is right. */
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

describe('a malformed event', () => {
  it.each(Object.entries(KINDS))('starts from one that is allowed: %s', async (_, { event }) => {
    expect(await outcomeOf(event())).toBe('allow');
  });

  it('of any kind is refused, denied or a fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ maxDepth: 4, withNullPrototype: true }), async (event) => {
        expect(await outcomeOf(event)).not.toBe('allow');
      }),
    );
  });

  it('that was good but for one field on which the decision stands is never allowed', async () => {
    const faulty = fc
      .constantFrom(...Object.values(KINDS))
      .chain((kind) => fc.tuple(fc.constant(kind), fc.constantFrom(...kind.essential), wrong));
    await fc.assert(
      fc.asyncProperty(faulty, async ([kind, path, value]) => {
        const event = replaced(kind.event(), path, value);
        fc.pre(JSON.stringify(event) !== JSON.stringify(kind.event()));
        // A route of the same path under another ARN is the same request to an HTTP API.
        fc.pre(!(path === 'routeArn' && String(value).startsWith('arn:aws:execute-api:')));
        expect(await outcomeOf(event)).not.toBe('allow');
      }),
      { numRuns: 1_000 },
    );
  });

  it('may hold any credentials: without the right token it is never allowed', async () => {
    const near = fc.oneof(
      fc.string(),
      fc.string().map((text) => `Bearer ${text}`),
      fc.nat({ max: 400 }).map((cut) => credentials.slice(0, -1 - cut)),
      fc.constantFrom(' ', '\n', '=', ',', '.', 'A').map((tail) => credentials + tail),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('http', 'request', 'token'), near, async (kind, authorization) => {
        const event = {
          http: () => httpEvent('GET', PATH, { authorization }),
          request: () => restRequestEvent('GET', PATH, { Authorization: [authorization] }),
          token: () => restTokenEvent('GET', PATH, authorization),
        }[kind];
        expect(await outcomeOf(event())).toBe('Unauthorized');
      }),
      { numRuns: 500 },
    );
  });
});
