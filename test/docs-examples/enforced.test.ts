import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { AUDIENCE, createIssuer, httpEvent, ISSUER, TTL_0, webSocketEvent } from '../authorizer/support.ts';
import { type ModelTestInMemory, openModelTest } from '../support/model-test.ts';

/** The routes of docs/guides and docs/coming-from, behind the authorizer: requests in, answers of API Gateway out. */
const GITHUB = 'https://token.actions.githubusercontent.com';

const issuer = await createIssuer();

const opened = new Map<string, Promise<ModelTestInMemory>>();

/** The same table for all tests of an example: planning it takes longer than all of its requests. */
function openOnce(name: string): Promise<ModelTestInMemory> {
  const url = new URL(`../../docs/examples/${name}.test.yaml`, import.meta.url);
  const example = opened.get(name) ?? openModelTest(name, readFileSync(url, 'utf8'));
  opened.set(name, example);
  return example;
}

async function openExample(name: string, variables: Readonly<Record<string, string>> = {}) {
  const example = await openOnce(name);
  const authorizer = createHandlerFrom(
    {
      TABLE_NAME: 'memory',
      RESULT_CACHE: TTL_0,
      HTTP_ANSWER: 'simple',
      CACHE_TTL_SECONDS: '0',
      ...(variables.TOKEN_ISSUERS ? {} : { TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE }),
      ...variables,
    },
    {
      reader: example.reader,
      clock: { now: Date.now },
      fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
      log: () => undefined,
    },
  );
  const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);
  const expiring = { iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 600 };
  return {
    ...example,
    authorizer,
    tokenFor: (user: string) => issuer.token({ ...expiring, sub: idOf(example.subjectOf(user)) }),
    tokenWith: (claims: Readonly<Record<string, unknown>>) => issuer.token({ ...expiring, ...claims }),
    /** The path of a request, with names of scopes in the place of their ids. */
    at: (path: string) => path.replace(/\{(.+?)\}/g, (_, scope: string) => idOf(example.scopeOf(scope))),
  };
}

/** `allow`, the reason of a refusal, or 401. */
async function answerTo(
  { authorizer }: Awaited<ReturnType<typeof openExample>>,
  event: unknown,
): Promise<unknown> {
  try {
    const answer = await authorizer(event);
    const allowed =
      'policyDocument' in answer
        ? answer.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow')
        : answer.isAuthorized;
    return allowed ? 'allow' : answer.context?.reason;
  } catch (error) {
    if (error instanceof Error && error.message === 'Unauthorized') return 401;
    throw error;
  }
}

const withToken = (token: string) => ({ authorization: `Bearer ${token}` });

describe('requests to the routes of a guide', () => {
  test.each([
    ['multi-tenant-saas', 'ann', 'GET', '/tenants/{acme}/projects', 'allow'],
    ['multi-tenant-saas', 'ann', 'GET', '/tenants/{globex}/projects', 'no_grant'],
    ['multi-tenant-saas', 'ben', 'POST', '/workspaces/{acme design}/projects', 'allow'],
    ['multi-tenant-saas', 'dan', 'GET', '/tenants/{initech}/projects', 'scope_inactive'],
    ['buildings-and-devices', 'ann', 'POST', '/buildings/{lighthouse}/devices/{door 21}/open', 'allow'],
    ['buildings-and-devices', 'ann', 'POST', '/buildings/{warehouse}/devices/{door 21}/open', 'allow'],
    ['school', 'ann', 'GET', '/locations/{north}/grades', 'allow'],
    ['school', 'ann', 'GET', '/locations/{south}/grades', 'no_grant'],
    ['school', 'ann', 'DELETE', '/locations/{north}/grades', 'route_unmapped'],
    ['platform-with-licences', 'cleo', 'POST', '/workstreams/{fabrikam payroll}/payslips', 'not_licensed'],
    ['record-ownership', 'ann', 'PUT', '/documents/{plan}', 'allow'],
    ['record-ownership', 'ben', 'PUT', '/documents/{plan}', 'no_grant'],
  ])('%s: %s %s %s: %s', async (name, user, method, path, expected) => {
    const guide = await openExample(`guides/${name}`);
    const token = await guide.tokenFor(user);
    expect(await answerTo(guide, httpEvent(method, guide.at(path), withToken(token)))).toBe(expected);
  });
});

