import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';
import { fileOf, gatehouse, whileListening } from './support.ts';

/** People whom a provider sends: what would become of them, how connections are, and the server itself. */
const DAY_MS = 86_400_000;
const world = await createWorld(`
pages: [reports]
scopes: { Contoso: { id: contoso, type: tenant } }
roles: { reader: { id: reader, owner: Contoso, allowOnly: true, allow: [reports] } }
groups: { Readers: { id: readers, scope: Contoso, allowOnly: true, roles: [reader] } }
`);
await world.run('domain.create', { name: 'contoso.example', tenant: 'tenant:contoso' });
await world.run('scim-connection.create', { id: 'entra', scope: 'tenant:contoso', name: 'Entra' });
const made = await world.run('scim-credential.create', { connection: 'entra' });
const credential = String(made.token);
const link = { connection: 'entra', userName: 'ann', email: 'ann@contoso.example' };
const ann = String((await world.run('scim-user.create', link)).user);
await world.run('membership.create', { user: ann, group: 'readers' });
const run = (args: readonly string[], now = world.clock.now()) =>
  gatehouse(args, { env: { TABLE_NAME: world.table }, now: () => now });

describe('preview', () => {
  const preview = (requests: unknown, ...more: readonly string[]) =>
    run(['scim', 'preview', 'entra', fileOf(JSON.stringify(requests), 'json'), ...more]);
  const ended = () => ({
    method: 'PATCH',
    path: `/Users/${ann}`,
    body: { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] },
  });

  test('shows who would lose what, and writes nothing', async () => {
    const before = await world.run('scim-user.read', { connection: 'entra', user: ann });
    const { code, out } = await preview([ended()]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 request, 0 refused') });
    expect(out).toMatch(/who loses access: 1 person\n {2}.*loses reports at Contoso \(tenant:contoso\)/);
    expect(await world.run('scim-user.read', { connection: 'entra', user: ann })).toEqual(before);
  });

  test('shows who would gain what, request after request', async () => {
    const begun = { method: 'PATCH', path: `/Users/${ann}`, body: { active: true } };
    const { out } = await preview([
      ended(),
      { ...begun, body: { Operations: [{ op: 'replace', value: { active: true } }] } },
    ]);
    expect(out).toContain('who loses access: nobody');
    await world.run('scim-user.update', { connection: 'entra', user: ann, active: false });
    const again = await preview([
      { ...begun, body: { Operations: [{ op: 'replace', value: { active: true } }] } },
    ]);
    expect(again.out).toMatch(/gains reports at Contoso/);
    await world.run('scim-user.update', { connection: 'entra', user: ann, active: true });
  });

  test('lets later requests name what earlier ones made', async () => {
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ben' };
    const { code, out } = await preview(
      [
        { method: 'POST', path: '/Users', bulkId: 'ben', body: user },
        { method: 'DELETE', path: '/Users/bulkId:ben' },
      ],
      '--json',
    );
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, requests: 2, refused: [] });
  });

  test('lists what would be refused, and ends with 1', async () => {
    const taken = { method: 'POST', path: '/Users', body: { userName: 'ann' } };
    const { code, out } = await preview([taken, { method: 'DELETE', path: '/Users/nobody' }]);
    expect(code).toBe(1);
    expect(out).toMatch(/^POST \/Users: 4\d\d .+\nDELETE \/Users\/nobody: 404 .+\n2 requests, 2 refused\n/);
  });

  test('says what is wrong with a file', async () => {
    const { code, error } = await preview([{ method: 'GET', path: '/Users' }]);
    expect(code).toBe(2);
    expect(error).toContain('method');
  });
});

describe('status', () => {
  test('of a new connection: nothing was sent', async () => {
    const { code, out } = await run(['scim', 'status']);
    expect(code).toBe(1);
    expect(out).toContain(
      'Entra (entra) of tenant:contoso: nothing was sent for 24 hours\n  last sync never; 1 user, 0 groups\n',
    );
  });

  test('is well after a sync, for a day, and until 30 days before the end of its last credential', async () => {
    const now = world.clock.now();
    await world.run('scim-connection.update', { id: 'entra', lastSyncAt: new Date(now).toISOString() });
    const at = async (later: number) => (await run(['scim', 'status', 'entra'], now + later)).code;
    expect(await at(DAY_MS)).toBe(0);
    expect(await at(DAY_MS + 1)).toBe(1);
    const soon = now + 336 * DAY_MS;
    await world.run('scim-connection.update', { id: 'entra', lastSyncAt: new Date(soon).toISOString() });
    const { out } = await run(['scim', 'status', 'entra', '--json'], soon);
    expect(JSON.parse(out)[0].problems).toEqual(['its credential ends in 29 days']);
    expect((await run(['scim', 'status', 'entra'], now + 366 * DAY_MS)).out).toContain('no valid credential');
  });
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
