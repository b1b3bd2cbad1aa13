import { describe, expect, test } from 'vitest';
import type { Handle } from '../../authorizer/service/http.ts';
import { createFixture, PUBLIC_URL, record, send, serve, user } from './support.ts';

/** Every request that is no request of the protocol gets one error that names the field, never a decision. */

const fixture = await createFixture();
const handle = serve(fixture);

const [S, A, R] = [user('alice'), { name: 'read' }, record('record-1')];
const PATH = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  subject: '/access/v1/search/subject',
  resource: '/access/v1/search/resource',
  action: '/access/v1/search/action',
} as const;
const WHOLE: Record<keyof typeof PATH, object> = {
  evaluation: { subject: S, action: A, resource: R },
  evaluations: { subject: S, action: A, resource: R },
  subject: { subject: { type: 'user' }, action: A, resource: R },
  resource: { subject: S, action: A, resource: { type: 'record' } },
  action: { subject: S, resource: R },
};
/** What the search looks for: its id and properties are not looked at as those of an input. */
const SOUGHT: Partial<Record<keyof typeof PATH, string>> = { subject: 'subject', resource: 'resource' };

/** Objects within each other: with the body around them they are one level deeper. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(handle, path, { token: fixture.token.a, body, headers });

/** Each way in which a body can be malformed: the field that the error names, and the change. */
function malformed(operation: keyof typeof PATH): readonly (readonly [string, object])[] {
  const whole = WHOLE[operation] as Record<string, Record<string, unknown>>;
  const cases: [string, object][] = [];
  for (const key of Object.keys(whole)) {
    const { [key]: entity, ...rest } = whole;
    cases.push([key, rest]);
    for (const wrong of ['text', 7, null, [], true]) cases.push([key, { ...whole, [key]: wrong }]);
    for (const field of Object.keys(entity as object)) {
      const { [field]: _, ...without } = entity as Record<string, unknown>;
      cases.push([`${key}.${field}`, { ...whole, [key]: without }]);
      for (const wrong of [7, null, {}, ['x'], false])
        cases.push([`${key}.${field}`, { ...whole, [key]: { ...entity, [field]: wrong } }]);
    }
    for (const wrong of ['text', 7, null, []])
      cases.push([`${key}.properties`, { ...whole, [key]: { ...entity, properties: wrong } }]);
  }
  for (const wrong of ['text', 7, null, []]) cases.push(['context', { ...whole, context: wrong }]);
  if (operation === 'evaluation' || operation === 'evaluations') {
    cases.push(['options', { ...whole, options: [] }]);
    cases.push(['options.explain', { ...whole, options: { explain: 'yes' } }]);
    return cases;
  }
  cases.push(['page', { ...whole, page: 'first' }]);
  cases.push(['page.token', { ...whole, page: { token: 7 } }]);
  cases.push(['page.token', { ...whole, page: { token: 'e30' } }]);
  for (const limit of [-1, 1.5, '10', null, Number.MAX_VALUE])
    cases.push(['page.limit', { ...whole, page: { limit } }]);
  return cases;
}

