import { beforeEach, expect, test } from 'vitest';
import type { Authorizer } from '../../authorizer/index.ts';
import type { Listed } from '../../authorizer/sockets/connection.ts';
import { createSockets } from '../../authorizer/sockets/sockets.ts';
import { serveFor } from '../authorizer/served.ts';
import { AUDIENCE, createIssuer, ISSUER, webSocketEvent } from '../authorizer/support.ts';
import { mean } from '../support/external-groups.ts';
import { createWorld } from '../support/world.ts';

/**
 * Live revocation with the authorizer before it, which answers from its cache: a credential that is revoked opens no
 * connection and keeps none, whatever its subject may still do.
 */
const issuer = await createIssuer();
const ann = 'ann';
let authorizer: Authorizer;
const open = new Map<string, Listed>();
let sockets: ReturnType<typeof createSockets>;

const world = await createWorld(`
pages: [board]
scopes: { School: { id: school, type: account } }
roles: { reader: { id: reader, owner: School, allow: [board] } }
groups: { Readers: { id: readers, scope: School, roles: [reader] } }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: School }] }
  kim: { id: kim, assignments: [{ role: reader, scope: School }] }
  bob: { id: bob }
routes: [{ method: CONNECT, path: /$connect, permission: board, scope: "account:school" }]
`);

beforeEach(() => {
  open.clear();
  authorizer = serveFor(issuer, world, { REVOCATION: 'session:sid' });
  sockets = createSockets({
    connections: {
      add: async (connection, openedAt) => void open.set(connection.id, { ...connection, openedAt }),
      remove: async ({ id }) => void open.delete(id),
      find: async function* () {
        yield [...open.values()];
      },
    },
    engine: world.newEngine(),
    close: async () => 'closed',
    now: world.clock.now,
    wait: world.clock.wait,
    log: { error: () => {}, warn: () => {} },
  });
});

/** A login session of Ann, and a token that it gave her. */
async function logIn() {
  const session = (await world.run('session.create', { user: ann })).id;
  return { session, token: `Bearer ${await issuer.token({ sub: ann, sid: session })}` };
}

async function apiToken() {
  const { id, token } = await world.run('token.create', { user: ann, tokenType: 'api' });
  return { id, token: `Bearer ${token}` };
}

/** Opens a connection as API Gateway does; what `change` makes of the authorizer's context. */
async function connect(
  token: string,
  connectionId: string,
  change = (context: Record<string, string>): unknown => context,
) {
  const answer = await authorizer(webSocketEvent({ Authorization: [token] }));
  const { Effect } = 'policyDocument' in answer ? (answer.policyDocument.Statement[0] ?? {}) : {};
  if (Effect !== 'Allow') return 'refused by the authorizer';
  const authorizerContext = change({ ...(answer.context as Record<string, string>) });
  const { apiId, stage } = webSocketEvent().requestContext;
  const connected = { eventType: 'CONNECT', connectionId, apiId, stage, authorizer: authorizerContext };
  const opened = await sockets({ requestContext: connected });
  return 'statusCode' in opened ? opened.statusCode : undefined;
}

/** What the change feed brings of a credential that was revoked. */
const revoked = (ref: 'SESSION' | 'TOKEN', id: string) => ({
  Records: [
    {
      dynamodb: {
        Keys: { PK: { S: `${ref}#${id}` }, SK: { S: 'DECISION' } },
        OldImage: { subject: { S: `user:${ann}` }, status: { S: 'active' } },
        NewImage: { subject: { S: `user:${ann}` }, status: { S: 'revoked' } },
      },
    },
  ],
});

test('a right that is taken away closes a connection, whatever groups the token of it named', async () => {
  await mean(world, 'account:school', ISSUER, { staff: ['readers', 'account:school'] });
  world.settle();
  authorizer = serveFor(issuer, world, {
    TOKEN_ISSUER: undefined,
    TOKEN_AUDIENCE: undefined,
    TOKEN_ISSUERS: JSON.stringify([{ issuer: ISSUER, audience: AUDIENCE, groupsFrom: 'groups' }]),
  });
  const tokenOf = async (sub: string) => `Bearer ${await issuer.token({ sub, groups: ['staff'] })}`;
  expect(await connect(await tokenOf('bob'), 'tablet')).toBe('refused by the authorizer');
  expect(await connect(await tokenOf('kim'), 'tablet')).toBe(200);
  await world.run('assignment.delete', { user: 'kim', role: 'reader', scope: 'account:school' });
  const Keys = { PK: { S: 'USER#kim' }, SK: { S: 'DECISION' } };
  await sockets({ Records: [{ dynamodb: { Keys } }] });
  expect([...open.keys()]).toEqual([]);
});

test('a session that is revoked closes the connections that it opened, and no others', async () => {
  const [phone, desk, robot] = [await logIn(), await logIn(), await apiToken()];
  expect(await connect(phone.token, 'phone')).toBe(200);
  expect(await connect(desk.token, 'desk')).toBe(200);
  expect(await connect(robot.token, 'robot')).toBe(200);
  await world.run('session.update', { id: phone.session, status: 'revoked' });
  await sockets(revoked('SESSION', phone.session));
  expect([...open.keys()]).toEqual(['desk', 'robot']);
  await world.run('token.revoke', { id: robot.id });
  await sockets(revoked('TOKEN', robot.id));
  expect([...open.keys()]).toEqual(['desk']);
});

test('a revoked credential opens none, while the authorizer still allows it from its cache', async () => {
  const [phone, robot] = [await logIn(), await apiToken()];
  expect(await connect(phone.token, 'phone')).toBe(200);
  expect(await connect(robot.token, 'robot')).toBe(200);
  await world.run('session.update', { id: phone.session, status: 'revoked' });
  await world.run('token.revoke', { id: robot.id });
  open.clear();
  expect(await connect(phone.token, 'phone-again')).toBe(403);
  expect(await connect(robot.token, 'robot-again')).toBe(403);
  expect(open.size).toBe(0);
});

test('another one of the same subject does not stand for it', async () => {
  const [phone, desk] = [await logIn(), await logIn()];
  const other = (await world.run('user.create', {})).id;
  const session = (await world.run('session.create', { user: other })).id;
  expect(
    await connect(phone.token, 'phone', (context) => ({ ...context, credential: `session:${session}` })),
  ).toBe(403);
  expect(
    await connect(phone.token, 'phone', (context) => ({ ...context, credential: `session:${desk.session}` })),
  ).toBe(200);
});

test('a connection of which nobody said what opened it: refused, and closed when its credential may be gone', async () => {
  const phone = await logIn();
  const without = ({ credential: _, ...context }: Record<string, string>) => context;
  expect(await connect(phone.token, 'phone', without)).toBe(403);
  expect(await connect(phone.token, 'phone', (context) => ({ ...context, credential: 'SESSION' }))).toBe(403);
  expect(await connect(phone.token, 'phone')).toBe(200);
  open.set('phone', { ...(open.get('phone') as Listed), credential: 'unknown' });
  await sockets(revoked('SESSION', phone.session));
  expect(open.size).toBe(0);
});
