import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { evaluateTemplate } from '../stack/evaluate.ts';
import type { Template } from '../stack/template.ts';
import { createWorld, type World } from '../support/world.ts';

/**
 * The functions that template.yaml of the tarball names, each alone in an empty folder, as Lambda unpacks them: no
 * `node_modules`, no `package.json`. On the DynamoDB engine of the run.
 */
const TEMPLATE = join(inject('installed'), 'node_modules/gatehouse-authz/template.yaml');
const SAM: Template = parse(readFileSync(TEMPLATE, 'utf8'));

const RUNNER = `
const [, , file, name] = process.argv;
const loading = import(file).then((loaded) => loaded[name] ?? loaded.default[name]);
process.on('message', async (event) =>
  (await loading)(event, { awsRequestId: 'r', getRemainingTimeInMillis: () => 20_000 }).then(
    (answer) => process.send({ answer }),
    ({ message }) => process.send({ message }),
  ),
);`;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-functions-'));
const children: ChildProcess[] = [];
const keys = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
const issuer = createServer((_, outgoing) => outgoing.end(JSON.stringify({ keys: [jwk] })));
let world: World;

beforeAll(async () => {
  issuer.listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  world = await createWorld();
  world.clock.advance(Date.now() - world.clock.now() - 120_000);
});
afterAll(() => {
  for (const child of children) child.kill();
  issuer.close();
  rmSync(folder, { recursive: true, force: true });
});

const issuerUrl = () => `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;

/** Starts the function of the template by its `CodeUri` and `Handler`, with its own variables. */
function start(name: string) {
  const parameters = {
    Metrics: 'false',
    TableName: world.table,
    TokenIssuer: issuerUrl(),
    TokenAudience: 'api',
  };
  const { CodeUri, Handler, Environment } =
    evaluateTemplate(SAM, parameters).Resources[name]?.Properties ?? {};
  const code = join(folder, name);
  cpSync(join(dirname(TEMPLATE), CodeUri), code, { recursive: true });
  expect(readdirSync(code).sort()).toEqual(['handler.conditions.js', 'handler.js']);
  const runner = join(folder, `${name}.cjs`);
  writeFileSync(runner, RUNNER);
  const [file, exported] = String(Handler).split('.');
  const child = fork(runner, [join(code, `${file}.js`), String(exported)], {
    cwd: code,
    execArgv: [],
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      DYNAMODB_ENDPOINT: world.endpoint,
      ...Environment.Variables,
    },
  });
  children.push(child);
  return async (event: object) => {
    child.send(event);
    const [answer] = await once(child, 'message');
    return answer;
  };
}

test('provisioning runs commands, and the authorizer allows and refuses, by a condition too', async () => {
  const provision = start('ProvisioningLambdaFunction');
  const run = async (command: string, input: object) => {
    const { answer } = await provision({ command, input });
    expect(answer, command).toMatchObject({ ok: true });
  };
  await run('page.create', { name: 'roster' });
  await run('location.create', { id: 'north', name: 'North School', code: 'north' });
  await run('role.create', { id: 'teacher', name: 'teacher', scope: 'location:north' });
  const when = "action.name == 'roster'";
  await run('role-permission.create', { role: 'teacher', permission: 'roster', effect: 'ALLOW', when });
  for (const id of ['ann', 'ben']) await run('user.create', { id });
  await run('assignment.create', { user: 'ann', role: 'teacher', scope: 'location:north' });
  const route = {
    method: 'GET',
    path: '/locations/{id}/roster',
    permission: 'roster',
    scope: 'location:{id}',
  };
  await run('route.create', route);

  const authorize = start('AuthorizerLambdaFunction');
  const ask = async (sub: string) => {
    const token = await new SignJWT({
      iss: issuerUrl(),
      aud: 'api',
      sub,
      exp: Math.floor(Date.now() / 1_000) + 600,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(keys.privateKey);
    const path = '/locations/north/roster';
    const { answer } = await authorize({
      version: '2.0',
      type: 'REQUEST',
      routeArn: `arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/GET${path}`,
      routeKey: 'GET /locations/{id}/roster',
      rawPath: path,
      headers: { authorization: `Bearer ${token}` },
      requestContext: {
        apiId: 'abc123',
        stage: '$default',
        http: { method: 'GET', path, sourceIp: '192.0.2.1', userAgent: 'test' },
      },
    });
    return answer;
  };
  expect(await ask('ann')).toMatchObject({ isAuthorized: true });
  expect(await ask('ben')).toMatchObject({ isAuthorized: false });
});