describe.each(Object.keys(PATH) as (keyof typeof PATH)[])('%s', (operation) => {
  test.each(malformed(operation).map(([field, body]) => [field, JSON.stringify(body), body] as const))(
    '%s is named in %s',
    async (field, _, body) => {
      const answer = await post(PATH[operation], body);
      expect(answer.status).toBe(400);
      expect(answer.body.startsWith(`${field} `)).toBe(true);
    },
  );

  test('unknown fields are ignored, and so is the id of what is sought', async () => {
    const sought = SOUGHT[operation];
    const whole = WHOLE[operation] as Record<string, object>;
    const more = {
      ...whole,
      foo: 'bar',
      future: { nested: [1] },
      ...(sought && { [sought]: { ...whole[sought], id: 7 } }),
    };
    expect(await post(PATH[operation], more)).toMatchObject({
      status: 200,
      body: (await post(PATH[operation], whole)).body,
    });
  });

  test.each(['', 'x'.repeat(2_000), '#', 'a:b', '*', '__proto__'])(
    'names that name nothing are no error: %s',
    async (name) => {
      const whole = WHOLE[operation] as Record<string, object>;
      for (const [key, entity] of Object.entries(whole))
        for (const field of Object.keys(entity)) {
          const body = { ...whole, [key]: { ...entity, [field]: name } };
          expect(await post(PATH[operation], body)).toMatchObject({ status: 200 });
        }
    },
  );

  test.each([
    ['an empty body', ''],
    ['what is not JSON', '{"subject":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"x"'],
    ['nesting without end', '['.repeat(100_000)],
    ['nesting that is deep', JSON.stringify({ ...WHOLE[operation], context: nested(64) })],
  ])('%s: 400', async (_what, body) => {
    expect(await post(PATH[operation], body)).toMatchObject({ status: 400 });
  });

  test('brackets in a text are no nesting, and 64 levels are not deep', async () => {
    const body = { ...WHOLE[operation], context: { note: `"\\${'['.repeat(1_000)}`, deep: nested(62) } };
    expect(await post(PATH[operation], body)).toMatchObject({ status: 200 });
  });

  test.each(['text/plain', 'application/xml', '', 'application/json; charset=latin1', 'application/json5'])(
    'Content-Type %j: 400',
    async (type) => {
      expect(await post(PATH[operation], WHOLE[operation], { 'content-type': type })).toMatchObject({
        status: 400,
        body: 'Content-Type is not application/json',
      });
    },
  );

  test.each(['application/json; charset=utf-8', 'Application/JSON'])('Content-Type %j', async (type) => {
    expect(await post(PATH[operation], WHOLE[operation], { 'content-type': type })).toMatchObject({
      status: 200,
    });
  });

  const raw = (body: Uint8Array | undefined, headers: Record<string, string> = {}) =>
    handle({
      method: 'POST',
      paths: [PATH[operation]],
      query: () => new URLSearchParams(),
      header: (name) => [headers[name] ?? []].flat(),
      body,
    });

  test('what is not UTF-8: 400', async () => {
    const headers = { authorization: `Bearer ${fixture.token.a}`, 'content-type': 'application/json' };
    const answer = await raw(Uint8Array.from([0x7b, 0xff, 0x7d]), headers);
    expect(answer).toMatchObject({ status: 400, body: 'the body is not UTF-8' });
  });

  test('a body that is too large: 413, before anything is read', async () => {
    expect(await raw(undefined)).toMatchObject({ status: 413 });
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s: 405', async (method) => {
    expect(await send(handle, PATH[operation], { method })).toMatchObject({
      status: 405,
      headers: { Allow: 'POST' },
    });
  });

  test('while DynamoDB is down: 503 that may be tried again, and no decision', async () => {
    const down = serve(fixture, {}, { reader: DOWN });
    const answer = await send(down, PATH[operation], { body: WHOLE[operation], token: fixture.token.a });
    expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(answer.body).not.toMatch(/decision"|results/);
  });
});

const fail = () => Promise.reject(new Error('the table does not answer'));
const DOWN = { getMany: fail, getSnapshot: fail, list: fail, listAll: fail };

test.each(['/', '/access/v1', '/access/v1/evaluation/', '/access/v2/evaluation', '//access/v1/evaluation'])(
  '%s: 404',
  async (path) => {
    expect(await post(path, {})).toMatchObject({ status: 404 });
  },
);

describe('X-Request-ID', () => {
  const idOf = async (value: string, body: unknown = WHOLE.evaluation) =>
    (await post(PATH.evaluation, body, { 'x-request-id': value })).headers['X-Request-ID'];

  test('is echoed, with a decision and with an error', async () => {
    expect(await idOf('bfe9eb29-ab87')).toBe('bfe9eb29-ab87');
    expect(await idOf('an id, with "signs"', {})).toBe('an id, with "signs"');
  });

  test.each(['', 'a\nb', 'é', 'x'.repeat(257)])('is not where it is no safe header: %j', async (value) => {
    expect(await idOf(value)).toBeUndefined();
  });
});

describe('metadata', () => {
  const get = (at: Handle, path: string) => send(at, path, { method: 'GET' });

  test('names each endpoint, without a credential, and may be cached', async () => {
    const answer = await get(handle, '/.well-known/authzen-configuration');
    expect(answer).toMatchObject({ status: 200, headers: { 'Cache-Control': 'public, max-age=3600' } });
    expect(answer.json).toEqual({
      policy_decision_point: PUBLIC_URL,
      access_evaluation_endpoint: `${PUBLIC_URL}/access/v1/evaluation`,
      access_evaluations_endpoint: `${PUBLIC_URL}/access/v1/evaluations`,
      search_subject_endpoint: `${PUBLIC_URL}/access/v1/search/subject`,
      search_resource_endpoint: `${PUBLIC_URL}/access/v1/search/resource`,
      search_action_endpoint: `${PUBLIC_URL}/access/v1/search/action`,
    });
  });

  test('of a base URL with a path comes before that path, and the API below it', async () => {
    const below = serve(fixture, { PUBLIC_URL: `${PUBLIC_URL}/tenant1/` });
    expect(await get(below, '/.well-known/authzen-configuration')).toMatchObject({ status: 404 });
    const { json } = await get(below, '/.well-known/authzen-configuration/tenant1');
    expect(json).toMatchObject({
      policy_decision_point: `${PUBLIC_URL}/tenant1`,
      access_evaluation_endpoint: `${PUBLIC_URL}/tenant1/access/v1/evaluation`,
    });
    const asked = { token: fixture.token.a, body: WHOLE.evaluation };
    expect(await send(below, '/tenant1/access/v1/evaluation', asked)).toMatchObject({ status: 200 });
    // As it arrives behind a proxy that takes the path of the base URL away.
    expect(await send(below, '/access/v1/evaluation', asked)).toMatchObject({ status: 200 });
    expect(await send(below, '/tenant2/access/v1/evaluation', asked)).toMatchObject({ status: 404 });
    // A path that the API's own begins with.
    const same = serve(fixture, { PUBLIC_URL: `${PUBLIC_URL}/access` });
    for (const path of ['/access/v1/evaluation', '/access/access/v1/evaluation'])
      expect(await send(same, path, asked)).toMatchObject({ status: 200 });
  });

  test('is not there while the base URL is not known', async () => {
    const unknown = serve(fixture, { PUBLIC_URL: '' });
    expect(await get(unknown, '/.well-known/authzen-configuration')).toMatchObject({ status: 404 });
  });

  test('takes GET and HEAD', async () => {
    expect(await send(handle, '/.well-known/authzen-configuration', {})).toMatchObject({
      status: 405,
      headers: { Allow: 'GET, HEAD' },
    });
  });
});
