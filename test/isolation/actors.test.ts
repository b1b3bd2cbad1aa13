import { describe, expect, test } from 'vitest';
import { createHandleFrom } from '../../authzen/compose.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import { createHandlerFrom } from '../../provisioning/compose.ts';
import { httpEvent, ISSUER } from '../authorizer/support.ts';
import { createTokenWorld } from '../authorizer/token-world.ts';
import { send } from '../authzen/support.ts';
import { mean } from '../support/external-groups.ts';

/**
 * Whoever acts for who asks the AuthZEN API, or for an operator, may do no more than itself (SPEC section 17). Groups in
 * a token never count for either (SPEC section 16).
 */
const OPERATE = 'provisioning:create:location';
const LIST = 'provisioning:list:audit';
const TENANT = 'tenant:acme';

const MANIFEST = `
permissions: ["tenant:read:tenant", "${EVALUATE}", "${OPERATE}", "${LIST}"]
scopes: { Acme: { id: acme, type: tenant } }
roles: { staff: { id: staff, owner: Acme, allow: ["tenant:read:tenant", "${EVALUATE}", "${OPERATE}", "${LIST}"] } }
users:
  ann: { id: ann, grants: { Acme: [staff] } }
  ben: { id: ben }
  cat: { id: cat, grants: { Acme: [staff] } }
  root: { id: root, admin: true }
groups: { Staff: { id: staff, scope: Acme, roles: [staff] } }
routes: [{ method: GET, path: /operate, permission: "${OPERATE}", scope: "${TENANT}" }]
`;

const { world, tokenWith, issuersOf, serve, fetch } = await createTokenWorld(MANIFEST);
const tokenOf = (sub: string, actor?: string): Promise<string> =>
  tokenWith({ sub, ...(actor === undefined ? {} : { act: { sub: actor } }) });
await mean(world, TENANT, ISSUER, { staff: ['staff', TENANT] });
world.settle();
/** Ben may nothing, but by the group that his token names. */
const grouped = (): Promise<string> => tokenWith({ sub: 'ben', groups: ['staff'] });
const ENTRY = { actorFrom: { claim: 'act', type: 'user' }, groupsFrom: 'groups' };
const ISSUERS = issuersOf(ENTRY);
const parts = () => ({ ...world, log: () => undefined, fetch });

test('a group in a token would allow it at a route', async () => {
  const event = httpEvent('GET', '/operate', { authorization: `Bearer ${await grouped()}` });
  expect(await serve(ENTRY)(event)).toMatchObject({ isAuthorized: true });
});

describe('who asks the AuthZEN API', () => {
  const body = {
    subject: { type: 'user', id: 'cat' },
    action: { name: 'read' },
    resource: { type: 'tenant', id: 'acme' },
  };
  const statusFor = async (token: string, issuers = ISSUERS) => {
    const handle = createHandleFrom(
      { TABLE_NAME: world.table, PUBLIC_URL: 'https://pdp.example.com', ...issuers },
      { ...parts(), wait: world.clock.wait, random: () => 0 },
    );
    const { status, json } = await send(handle, '/access/v1/evaluation', { token, body });
    return status === 200 ? json.context.reason : status;
  };

  test('is decided with its actor', async () => {
    expect(await statusFor(await tokenOf('ann'))).toBe('role');
    expect(await statusFor(await tokenOf('ann', 'cat'))).toBe('role');
    // As for any resource of a root where it may not ask.
    expect(await statusFor(await tokenOf('ann', 'ben'))).toBe('scope_unknown');
    expect(await statusFor(await tokenOf('ben', 'ann'))).toBe(403);
  });

  test('has nothing by groups in its token', async () => {
    expect(await statusFor(await grouped())).toBe(403);
  });
});

describe('an operator', () => {
  const run = async (token: string, command: string, input: object, more: object = {}) => {
    const env = { TABLE_NAME: world.table, OPERATORS: 'token', ...ISSUERS };
    return createHandlerFrom(env, parts())({ command, input, token, ...more });
  };
  const create = (token: string, name: string, more?: object) =>
    run(token, 'location.create', { name, parent: TENANT }, more);

  test('may do through an actor what both may, and nothing by groups in a token', async () => {
    for (const token of [await tokenOf('ann', 'ben'), await tokenOf('ben', 'ann'), await grouped()])
      expect(await create(token, 'North')).toMatchObject({ error: { code: 'not_permitted' } });
    expect(await create(await tokenOf('ann', 'cat'), 'North')).toMatchObject({ ok: true });
  });

  test('who is an administrator may no more through an actor than the actor', async () => {
    expect(await create(await tokenOf('root', 'ben'), 'South')).toMatchObject({
      error: { code: 'not_permitted' },
    });
    expect(await create(await tokenOf('root', 'ann'), 'South')).toMatchObject({ ok: true });
    expect(await create(await tokenOf('ann', 'root'), 'West')).toMatchObject({ ok: true });
  });

  test('who states another actor than the one who acts is refused', async () => {
    const token = await tokenOf('ann', 'cat');
    for (const actor of ['user:ann', 'user:ben'])
      expect(await create(token, 'East', { actor })).toMatchObject({ error: { field: 'actor' } });
    expect(await create(token, 'East', { actor: 'user:cat' })).toMatchObject({ ok: true });
  });

  test('is in the audit log with who acted, and found by both', async () => {
    world.clock.advance(1_000);
    const from = new Date(world.clock.now()).toISOString();
    expect(await create(await tokenOf('ann', 'cat'), 'Centre')).toMatchObject({ ok: true });
    expect(await create(await tokenOf('cat'), 'Edge')).toMatchObject({ ok: true });
    const listed = async (by: object) => {
      const { items } = await world.run('audit.list', { ...by, from });
      return (items as { actor: string; onBehalfOf?: string; after: { name: string } }[]).map((record) => [
        record.after.name,
        record.actor,
        record.onBehalfOf,
      ]);
    };
    const centre = ['Centre', 'user:cat', 'user:ann'];
    expect(await listed({ user: 'ann' })).toEqual([centre]);
    expect(await listed({ actor: 'cat' })).toEqual([centre]);
    expect(await listed({ user: 'cat' })).toEqual([['Edge', 'user:cat', undefined]]);
    expect(await listed({ tenant: TENANT })).toHaveLength(2);
  });
});