test('machine tokens: one of another issuer is that of the user with this issuer and sub', async () => {
  const document = readFileSync(new URL('../../docs/guides/machine-tokens.md', import.meta.url), 'utf8');
  const TOKEN_ISSUERS = /^```json\n([\s\S]*?)^```$/m.exec(document)?.[1] ?? '';
  const guide = await openExample('guides/machine-tokens', { TOKEN_ISSUERS });
  const ask = async (claims: Readonly<Record<string, unknown>>) => {
    const aud = 'https://api.contoso.example';
    const token = await guide.tokenWith({ iss: GITHUB, aud, ...claims });
    return answerTo(guide, httpEvent('POST', guide.at('/accounts/{contoso}/deploys'), withToken(token)));
  };
  expect(await ask({ sub: 'repo:contoso/shop:ref:refs/heads/main' })).toBe('allow');
  expect(await ask({ sub: 'repo:contoso/shop:ref:refs/heads/other' })).toBe('subject_unknown');
  expect(await ask({ sub: 'repo:contoso/shop:ref:refs/heads/main', aud: 'another' })).toBe(401);
});

describe('WebSocket', () => {
  const CREDENTIALS_FROM = 'header,websocket:query:access_token';

  test.each([
    ['north', 'allow'],
    ['south', 'no_grant'],
  ])('a connection to the board of %s: %s', async (location, expected) => {
    const guide = await openExample('guides/websocket', { API_NAME: 'live', CREDENTIALS_FROM });
    const query = { location: [guide.at(`{${location}}`)], access_token: [await guide.tokenFor('ben')] };
    expect(await answerTo(guide, webSocketEvent({}, query))).toBe(expected);
  });

  test('the document names the setting', () => {
    const document = readFileSync(new URL('../../docs/guides/websocket.md', import.meta.url), 'utf8');
    expect(document).toContain(`\`${CREDENTIALS_FROM}\``);
  });
});

describe("Cognito's groups", () => {
  const issuedBy = /^```json\n([\s\S]*?)^```$/m;
  const document = readFileSync(new URL('../../docs/coming-from/cognito-groups.md', import.meta.url), 'utf8');
  const TOKEN_ISSUERS = issuedBy.exec(document)?.[1] ?? '';

  async function ask(name: string, user: string, request: readonly [string, string], groups: string[]) {
    const example = await openExample(`coming-from/${name}`, { TOKEN_ISSUERS });
    const { issuer: iss } = JSON.parse(TOKEN_ISSUERS)[0];
    const token = await example.tokenWith({
      iss,
      sub: example.subjectOf(user).slice('user:'.length),
      aud: undefined,
      token_use: 'access',
      client_id: 'app',
      'cognito:groups': groups,
      'custom:shop': example.at('{shop}'),
    });
    return answerTo(example, httpEvent(...request, withToken(token)));
  }

  test.each([
    ['ann', ['POST', '/members'], 'allow'],
    ['ben', ['PUT', '/articles/1'], 'allow'],
    ['ben', ['POST', '/members'], 'no_grant'],
    ['cleo', ['GET', '/articles'], 'allow'],
  ] as const)('in the table: %s %s: %s', async (user, request, expected) => {
    // What the token says of groups is not asked.
    expect(await ask('cognito-groups', user, request, ['admins'])).toBe(expected);
  });

  test.each([
    [['admins'], ['POST', '/members'], 'allow'],
    [['editors'], ['PUT', '/articles/1'], 'allow'],
    [['editors'], ['POST', '/members'], 'no_grant'],
  ] as const)('in the token: %s %s: %s', async (groups, request, expected) => {
    expect(await ask('cognito-groups.claims', 'ann', request, [...groups])).toBe(expected);
  });
});
