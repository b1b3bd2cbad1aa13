import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfiguration } from '../../local/configuration.ts';
import { describeManifest } from '../../local/manifest/screen.ts';
import { type ManifestStack, startManifest } from '../../local/manifest/stack.ts';
import { startSample } from '../../local/sample/stack.ts';
import { memoryNotice } from '../../local/table.ts';

/** The local stack where no DynamoDB engine is installed: all of its parts share one table in memory. */
const MANIFEST = `
pages: [reports]
permissions: ["gatehouse:evaluate:decision"]
scopes: { acme: { type: tenant, id: acme } }
roles: { manager: { allow: [reports] } }
users:
  ann: { id: ann, tenant: acme, grants: { acme: [manager] } }
  ben: { id: ben, tenant: acme, admin: true }
  cleo: { id: cleo, tenant: acme }
routes:
  - { method: GET, path: "/tenants/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }
`;
const FREE = { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', CACHE_TTL_SECONDS: '0' };
const findBinary = () => undefined;

let folder: string;
let file: string;
let stack: ManifestStack;
let changed: () => void;
const said: string[] = [];
let heard: () => void = () => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-memory-'));
  file = join(folder, 'manifest.yaml');
  writeFileSync(file, MANIFEST);
  stack = await startManifest(readConfiguration(FREE), {
    file,
    findBinary,
    say: (line) => {
      said.push(line);
      heard();
    },
    watch: (_, onChange) => {
      changed = onChange;
      return () => undefined;
    },
  });
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

async function post(url: string, body: unknown, token?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<
    Record<string, unknown>
  >;
}
const tokenOf = async (user: string, groups?: readonly string[]) =>
  String((await post(`${stack.url}/_dev/token`, { user, groups })).access_token);
async function reportsFor(user: string, groups?: readonly string[]): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(user, groups)}` };
  return (await fetch(`${stack.url}/tenants/acme/reports`, { headers })).status;
}
const provision = (command: string, input: object) =>
  post(`${stack.lambdaUrl}/2015-03-31/functions/provisioning/invocations`, { command, input });

/** Writes the file, and waits for what is said of it. */
async function save(text: string): Promise<string | undefined> {
  const reported = new Promise<void>((resolve) => {
    heard = resolve;
  });
  writeFileSync(file, text);
  changed();
  await reported;
  return said.at(-1);
}

test('the gateway, the AuthZEN API and provisioning decide by it', async () => {
  expect([await reportsFor('ann'), await reportsFor('ben'), await reportsFor('cleo')]).toEqual([
    200, 200, 403,
  ]);
  const evaluation = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'reports' },
    resource: { type: 'tenant', id: 'acme' },
  };
  const url = `${stack.url}/access/v1/evaluation`;
  expect(await post(url, evaluation, await tokenOf('ben'))).toHaveProperty('decision');

  const { result } = (await provision('role.list', { scope: 'tenant' })) as {
    result: { items: { id: string }[] };
  };
  const roles = [result.items[0]?.id];
  expect(await provision('grant.create', { user: 'cleo', scope: 'tenant:acme', roles })).toMatchObject({
    ok: true,
  });
  expect(await reportsFor('cleo')).toBe(200);
});

test('the file is applied again when it changes: the table equals it; one with errors changes nothing', async () => {
  expect(await save(MANIFEST.replace('{ acme: [manager] }', '{ acme: [] }'))).toMatch(
    / is applied: .* removed$/,
  );
  expect([await reportsFor('ann'), await reportsFor('cleo')]).toEqual([403, 403]);
  expect(await save('pages: [')).toMatch(
    /manifest\.yaml:1:\d+: .*\n.* is not applied: what was there before stays$/s,
  );
  expect(await reportsFor('ann')).toBe(403);
  rmSync(file);
  expect(await save(MANIFEST)).toMatch(/ is applied: /);
  expect(await reportsFor('ann')).toBe(200);
});

test('the screen says so, and what a second terminal can do all the same', () => {
  const screen = describeManifest(stack, 0);
  expect(screen).toContain(memoryNotice());
  expect(screen).not.toContain('TABLE_NAME');
  expect(screen).toContain(
    `npx gatehouse-authz plan ${file} --function provisioning --lambda-endpoint ${stack.lambdaUrl}`,
  );
});

test('what to do for a table that other processes can use', () => {
  expect(memoryNotice('linux-x64')).toContain(
    'npm install --save-dev @dynoxide/linux-x64, or DynamoDB Local',
  );
  expect(memoryNotice('darwin-arm64')).not.toContain('@dynoxide');
  expect(memoryNotice('darwin-arm64')).toContain('DYNAMODB_ENDPOINT=http://127.0.0.1:8000');
});

test('a file for the data of an engine that is not there is an error', async () => {
  await expect(startSample(readConfiguration({ ...FREE, DATA: 'x.db' }), { findBinary })).rejects.toThrow(
    'DATA=x.db is a file of the embedded DynamoDB engine, and none is installed here',
  );
});

test('groups that a token names mean groups of the tenant', async () => {
  const [scope, issuer] = ['tenant:acme', `${stack.url}/_dev`];
  const [role, group] = ['reader', 'auditors'];
  await provision('role.create', { id: role, name: role, scope, allowOnly: true });
  await provision('role-permission.create', { role, permission: 'reports', effect: 'ALLOW' });
  await provision('group.create', { id: group, name: group, scope, allowOnly: true });
  await provision('group-role.create', { group, role });
  await provision('external-group.create', { scope, issuer, externalId: 'Auditors', group });
  expect(
    await Promise.all([
      reportsFor('cleo'),
      reportsFor('cleo', ['Auditors']),
      reportsFor('cleo', ['auditors']),
    ]),
  ).toEqual([403, 200, 403]);
  const asked = { headers: { authorization: `Bearer ${await tokenOf('cleo', ['Auditors'])}` } };
  const may = await fetch(`${stack.url}/_dev/permissions?scope=tenant:acme`, asked);
  expect(JSON.stringify(await may.json())).toContain('reports');
});
