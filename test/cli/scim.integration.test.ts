import { expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';
import { gatehouse, whileListening } from './support.ts';

/** Connections as time passes, and the server itself. What requests would come to: transcripts/scim.txt. */
const DAY_MS = 86_400_000;
const world = await createWorld('scopes: { Contoso: { id: contoso, type: tenant } }');
const connection = await world.run('scim-connection.create', {
  id: 'entra',
  scope: 'tenant:contoso',
  name: 'Entra',
});
const made = await world.run('scim-credential.create', { connection: 'entra' });
const credential = String(made.token);
await world.run('scim-user.create', { connection: 'entra', userName: 'ann' });
const run = (args: readonly string[], now = world.clock.now()) =>
  gatehouse(args, { env: { TABLE_NAME: world.table }, now: () => now });

test('status is well before the first sync, for a day since the connection was made', async () => {
  const after = (later: number) =>
    run(['scim', 'status', 'entra'], Date.parse(String(connection.createdAt)) + later);
  const early = expect.stringMatching(/: well\n {2}nothing was sent yet; /);
  expect(await after(DAY_MS)).toMatchObject({ out: early, code: 0 });
  const late = expect.stringMatching(/: nothing was sent for 24 hours\n/);
  expect(await after(DAY_MS + 1)).toMatchObject({ out: late, code: 1 });
});

test('status is well after a sync, for a day, and until 30 days before the end of its last credential', async () => {
  const now = world.clock.now();
  const synced = (at: number) =>
    world.run('scim-connection.update', { id: 'entra', lastSyncAt: new Date(at).toISOString() });
  await synced(now);
  const at = async (later: number) => (await run(['scim', 'status', 'entra'], now + later)).code;
  expect([await at(DAY_MS), await at(DAY_MS + 1)]).toEqual([0, 1]);
  const soon = now + 336 * DAY_MS;
  await synced(soon);
  const { out } = await run(['scim', 'status', 'entra', '--json'], soon);
  expect(JSON.parse(out)[0].problems).toEqual(['its credential ends in 29 days']);
  expect((await run(['scim', 'status', 'entra'], now + 366 * DAY_MS)).out).toContain('no valid credential');
});

test('serve answers a connection until it is interrupted', async () => {
  const serve = async (out: string) => {
    const [, url = ''] = /^ready (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(out) ?? [];
    const ask = (token: string) =>
      fetch(`${url}/scim/v2/Users?filter=${encodeURIComponent('userName eq "ann"')}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await ask('gh1_c_entra_x_y')).status).toBe(401);
    const answer = await ask(credential);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ totalResults: 1 });
  };
  const env = { TABLE_NAME: world.table };
  const { code, out } = await whileListening(['scim', 'serve', '--port', '0'], serve, {
    env,
    now: world.clock.now,
  });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^ready /) });
});
