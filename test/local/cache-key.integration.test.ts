import { afterAll, describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/index.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { ANSWER_SOURCE_HEADER } from '../../local/gateway/gateway.ts';
import { createApis, RESULT_CACHE } from '../../local/sample/apis.ts';
import { startSample } from '../../local/sample/stack.ts';
import { gatehouse } from '../cli/support.ts';

/**
 * The stack of `gatehouse dev`, over HTTP: a route whose place comes from the query, in APIs that cache and in
 * such that do not. A teacher of the north may see the grades there, and none of the south.
 */

const stack = await startSample(
  readConfiguration({ PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', CACHE_TTL_SECONDS: '0' }),
);
const added = await gatehouse(
  ['route', 'add', 'GET', '/h2q', '--permission', 'grades', '--scope', 'location:{query:loc}'],
  { env: { TABLE_NAME: stack.table, DYNAMODB_ENDPOINT: stack.dynamodb } },
);
expect(added).toMatchObject({ code: 0, error: '' });
const answer = await fetch(`${stack.url}/_dev/token`, {
  method: 'POST',
  body: JSON.stringify({ user: 'tina@school.example' }),
});
const token = ((await answer.json()) as { access_token: string }).access_token;
afterAll(() => stack.stop());

async function ask(path: string): Promise<string> {
  const answer = await fetch(`${stack.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return `${answer.status} ${answer.headers.get(ANSWER_SOURCE_HEADER)}`;
}

describe.each(['/rest', '/rest-whole'])('%s, whose key holds no query', (api) => {
  test('refuses a route that rests on input outside the cache key', async () => {
    const { north, south } = stack.school;
    const seen = [
      await ask(`${api}/h2q?loc=${north}`),
      await ask(`${api}/h2q?loc=${south}`),
      await ask(`${api}/h2q?loc=${north}`),
    ];
    expect(seen.map((each) => each.slice(0, 3))).toEqual(['403', '403', '403']);
    expect(seen[1]).toBe('403 hit');
  });

  test('serves routes that read only the path', async () => {
    expect(await ask(`${api}/locations/${stack.school.south}/pages/grades`)).toContain('403');
  });
});

test.each(['', '/http-policy'])('%s, which caches nothing, decides for each place', async (api) => {
  const { north, south } = stack.school;
  expect(await ask(`${api}/h2q?loc=${north}`)).toBe('200 off');
  expect(await ask(`${api}/h2q?loc=${south}`)).toBe('403 off');
});

// The event of a TOKEN authorizer has no query, and that of format 1.0 one value of several.
test.each(['/rest-token', '/http-1.0'])(
  '%s refuses it, because its event does not show the query',
  async (api) => {
    expect(await ask(`${api}/h2q?loc=${stack.school.north}`)).toBe('403 off');
  },
);

test("the authorizers' configuration matches the gateway's caches", () => {
  const invoke = async () => ({ isAuthorized: false, context: {} });
  const { resultCaches } = parseConfiguration({
    TABLE_NAME: 'gatehouse',
    TOKEN_ISSUER: 'https://issuer.example',
    TOKEN_AUDIENCE: 'api',
    RESULT_CACHE,
  });
  for (const { apiId, authorizer } of createApis({ simple: invoke, policy: invoke })) {
    expect(resultCaches.get(apiId)?.ttl).toBe(authorizer.resultTtlSeconds);
    expect(resultCaches.get(apiId)?.key.size).toBe(authorizer.identitySources.length);
  }
});
