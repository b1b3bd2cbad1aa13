import { beforeEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../local/gateway/gateway.ts';
import { httpApiV2, ok, request } from '../local/support.ts';
import { createWorld, type World } from '../support/world.ts';
import { type Client, groupOf, patchOf, userOf } from './support.ts';
import { makeTenant, serve } from './tenants.ts';

/** `active: false` ends access within the bounds of docs/freshness.md, counted from the PATCH. */
const ENGINE_TTL_MS = 60_000;
const GATEWAY_TTL_SECONDS = 300;

let world: World;
let send: Client;
/** A group of the connection, whose role opens a page; and the same page by hand. */
let group: string;
let role: string;
const SCOPE = 'tenant:acme';

beforeEach(async () => {
  world = await createWorld();
  send = serve(world).as(await makeTenant(world, 'acme'));
  await world.run('page.create', { name: 'home' });
  ({ id: role } = await world.run('role.create', { name: 'reader', scope: SCOPE, allowOnly: true }));
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  group = await groupOf(send, 'Staff');
  await world.run('group-role.create', { group, role });
});

/** A user whom the connection makes, and one who was there before and is linked: both get access by its group. */
async function member(kind: 'made' | 'linked'): Promise<string> {
  const email = `${kind}@acme.example`;
  if (kind === 'linked') await world.run('user.create', { email });
  const id = await userOf(send, kind, { emails: [{ value: email }] });
  const value = [{ value: id }];
  expect(
    (await send('PATCH', `/Groups/${group}`, patchOf({ op: 'add', path: 'members', value }))).status,
  ).toBe(204);
  world.settle();
  return id;
}

async function say(user: string, active: boolean): Promise<void> {
  const { status, json } = await send(
    'PATCH',
    `/Users/${user}`,
    patchOf({ op: 'replace', value: { active } }),
  );
  expect([status, json.active]).toEqual([200, active]);
}

describe.each(['made', 'linked'] as const)('a user whom the connection has %s', (kind) => {
  test('gets no answer 200 later than the engine’s bound and that of the gateway’s cache', async () => {
    const id = await member(kind);
    const { clock } = world;
    const engine = world.newEngine({ ttlMs: ENGINE_TTL_MS });
    const invoke = async () => ({ isAuthorized: (await engine.check(`user:${id}`, 'home', SCOPE)).allowed });
    const api = httpApiV2({
      routes: [{ key: 'GET /x', integration: ok }],
      authorizer: { invoke, resultTtlSeconds: GATEWAY_TTL_SECONDS },
    });
    const gateway = createGateway({ apis: [api], clock: clock.now, maxCachedAnswers: 1_000 });
    /** Each token has an answer of its own in the cache. */
    const statusWith = async (token: number): Promise<number> =>
      (await gateway(request('GET /x', [['Authorization', `${token}`]]))).statusCode;
    expect(await statusWith(-1)).toBe(200);
    await say(id, false);
    const patchedAt = clock.now();
    let lastAllowedMs = 0;
    // Every few seconds with a new token, and with those of the first minute.
    for (let token = 0; token <= 80; token++) {
      const statuses = [await statusWith(token)];
      for (let older = 0; older < Math.min(token, 13); older++) statuses.push(await statusWith(older));
      if (statuses.includes(200)) lastAllowedMs = clock.now() - patchedAt;
      clock.advance(5_000);
    }
    const bound = ENGINE_TTL_MS + GATEWAY_TTL_SECONDS * 1_000;
    expect(lastAllowedMs).toBeLessThan(bound);
    // Both bounds were needed.
    expect(lastAllowedMs).toBeGreaterThan(bound * 0.9);
  });
});
