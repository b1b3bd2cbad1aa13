import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import budgets from '../../bench/budgets.json' with { type: 'json' };
import { bundle } from '../../deploy/bundle/build.ts';
import * as neverCalled from '../../deploy/bundle/never-called.ts';
import { createIssuer } from '../authorizer/support.ts';
import { listen } from '../support/listening.ts';
import { createWorld } from '../support/world.ts';

/**
 * The deployed file in a process of its own, as on Lambda, on a real DynamoDB engine and with keys over HTTP.
 * Nothing in it is replaced. Only calls of the replacements of SDK parts are counted.
 */
const REGION_AND_API = 'eu-central-1:123456789012:abc123';
const ARN = `arn:aws:execute-api:${REGION_AND_API}`;

/** Answers one event per message, with the lines written to standard output. */
const RUNNER = `
const lines = [];
process.stdout.write = (text) => lines.push(text);
let handler;
import(process.argv[2]).then(
  (module) => { ({ handler } = module); process.send({ loaded: true, lines: lines.splice(0) }); },
  (error) => { process.send({ failed: error.message, lines }); process.disconnect(); },
);
process.on('message', async (event) => {
  lines.length = 0;
  const outcome = await handler(event, { awsRequestId: 'r' }).then((answer) => ({ answer }), ({ message }) => ({ message }));
  process.send({ ...outcome, lines, calls: globalThis.calls ?? 0 });
});`;

/** Loads the handler as version 3 of Lambda's runtime interface client does, and wraps it in place before. */
const WRAPPING = `
const exported = require(process.argv[2]);
const wrapped = (...all) => original(...all);
const original = exported.handler;
exported.handler = wrapped;
exported.then(({ handler }) => process.send({ isFunction: typeof original === 'function', isWrapped: handler === wrapped }));
`;

/** The error of deploy/bundle/never-called.ts in the bundle. */
const REFUSAL = /new Error\("this part of the AWS SDK is not in the bundle[^"]*"\)/g;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-handler-'));
const children: ChildProcess[] = [];
let keysFetched = 0;

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const { text, bytes } = await bundle('authorizer/handler.ts');
const handlerBytes = bytes;
// The count of calls is only meaningful if the bundle has this place.
expect(text.match(REFUSAL)).toHaveLength(1);
writeFileSync(
  join(folder, 'handler.cjs'),
  text.replace(REFUSAL, '(globalThis.calls = (globalThis.calls ?? 0) + 1, $&)'),
);
writeFileSync(join(folder, 'runner.cjs'), RUNNER);
writeFileSync(join(folder, 'wrapping.cjs'), WRAPPING);

const { jwk, token: sign } = await createIssuer();
const issuer = createServer((_, outgoing) => {
  keysFetched += 1;
  outgoing.end(JSON.stringify({ keys: [jwk] }));
}).listen(0, '127.0.0.1');
await once(issuer, 'listening');
const now = Math.floor(Date.now() / 1_000);

