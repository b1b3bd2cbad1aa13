import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ulid } from 'ulid';
import { bundle } from '../../deploy/bundle/build.ts';
import { freePort, startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';

/**
 * `npm run proof -- offline`: serverless-offline, a client of the authorizer that is not of this house, serves the deployed file
 * before REST, HTTP and WebSocket APIs. Installs it into a folder of its own. Ends with 1 when an answer is another
 * than written here; its known faults are written here too (docs/internals/serverless-offline.md).
 */
const PACKAGES = {
  private: true,
  dependencies: { serverless: 'npm:osls@4.3.1', 'serverless-offline': '14.8.2' },
  // Its peer is the licensed Serverless Framework, which would be installed beside osls.
  overrides: { 'serverless-offline': { serverless: '$serverless' } },
};

const BACKEND = `exports.handler = async ({ requestContext }) =>
  ({ statusCode: 200, body: JSON.stringify(requestContext.authorizer ?? {}) });`;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-offline-'));
const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));

const db = await startEmbeddedEngine();
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
const issuer = createServer((_, outgoing) => outgoing.end(JSON.stringify({ keys: [jwk] }))).listen(
  0,
  '127.0.0.1',
);
await once(issuer, 'listening');
const ISSUER = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;

await createTable(createServiceClient({ endpoint: db.endpoint }), 'offline');
const client = createClient({ endpoint: db.endpoint });
const provision = createProvisioning({
  reader: createReader({ client, table: 'offline' }),
  writer: createWriter({ client, table: 'offline' }),
  clock: { now: Date.now },
  newId: () => ulid(),
  newSecret: () => randomBytes(32).toString('base64url'),
});
async function run(command: string, input: Record<string, unknown>): Promise<string> {
  const answer = await provision({ command, input });
  if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  return String((answer.result as Record<string, unknown>).id);
}
const user = await run('user.create', {});
const place = await run('location.create', { name: 'North', code: 'n' });
for (const name of ['roster', 'grades']) await run('page.create', { name });
const role = await run('role.create', { name: 'reader', scope: `location:${place}` });
await run('role-permission.create', { role, permission: 'roster', effect: 'ALLOW' });
await run('assignment.create', { user, scope: `location:${place}`, role });
const KINDS = ['request', 'token', 'format1', 'simple', 'policies'];
const OTHERS = ['/places/{id}/{page}', '/unstaged/{id}/{page}'];
for (const path of [...KINDS.map((kind) => `/${kind}/locations/{id}/{page}`), ...OTHERS])
  await run('route.create', { method: 'GET', path, permission: '{page}', scope: 'location:{id}' });
await run('route.create', {
  method: 'CONNECT',
  path: '/$connect',
  permission: 'roster',
  scope: `location:${place}`,
});
const token = await new SignJWT({ iss: ISSUER, aud: 'api', sub: user })
  .setProtectedHeader({ alg: 'RS256', kid: 'k' })
  .setExpirationTime('10m')
  .sign(privateKey);

write('package.json', PACKAGES);
write('backend.js', BACKEND);
write('authorizer.js', (await bundle('authorizer/handler.ts')).text);
write('handler.conditions.js', (await bundle('engine/conditions/cel.ts')).text);
write('paths.json', { allowed: `locations/${place}/roster`, denied: `locations/${place}/grades` });
write('environment.json', {
  TABLE_NAME: 'offline',
  DYNAMODB_ENDPOINT: db.endpoint,
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: 'api',
  RESULT_CACHE: '{"default":{"ttl":0}}',
});
copyFileSync(new URL('serverless.yml', import.meta.url), join(folder, 'serverless.yml'));
console.log('installing serverless-offline');
execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
  cwd: folder,
  stdio: 'inherit',
});

const [httpPort, lambdaPort, websocketPort] = [await freePort(), await freePort(), await freePort()];
const ports = Object.entries({ httpPort, lambdaPort, websocketPort }).flatMap(([name, port]) => [
  `--${name}`,
  `${port}`,
]);
const offline = spawn(
  process.execPath,
  ['node_modules/serverless/bin/serverless.js', 'offline', 'start', '--host', '127.0.0.1', ...ports],
  { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, AWS_REGION: 'eu-central-1' } },
);
let said = '';
for (const stream of [offline.stdout, offline.stderr]) stream.on('data', (chunk) => (said += chunk));

const answers = async (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
const until = Date.now() + 60_000;
while (!(await answers(httpPort)) || !(await answers(websocketPort))) {
  if (Date.now() > until || offline.exitCode !== null)
    throw new Error(`serverless-offline did not start\n${said}`);
  await new Promise((resolve) => setTimeout(resolve, 250));
}

type Headers = Readonly<Record<string, string>>;
const statusOf = async (path: string, headers: Headers): Promise<number> =>
  (await fetch(`http://127.0.0.1:${httpPort}${path}`, { headers })).status;

/** The status of a handshake: 101 when the socket opens. */
const handshake = (headers: Headers): Promise<number> =>
  new Promise((resolve, reject) => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const asked = request({
      host: '127.0.0.1',
      port: websocketPort,
      headers: { ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64'), ...headers },
    });
    asked.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asked.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });

const good = { authorization: `Bearer ${token}` };
const bad = { authorization: 'Bearer x' };
const allowed = `/locations/${place}/roster`;
const denied = `/locations/${place}/grades`;

/** Where each API begins: REST APIs, and the routes that stand below a stage. */
const APIS = [
  ['REST REQUEST', '/dev/request'],
  ['REST TOKEN', '/dev/token'],
  ['HTTP 1.0', '/format1'],
  ['HTTP 2.0 simple', '/dev/simple'],
  ['HTTP 2.0 policies', '/dev/policies'],
] as const;

/** What is asked, what is answered here, and what API Gateway answers where that is something else. */
const expected: readonly [string, () => Promise<number>, number, number?][] = [
  ...APIS.flatMap(([api, base]): [string, () => Promise<number>, number][] => [
    [`${api}, allowed`, () => statusOf(`${base}${allowed}`, good), 200],
    [`${api}, denied`, () => statusOf(`${base}${denied}`, good), 403],
    [`${api}, bad token`, () => statusOf(`${base}${allowed}`, bad), 401],
    [`${api}, no token`, () => statusOf(`${base}${allowed}`, {}), 401],
  ]),
  ['REST, path with parameters', () => statusOf(`/dev/places/${place}/roster`, good), 403, 200],
  ['HTTP, path without the stage', () => statusOf(`/unstaged/${place}/roster`, good), 200],
  ['WebSocket, allowed', () => handshake(good), 101],
  ['WebSocket, bad token', () => handshake(bad), 500, 401],
  ['WebSocket, no token', () => handshake({}), 500, 401],
];
let wrong = 0;
try {
  for (const [what, ask, status, onAws] of expected) {
    const seen = await ask().catch((error: Error) => error.message);
    if (seen !== status) wrong += 1;
    const remark = onAws === undefined ? '' : `  (API Gateway: ${onAws}; a known fault)`;
    console.log(
      `${seen === status ? 'ok    ' : 'WRONG '} ${what}: ${seen}${seen === status ? '' : `, not ${status}`}${remark}`,
    );
  }
  if (wrong > 0) console.log(said);
} finally {
  offline.kill();
  await once(offline, 'exit');
  issuer.close();
  await db.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = wrong === 0 ? 0 : 1;
