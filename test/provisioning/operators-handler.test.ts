import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../../provisioning/compose.ts';
import { createWorld } from '../support/world.ts';

/** The function of provisioning where operators are verified: by tokens of an issuer, or as IAM principals. */
const ISSUER = 'https://issuer.example';
const ACCOUNT = 'arn:aws:sts::123456789012:assumed-role';
const world = await createWorld();
const { run } = world;
const principals = {
  deploy: `${ACCOUNT}/deploy`,
  ann: `${ACCOUNT}/sso-administrators/ann`,
};
for (const [id, sub] of Object.entries(principals)) {
  await run('user.create', { id, issuer: 'iam', sub });
  await run('admin.create', { user: id });
}
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const keys: { keys: unknown[] } = {
  keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }],
};
const now = Math.floor(world.clock.now() / 1_000);
const tokenOf: (claims?: Record<string, unknown>) => Promise<string> = (claims = {}) =>
  new SignJWT({ sub: 'deploy', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(ISSUER)
    .setAudience('provisioning')
    .setExpirationTime(now + 600)
    .sign(privateKey);

const TOKENS = { TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: 'provisioning' };
const handlerOf = (env: Record<string, string>, fetched: () => Promise<Response>) => {
  const { reader, writer, clock } = world;
  return createHandlerFrom(
    { TABLE_NAME: 'gatehouse', ...env },
    { reader, writer, clock, log: () => undefined, fetch: fetched },
  );
};
const answered = async () => new Response(JSON.stringify(keys));
const command = { command: 'module.list', input: {} };

describe('OPERATORS=token', () => {
  test('a JWT of the issuer names the operator; another audience or no token is refused', async () => {
    const handler = handlerOf({ OPERATORS: 'token', ...TOKENS }, answered);
    expect(await handler({ ...command, token: await tokenOf() })).toMatchObject({ ok: true });
    const refused = { ok: false, error: { code: 'not_permitted', field: 'token', retryable: false } };
    expect(await handler(command)).toMatchObject(refused);
    expect(await handler({ ...command, token: `${await tokenOf()}x` })).toMatchObject(refused);
    // Nobody's subject.
    const stranger = await handler({ ...command, token: await tokenOf({ sub: 'stranger' }) });
    expect(stranger).toMatchObject({ error: { code: 'not_permitted' } });
  });

  test('while the issuer is down, the answer is one to retry, and nothing is done', async () => {
    const handler = handlerOf({ OPERATORS: 'token', ...TOKENS }, () => Promise.reject(new Error('down')));
    const answer = await handler({ ...command, token: await tokenOf() });
    expect(answer).toMatchObject({ error: { code: 'transient', retryable: true } });
  });
});

describe('OPERATORS=iam', () => {
  const request = (userArn: string, body: unknown, more: object = {}) => ({
    version: '2.0',
    requestContext: { authorizer: { iam: { userArn, accountId: '123456789012' } } },
    body: JSON.stringify(body),
    isBase64Encoded: false,
    ...more,
  });
  const send = (event: unknown) => handlerOf({ OPERATORS: 'iam' }, answered)(event);

  test.each([
    ['an assumed role, whatever its session is called', `${ACCOUNT}/deploy/run-17`, 200],
    ['a session that is an identity of its own', `${ACCOUNT}/sso-administrators/ann`, 200],
    ['another session of that role', `${ACCOUNT}/sso-administrators/eve`, 403],
    ['another role', `${ACCOUNT}/deployer/run-17`, 403],
    ['a role in another account', `${ACCOUNT.replace('1234', '9999')}/deploy/run-17`, 403],
    ['a session whose name imitates a role', `${ACCOUNT}/other/deploy`, 403],
    ['no ARN', 'deploy', 403],
  ])('%s', async (_, userArn, statusCode) => {
    expect(await send(request(userArn, command))).toMatchObject({ statusCode });
  });

  test('the record has the operator and the principal', async () => {
    const body = JSON.stringify({ command: 'module.create', input: { name: 'billing' } });
    const encoded = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    expect(await send(request(`${ACCOUNT}/deploy/run-18`, '', encoded))).toMatchObject({ statusCode: 200 });
    const { items } = (await world.run('audit.list', { user: 'deploy' })) as unknown as { items: object[] };
    expect(items).toMatchObject([{ actor: 'user:deploy', principal: `${ACCOUNT}/deploy/run-18` }]);
  });

  test('a direct invocation is refused, also with a token or a principal in the event', async () => {
    for (const event of [command, { ...command, token: await tokenOf() }])
      expect(await send(event)).toMatchObject({ ok: false, error: { code: 'not_permitted' } });
    const named = await send({ ...command, principal: `${ACCOUNT}/deploy/x` });
    expect(named).toMatchObject({ error: { code: 'invalid', field: 'principal' } });
  });

  test('a body that is no command is 400', async () => {
    for (const body of ['{', '[]', ''])
      expect(await send(request(`${ACCOUNT}/deploy/x`, '', { body }))).toMatchObject({ statusCode: 400 });
  });
});

describe('a configuration that would not protect is refused at the start', () => {
  test.each([
    [{ OPERATORS: 'tokens' }, 'OPERATORS'],
    [{ APPROVAL_FOR: '*.delete' }, 'APPROVAL_FOR'],
    [{ OPERATIONS_SCOPE: 'tenant:operations' }, 'OPERATIONS_SCOPE'],
    [{ OPERATORS: 'iam', OPERATIONS_SCOPE: 'user:ann' }, 'OPERATIONS_SCOPE'],
    [{ OPERATORS: 'iam', APPROVAL_FOR: 'tenant.delete; admin.*' }, 'APPROVAL_FOR'],
    [{ OPERATORS: 'iam', APPROVAL_FOR: 'tenant.delete,tenant.erase' }, 'APPROVAL_FOR'],
    [{ OPERATORS: 'iam', APPROVAL_FOR: 'effect:right' }, 'APPROVAL_FOR'],
    [{ OPERATORS: 'token', TOKEN_ISSUER: 'http://issuer.example' }, 'TOKEN_ISSUER'],
  ])('%j', (env, name) => {
    expect(() => createHandlerFrom({ TABLE_NAME: 'gatehouse', ...env })).toThrow(name);
  });
});

test('approvals may be asked for by names of commands and by effects', () => {
  const APPROVAL_FOR = 'tenant.delete, *.delete-tree, admin.*, effect:operator-rights, effect:tenant-end';
  expect(() => createHandlerFrom({ TABLE_NAME: 'gatehouse', OPERATORS: 'iam', APPROVAL_FOR })).not.toThrow();
});

test('without OPERATORS a token is refused: nobody would verify it', async () => {
  const handler = handlerOf({}, answered);
  const error = { code: 'invalid', field: 'token' };
  expect(await handler({ ...command, token: 'x' })).toMatchObject({ error });
  expect(await handler(command)).toMatchObject({ ok: true });
});
