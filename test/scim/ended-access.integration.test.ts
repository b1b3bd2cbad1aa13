import { afterAll, expect, inject, test } from 'vitest';
import { provisionedOn } from '../../cli/provisioning.ts';
import { systemClock } from '../../engine/clock.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { RESULT_TTL_SECONDS } from '../../local/sample/apis.ts';
import { startSample } from '../../local/sample/stack.ts';
import { createPort } from '../../scim/compose.ts';
import { createHandle } from '../../scim/http.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { openSocket } from '../local/smoke/socket.ts';
import { gradesOf, tokenFrom } from '../local/smoke/visitor.ts';
import { NO_LOG } from '../support/log.ts';
import { client, groupOf, patchOf, userOf } from './support.ts';

/**
 * `active: false` on the local stack, with its clocks, caches and change feed: how long after the PATCH is anybody
 * answered 200, and how long is a WebSocket open?
 */
const ENGINE_TTL_MS = 2_000;
/** `MEASURED=1` holds it to the bounds: on a machine without other work. */
const IS_MEASURED = process.env.MEASURED !== undefined;
const HTTP_BOUND_MS = IS_MEASURED ? ENGINE_TTL_MS + RESULT_TTL_SECONDS * 1_000 : 60_000;
const SOCKET_BOUND_MS = IS_MEASURED ? 10_000 : 60_000;

const stack = await startSample(
  readConfiguration({
    PORT: '0',
    LAMBDA_PORT: '0',
    DYNAMODB_PORT: '0',
    LIVE_REVOCATION: 'true',
    CACHE_TTL_SECONDS: String(ENGINE_TTL_MS / 1_000),
    DYNAMODB_ENDPOINT: inject('endpoint'),
    TABLE_NAME: `gatehouse-scim-${process.pid}`,
  }),
);
const { now } = systemClock;
const { reader, provisioning } = provisionedOn(
  createClient({ endpoint: inject('endpoint') }),
  stack.table,
  now,
);
const run = async (command: string, input: Readonly<Record<string, unknown>>) => {
  const answer = await provisioning({ command, input });
  if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  return answer.result;
};
const scope = `location:${stack.school.north}`;
await run('domain.create', { name: 'school.example', tenant: scope });
const { id: connection } = await run('scim-connection.create', { scope, name: 'staff' });
const { token } = await run('scim-credential.create', { connection });
const port = createPort(reader, systemClock, provisioning);
const handle = createHandle({ port, publicUrl: undefined, clock: systemClock, log: NO_LOG });
const send = client(handle, String(token));
const group = await groupOf(send, 'Staff');
const { id: role } = await run('role.create', { name: 'staff', scope, allowOnly: true });
for (const permission of ['grades', 'dashboard'])
  await run('role-permission.create', { role, permission, effect: 'ALLOW' });
await run('group-role.create', { group, role });
await run('user.create', { email: 'linked@school.example' });
afterAll(() => stack.stop());

// That one whom it has made is ended as well: ended-access.test.ts.
test('a user whom the connection has linked', async () => {
  const email = 'linked@school.example';
  const id = await userOf(send, 'linked', { emails: [{ value: email }] });
  await send('PATCH', `/Groups/${group}`, patchOf({ op: 'add', path: 'members', value: [{ value: id }] }));
  const path = `${stack.url}/rest${gradesOf(stack.school.north)}`;
  const token = await tokenFrom(stack.url, email);
  const statusOf = async () => (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).status;
  const socket = await openSocket(
    `${stack.url.replace('http', 'ws')}/ws?location=${stack.school.north}`,
    token,
  );
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  expect(await statusOf()).toBe(200);

  const closed = socket.ended().then(() => performance.now());
  const { status } = await send(
    'PATCH',
    `/Users/${id}`,
    patchOf({ op: 'replace', value: { active: false } }),
  );
  const patchedAt = performance.now();
  expect(status).toBe(200);
  let sentAt = patchedAt;
  let lastAllowedAt = patchedAt;
  for (;;) {
    sentAt = performance.now();
    if ((await statusOf()) !== 200) break;
    lastAllowedAt = sentAt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [http, sockets] = [lastAllowedAt - patchedAt, (await closed) - patchedAt];
  expect(http).toBeLessThan(HTTP_BOUND_MS);
  expect(sockets).toBeLessThan(SOCKET_BOUND_MS);
  if (IS_MEASURED) console.info({ http, sockets });
});
