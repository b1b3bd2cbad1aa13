import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ulid } from 'ulid';
import { createHandlerFrom } from '../authorizer/compose.ts';
import { startEmbeddedEngine } from '../cli/embedded-engine.ts';
import { createProvisioning } from '../provisioning/index.ts';
import { createClient, createServiceClient } from '../table/dynamodb/client.ts';
import { createTable } from '../table/dynamodb/definition.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { createWriter } from '../table/dynamodb/writer.ts';

/**
 * `npm run request-path`: through how many files a request runs. The composed authorizer answers HTTP requests on the
 * embedded engine, run from the sources; V8 counts which functions, named or not, run while it does.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = /^(?:authorizer|engine|table)\//;
/** Files of authorizer/, engine/ and table/ in which functions may run. */
const BOUNDS = { warm: 24, 'cold, nested': 36 } as const;

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'https://api.example';
const TABLE = 'request-path';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The functions that ran since it was asked before. */
const takeCoverage = () =>
  new Promise<readonly Profiler.ScriptCoverage[]>((resolve, reject) => {
    session.post('Profiler.takePreciseCoverage', (error, { result }) =>
      error ? reject(error) : resolve(result),
    );
  });

/** Files in which functions run while `act` does; a module's own body is not one of them. */
async function filesRunBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  await takeCoverage();
  await act();
  const files = (await takeCoverage()).flatMap(({ url, functions }) => {
    const path = url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : '';
    // What begins where the file does is the module's own body.
    const ran = functions.some(({ ranges: [all] }) => all && all.startOffset > 0 && all.count > 0);
    return FOLDERS.test(path) && ran ? [path] : [];
  });
  return [...new Set(files)].sort();
}

/** Clients with projects and buildings, a page of each building, and somebody who may see it. */
async function provisionWorld(endpoint: string) {
  await createTable(createServiceClient({ endpoint, requestTimeoutMs: 20_000 }), TABLE);
  const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
  const reader = createReader({ client, table: TABLE, deadlineMs: 20_000 });
  const provision = createProvisioning({
    reader,
    writer: createWriter({ client, table: TABLE }),
    // Long ago: what was written within the margin is read twice.
    clock: { now: () => Date.now() - 3_600_000 },
    newId: () => ulid(),
    newSecret: () => ulid(),
  });
  const run = async (command: string, input: Record<string, unknown>): Promise<string> => {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
    return String(answer.result.id);
  };
  await run('page.create', { name: 'plan' });
  const root = await run('client.create', { name: 'Client' });
  const project = await run('project.create', { name: 'Project', parent: `client:${root}` });
  const building = await run('building.create', { name: 'Building', parent: `project:${project}` });
  const role = await run('role.create', { name: 'reader', scope: `client:${root}` });
  await run('role-permission.create', { role, permission: 'plan', effect: 'ALLOW' });
  const group = await run('group.create', { scope: `project:${project}`, name: 'readers' });
  await run('group-role.create', { group, role });
  const user = await run('user.create', {});
  await run('membership.create', { user, group });
  await run('route.create', {
    method: 'GET',
    path: '/buildings/{buildingId}',
    permission: 'plan',
    scope: 'building:{buildingId}',
  });
  return { reader, user, building };
}

const embedded = await startEmbeddedEngine();
try {
  const { reader, user, building } = await provisionWorld(embedded.endpoint);
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256' }] });
  const token = await new SignJWT({ sub: user })
    .setProtectedHeader({ alg: 'RS256', kid: 'key', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('1h')
    .sign(privateKey);
  const handler = createHandlerFrom(
    {
      TABLE_NAME: TABLE,
      TOKEN_ISSUER: ISSUER,
      TOKEN_AUDIENCE: AUDIENCE,
      RESULT_CACHE: JSON.stringify({ default: { ttl: 0 } }),
    },
    { reader, fetch: async () => new Response(jwks) },
  );
  const path = `/buildings/${building}`;
  const ask = async () => {
    const answer = await handler({
      version: '2.0',
      type: 'REQUEST',
      routeArn: `arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/$default/GET${path}`,
      routeKey: 'GET /buildings/{buildingId}',
      rawPath: path,
      headers: { authorization: `Bearer ${token}` },
      requestContext: { http: { method: 'GET', path }, requestId: 'request', stage: '$default' },
    });
    if (!('isAuthorized' in answer && answer.isAuthorized)) throw new Error('the request was refused');
  };
  const files = { 'cold, nested': await filesRunBy(ask), warm: await filesRunBy(ask) };
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const ran = files[name as keyof typeof files];
    console.log(
      `\n${name}: ${ran.length} files, at most ${bound}\n${ran.map((file) => `  ${file}`).join('\n')}`,
    );
    if (ran.length > bound) process.exitCode = 1;
  }
} finally {
  await embedded.stop();
}
process.exit();