const world = await createWorld();
const { run, clock } = world;
// The handler has the real clock, so what it reads is written just before.
clock.advance(Date.now() - clock.now() - 120_000);
const [user, place] = ['ann', 'north'];
await world.apply(`
pages: [roster]
scopes: { North: { id: ${place}, type: location } }
roles: { reader: { owner: North, allow: [roster] } }
users: { ann: { id: ${user}, assignments: [{ role: reader, scope: North }] } }
routes: [{ method: GET, path: "/locations/{id}/{page}", permission: "{page}", scope: "location:{id}" }]
`);
const apiToken = String((await run('token.create', { user, tokenType: 'api' })).token);
const token = (claims: Record<string, unknown> = {}): Promise<string> =>
  sign({
    iss: `http://127.0.0.1:${portOf(issuer)}`,
    aud: 'api',
    sub: user,
    iat: now,
    exp: now + 600,
    ...claims,
  });

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});
afterAll(() => {
  issuer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the handler; the first message says whether it has loaded. */
async function start(env: Readonly<Record<string, string>> = {}, runner = 'runner.cjs') {
  const child = fork(join(folder, runner), [join(folder, 'handler.cjs')], {
    execArgv: [],
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      TABLE_NAME: world.table,
      DYNAMODB_ENDPOINT: world.endpoint,
      TOKEN_ISSUER: `http://127.0.0.1:${portOf(issuer)}`,
      TOKEN_AUDIENCE: 'api',
      RESULT_CACHE: '{"default":{"ttl":0}}',
      ...env,
    },
  });
  children.push(child);
  const [first] = await once(child, 'message');
  return {
    first,
    ask: async (event: unknown) => {
      child.send(event as Record<string, unknown>);
      const [{ calls, ...answer }] = await once(child, 'message');
      expect(calls, 'calls of deploy/bundle/never-called.ts').toBe(0);
      return answer;
    },
  };
}

const authorizationHeader = async (claims?: Record<string, unknown>) => `Bearer ${await token(claims)}`;
const path = () => `/locations/${place}/roster`;
const simple = (authorization: string, rawPath = path()) => ({
  version: '2.0',
  type: 'REQUEST',
  routeArn: `${ARN}/$default/GET${rawPath}`,
  routeKey: '$default',
  rawPath,
  identitySource: [authorization],
  headers: { authorization },
  requestContext: { http: { method: 'GET', path: rawPath }, stage: '$default', requestId: 'q' },
});

test('it holds no more than its budget', () => {
  expect(handlerBytes).toBeLessThanOrEqual(budgets.figures['startup.bytes'].median.max);
});

test('the replacements of parts of the SDK throw when called', () => {
  const { defaultProvider, EventStreamSerde, eventStreamSerdeProvider } = neverCalled;
  for (const call of [defaultProvider, EventStreamSerde, eventStreamSerdeProvider])
    expect(call).toThrow('not in the bundle');
});

describe('the deployed handler', () => {
  test('allows and denies with HTTP APIs, by JWT and by API token; keys are fetched once', async () => {
    const before = keysFetched;
    const { first, ask } = await start();
    expect(first).toEqual({ loaded: true, lines: [] });
    expect(keysFetched - before).toBe(1);
    for (const authorization of [
      await authorizationHeader(),
      await authorizationHeader(),
      `Bearer ${apiToken}`,
    ])
      expect(await ask(simple(authorization))).toMatchObject({
        answer: { isAuthorized: true, context: { subject: `user:${user}`, reason: 'role' } },
      });
    expect(keysFetched - before).toBe(1);
    expect(await ask(simple(await authorizationHeader(), '/locations/elsewhere/roster'))).toMatchObject({
      answer: { isAuthorized: false },
    });
    expect(await ask(simple(await authorizationHeader(), '/unmapped'))).toMatchObject({
      answer: { isAuthorized: false, context: { reason: 'route_unmapped' } },
    });
  });

  test('refuses bad credentials with 401 and logs the line that the alarm counts', async () => {
    const { ask } = await start();
    for (const authorization of ['', 'Bearer x', await authorizationHeader({ aud: 'other' })]) {
      const { message, lines } = await ask(simple(authorization));
      expect(message).toBe('Unauthorized');
      expect(lines).toHaveLength(1);
      // The whole line is JSON: the filter of the alarm finds it by its field.
      expect(JSON.parse(lines[0])).toMatchObject({
        level: 'INFO',
        message: 'credentials refused',
        service: 'authorizer',
        requestId: 'q',
      });
    }
  });

  test('fails when a variable is wrong, at once and by name', async () => {
    const { failed, lines } = (await start({ TOKEN_ISSUER: 'nowhere' })).first;
    expect(failed).toContain('TOKEN_ISSUER');
    expect(lines.map((line: string) => JSON.parse(line))).toMatchObject([
      { level: 'ERROR', message: 'start failed', service: 'authorizer', code: 'invalid', reason: failed },
    ]);
  });
});

describe('while it starts', () => {
  test('it asks DynamoDB before there is a request, and waits for no answer', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { first } = await start({ DYNAMODB_ENDPOINT: await listen(() => asked()) });
    await isAsked;
    expect(first).toEqual({ loaded: true, lines: [] });
  });

  test('it makes the calls that every request would: the first request makes those of any other', async () => {
    const calls: string[] = [];
    const DYNAMODB_ENDPOINT = await listen((incoming, outgoing) => {
      const { method, headers } = incoming;
      calls.push(String(headers['x-amz-target']).replace(/^.*\./, ''));
      const passed = request(world.endpoint, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    });
    const { ask } = await start({ DYNAMODB_ENDPOINT });
    // The world was written a moment ago: within the coherence margin, what was read may be read once more.
    const usual = ['BatchGetItem', 'Query', 'BatchGetItem'];
    expect([usual, [...usual, 'BatchGetItem']]).toContainEqual(calls.splice(0));
    for (const [at, page] of [
      [place, 'roster'],
      ['elsewhere', 'another'],
    ]) {
      await ask(simple(await authorizationHeader(), `/locations/${at}/${page}`));
      expect(calls.splice(0)).toEqual(['BatchGetItem']);
    }
  });

  test("it signs requests with Lambda's environment credentials, as the whole SDK would", async () => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
    let asked: (incoming: IncomingMessage) => void = () => {};
    const isAsked = new Promise<IncomingMessage>((resolve) => (asked = resolve));
    await start({
      DYNAMODB_ENDPOINT: '',
      AWS_ENDPOINT_URL_DYNAMODB: await listen((incoming) => asked(incoming)),
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken,
    });
    const { headers, method, url } = await isAsked;
    const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
    const date = String(headers['x-amz-date']);
    const signer = new SignatureV4({
      service: 'dynamodb',
      region: 'eu-central-1',
      credentials,
      sha256: Sha256,
    });
    const again = await signer.sign(
      {
        protocol: 'http:',
        hostname: '127.0.0.1',
        method: String(method),
        path: String(url),
        headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
      },
      { signingDate: new Date(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')) },
    );
    expect(headers['x-amz-security-token']).toBe('session');
    expect(headers.authorization).toContain('Credential=AKIDEXAMPLE/');
    expect(again.headers.authorization).toBe(headers.authorization);
  });

  test('it can be required, wrapped in place, and awaited', async () => {
    const before = keysFetched;
    const { first } = await start({}, 'wrapping.cjs');
    expect(first).toEqual({ isFunction: true, isWrapped: true });
    expect(keysFetched - before).toBe(1);
  });

  test('it starts without a reachable table: requests fail closed', async () => {
    const { first, ask } = await start({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
    expect(first).toEqual({ loaded: true, lines: [] });
    expect(await ask(simple('Bearer x'))).toMatchObject({ message: 'Unauthorized' });
    expect(await ask(simple(await authorizationHeader()))).toMatchObject({ message: 'Internal error' });
  });
});
