import { expect, test } from 'vitest';
import { createHandleFrom } from '../../authzen/compose.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import { createHandlerFrom } from '../../provisioning/compose.ts';
import { httpEvent, ISSUER } from '../authorizer/support.ts';
import { createTokenWorld } from '../authorizer/token-world.ts';
import { send } from '../authzen/support.ts';
import { mean } from '../support/external-groups.ts';

/** Groups in a token never count for who asks the AuthZEN API, nor for operators (SPEC section 16). */
const OPERATE = 'provisioning:create:location';
const TENANT = 'tenant:acme';

const MANIFEST = `
permissions: ["${EVALUATE}", "${OPERATE}"]
scopes: { Acme: { id: acme, type: tenant } }
roles: { staff: { id: staff, owner: Acme, allow: ["${EVALUATE}", "${OPERATE}"] } }
groups: { Staff: { id: staff, scope: Acme, roles: [staff] } }
users: { ann: { id: ann }, kim: { id: kim, groups: [Staff] } }
routes: [{ method: GET, path: /operate, permission: "${OPERATE}", scope: "${TENANT}" }]
`;

const { world, tokenWith, issuersOf, serve, fetch } = await createTokenWorld(MANIFEST);
await mean(world, TENANT, ISSUER, { staff: ['staff', TENANT] });
world.settle();
const tokenOf = (sub: string) => tokenWith({ sub, groups: ['staff'] });
const token = await tokenOf('ann');
const ENTRY = { groupsFrom: 'groups' };
const ISSUERS = issuersOf(ENTRY);
const parts = () => ({ ...world, log: () => undefined, fetch });

test('the token would allow it at a route', async () => {
  const answer = await serve(ENTRY)(httpEvent('GET', '/operate', { authorization: `Bearer ${token}` }));
  expect(answer).toMatchObject({ isAuthorized: true });
});

test('who asks the AuthZEN API', async () => {
  const handle = createHandleFrom(
    { TABLE_NAME: world.table, PUBLIC_URL: 'https://pdp.example.com', ...ISSUERS },
    { ...parts(), wait: world.clock.wait, random: () => 0 },
  );
  const body = {
    subject: { type: 'user', id: 'kim' },
    action: { name: OPERATE },
    resource: { type: 'tenant', id: 'acme' },
  };
  const statusFor = async (shown: string) =>
    (await send(handle, '/access/v1/evaluation', { token: shown, body })).status;
  expect(await statusFor(token)).toBe(403);
  expect(await statusFor(await tokenOf('kim'))).toBe(200);
});

test('an operator', async () => {
  const handler = createHandlerFrom({ TABLE_NAME: world.table, OPERATORS: 'token', ...ISSUERS }, parts());
  const create = (shown: string) =>
    handler({ command: 'location.create', input: { name: 'North', parent: TENANT }, token: shown });
  expect(await create(token)).toMatchObject({ ok: false, error: { code: 'not_permitted' } });
  expect(await create(await tokenOf('kim'))).toMatchObject({ ok: true });
});
