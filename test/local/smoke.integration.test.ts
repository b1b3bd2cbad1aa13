import { afterAll, expect, inject, test } from 'vitest';
import { readConfiguration } from '../../local/configuration.ts';
import { apiIdOf } from '../../local/sample/apis.ts';
import { startSample } from '../../local/sample/stack.ts';
import { walkManifest } from './smoke/manifest.ts';
import { walkNewTenant } from './smoke/new-tenant.ts';
import { walkSample } from './smoke/sample.ts';
import type { OpenSocket } from './smoke/socket.ts';
import { walkSockets } from './smoke/sockets.ts';
import { type Check, createVisitor, gradesOf, type Visitor } from './smoke/visitor.ts';

/** The stack on free ports, used as a client would, over HTTP, WebSockets and the Lambda API, in real time. */
const CACHE_TTL_SECONDS = 1;
const configuration = readConfiguration({
  PORT: '0',
  LAMBDA_PORT: '0',
  DYNAMODB_PORT: '0',
  CACHE_TTL_SECONDS: String(CACHE_TTL_SECONDS),
  DYNAMODB_ENDPOINT: inject('endpoint'),
  TABLE_NAME: `smoke-${Date.now()}`,
});
const check: Check = (what, holds, seen) =>
  expect.soft(holds, `${what}, saw ${JSON.stringify(seen)}`).toBe(true);

let open: readonly OpenSocket[] = [];
const stack = await startSample(configuration);
const visitor: Visitor = createVisitor(stack, check);
afterAll(() => stack.stop());

test('the sample world, over each kind of API', () => walkSample(stack, visitor));

test('connections', async () => {
  open = await walkSockets(stack, visitor);
  expect(open.length).toBeGreaterThan(0);
});

test('a tenant that is created meanwhile', () => walkNewTenant(stack, visitor, CACHE_TTL_SECONDS));

test('the authorizer answers through the Lambda API', async () => {
  const path = gradesOf(stack.school.north);
  const answer = await visitor.invoke('authorizer', {
    version: '2.0',
    type: 'REQUEST',
    routeArn: `arn:aws:execute-api:eu-central-1:000000000000:${apiIdOf('http-simple')}/$default/GET${path}`,
    identitySource: [],
    routeKey: 'GET /locations/{locationId}/pages/{page}',
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer ${await visitor.tokenOf('tina@school.example')}` },
    requestContext: { stage: '$default', http: { method: 'GET', path } },
  });
  expect(answer).toMatchObject({ isAuthorized: true });
});

test('connections close with the stack', async () => {
  await stack.stop();
  for (const socket of open) expect(await socket.ended()).toBe(1001);
});

test('a manifest', () =>
  walkManifest(
    { ...configuration, TABLE_NAME: `${configuration.TABLE_NAME}-manifest`, CACHE_TTL_SECONDS: 0 },
    check,
  ));
