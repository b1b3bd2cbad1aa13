import { readConfiguration } from './configuration.ts';
import { messageOf } from './message-of.ts';
import { apiIdOf } from './sample/apis.ts';
import { type SampleStack, startSample } from './sample/stack.ts';
import { walkManifest } from './smoke/manifest.ts';
import { walkNewTenant } from './smoke/new-tenant.ts';
import { walkSample } from './smoke/sample.ts';
import type { OpenSocket } from './smoke/socket.ts';
import { walkSockets } from './smoke/sockets.ts';
import { createTally, createVisitor, gradesOf, type Visitor } from './smoke/visitor.ts';

/**
 * `npm run smoke`: starts the stack on free ports and uses it as a client would, over HTTP, WebSockets and
 * the Lambda API, in real time. Prints `N passed, N failed` at the end.
 */
const CACHE_TTL_SECONDS = 1;
const { check, count } = createTally();

async function walk(stack: SampleStack): Promise<readonly OpenSocket[]> {
  const visitor = createVisitor(stack, check);
  await walkSample(stack, visitor);
  const open = await walkSockets(stack, visitor);
  await walkNewTenant(stack, visitor, CACHE_TTL_SECONDS);
  await callAuthorizer(stack, visitor);
  return open;
}

async function callAuthorizer({ school }: SampleStack, { invoke, tokenOf }: Visitor): Promise<void> {
  const path = gradesOf(school.north);
  const answer = (await invoke('authorizer', {
    version: '2.0',
    type: 'REQUEST',
    routeArn: `arn:aws:execute-api:eu-central-1:000000000000:${apiIdOf('http-simple')}/$default/GET${path}`,
    identitySource: [],
    routeKey: 'GET /locations/{locationId}/pages/{page}',
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer ${await tokenOf('tina@school.example')}` },
    requestContext: { stage: '$default', http: { method: 'GET', path } },
  })) as { isAuthorized?: boolean };
  check('the authorizer answers through the Lambda API', answer.isAuthorized === true, answer);
}

async function main(): Promise<void> {
  const configuration = readConfiguration({
    PORT: '0',
    LAMBDA_PORT: '0',
    DYNAMODB_PORT: '0',
    CACHE_TTL_SECONDS: String(CACHE_TTL_SECONDS),
    DYNAMODB_ENDPOINT: process.env.DYNAMODB_ENDPOINT,
    TABLE_NAME: `smoke-${Date.now()}`,
  });
  const stack = await startSample(configuration);
  let open: readonly OpenSocket[] = [];
  try {
    open = await walk(stack);
  } finally {
    await stack.stop();
  }
  for (const socket of open) {
    const code = await socket.ended();
    check('a connection closes with the stack', code === 1001, code);
  }
  const { TABLE_NAME } = configuration;
  await walkManifest({ ...configuration, TABLE_NAME: `${TABLE_NAME}-manifest`, CACHE_TTL_SECONDS: 0 }, check);
}

main()
  .catch((error: unknown) => check(`the run completes: ${messageOf(error)}`, false))
  .finally(() => {
    console.log(`${count.passed} passed, ${count.failed} failed`);
    process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
  });
