import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../support/listening.ts';
import { createWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Every subcommand, used wrongly: one line that says what to do. As data, and without a table: transcripts/mistakes.txt. */
const world = await createWorld();
afterAll(removeFiles);

const ENDPOINT = '--endpoint or DYNAMODB_ENDPOINT (gatehouse dev starts a local table)';
const ID = '01M7YAMYCAWSND2TZ7F47P6DYF';
const [SUBJECT, SCOPE] = [`user:${ID}`, `tenant:${ID}`];
const manifest = () => fileOf('scopes: { school: { type: tenant } }');
const asked = () =>
  fileOf(`tests: [{ subject: "${SUBJECT}", permission: home, scope: "${SCOPE}", expect: deny }]`);
const openapi = () =>
  fileOf('openapi: 3.1.0\npaths: { /a: { get: { x-gatehouse: { permission: p, scope: "tenant:x" } } } }');

/** Each subcommand that needs the table. */
const COMMANDS: readonly (() => readonly string[])[] = [
  () => ['check', SUBJECT, 'home', SCOPE],
  () => ['explain', SUBJECT, 'home', SCOPE],
  () => ['who', 'home', SCOPE],
  () => ['menu', SUBJECT, SCOPE],
  () => ['where', SUBJECT, 'home'],
  () => ['narrow', SUBJECT, 'home'],
  () => ['test', asked()],
  () => ['route', 'add', 'GET', '/a', '--permission', 'p', '--scope', 'tenant:x'],
  () => ['route', 'list'],
  () => ['route', 'remove', ID],
  () => ['route', 'test', 'GET', '/a'],
  () => ['route', 'check'],
  () => ['route', 'import', openapi()],
  () => ['route', 'gaps', openapi()],
  () => ['rows', 'check', '-'],
  () => ['command', 'page.list'],
  () => ['plan', manifest()],
  () => ['apply', manifest(), '--yes'],
  () => ['export'],
  () => ['onboard', 'Acme', '--email', 'a@example.com', '--role', 'admin=home'],
  () => ['load', 'users', fileOf('email\na@example.com\n', 'csv')],
  () => ['revoke-user', 'a@example.com'],
  () => ['suspend-tenant', SCOPE],
  () => ['revoke-session', ID],
  () => ['revoke-token', ID],
  () => ['log'],
  () => ['verify'],
  () => ['migrate'],
  () => ['explore'],
];

const namesIn = (args: readonly string[]) => args.slice(0, ['route', 'rows'].includes(args[0] ?? '') ? 2 : 1);

/** Runs each subcommand with these options; with a code also for programs: the message is one and the same. */
async function expectOfAll(options: readonly string[], message: string, code?: string): Promise<void> {
  for (const argsOf of COMMANDS) {
    const args = [...argsOf(), ...options];
    const names = namesIn(args).join(' ');
    const run = await gatehouse(args, { env: { DYNAMODB_ENDPOINT: undefined } });
    expect(run, args.join(' ')).toEqual({ code: 2, out: '', error: `gatehouse ${names}: ${message}\n` });
    if (code === undefined) continue;
    const json = await gatehouse([...args, '--json'], { env: { DYNAMODB_ENDPOINT: undefined } });
    expect({ ...json, out: JSON.parse(json.out) }, args.join(' ')).toEqual({
      code: 2,
      error: '',
      out: { ok: false, error: { code, message, retryable: false } },
    });
  }
}

describe('every subcommand says what to do', () => {
  const withoutAws = () => {
    const names = ['REGION', 'DEFAULT_REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'PROFILE'];
    for (const name of names) vi.stubEnv(`AWS_${name}`, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    onTestFinished(() => void vi.unstubAllEnvs());
  };

  test('without a table', () =>
    expectOfAll(
      [],
      'no table is named: give --table NAME or set TABLE_NAME. For a local table, start npx gatehouse-authz dev in another terminal and type here: export TABLE_NAME=gatehouse DYNAMODB_ENDPOINT=http://127.0.0.1:3001',
      'usage',
    ));

  test('without a region', async () => {
    withoutAws();
    await expectOfAll(
      ['--table', 'gatehouse'],
      'no AWS region is set: give --region or set AWS_REGION; for a local table, give --endpoint or set DYNAMODB_ENDPOINT',
      'connection',
    );
  });

  test('without credentials', async () => {
    withoutAws();
    await expectOfAll(
      ['--table', 'gatehouse', '--region', 'eu-central-1'],
      'no valid AWS credentials: set AWS_PROFILE, or log in (aws sso login); for a local table, give --endpoint or set DYNAMODB_ENDPOINT',
    );
  });

  test('where nothing listens', () =>
    expectOfAll(
      ['--table', 'gatehouse', '--endpoint', 'http://127.0.0.1:1'],
      `http://127.0.0.1:1 does not answer (ECONNREFUSED): check ${ENDPOINT}`,
    ));

  test.each([
    [401, 'application/json', '{"message":"Unauthorized"}'],
    [404, 'text/html', '<html>'],
    [200, 'text/html', '<html>'],
    [200, 'application/json', '{}'],
  ])('where another service answers %i %s', async (status, type, body) => {
    const url = await listen(
      (_, answer) => void answer.writeHead(status, { 'content-type': type }).end(body),
    );
    const detail = status === 200 && body === '{}' ? 'UnknownError' : `HTTP ${status}`;
    await expectOfAll(
      ['--table', 'gatehouse', '--endpoint', url],
      `${url} is not DynamoDB (${detail}): check ${ENDPOINT}`,
    );
  });

  test('where there is no such table', () =>
    expectOfAll(
      ['--table', 'no-such-table', '--endpoint', world.endpoint],
      `there is no table no-such-table at ${world.endpoint}: check --table or TABLE_NAME, the endpoint and the region`,
      'connection',
    ));

  test('with a table and a function', () =>
    expectOfAll(
      ['--table', 'gatehouse', '--function', 'provisioning'],
      '--table and --function exclude each other: the function has its own table',
    ));
});

test('a load that ends early is one document with --json, with what was done', async () => {
  const file = fileOf('email\na@example.com\n', 'csv');
  const through = ['--function', 'provisioning', '--lambda-endpoint', 'http://127.0.0.1:1'];
  const { out } = await gatehouse(['load', 'users', file, '--json', ...through]);
  const error = { code: 'incomplete', retryable: true };
  expect(JSON.parse(out)).toMatchObject({ ok: false, complete: false, rows: 0, error });
});

test('global options stand before the subcommand too, and come before the environment', async () => {
  const table = ['--table', world.table, '--endpoint', world.endpoint];
  const env = { TABLE_NAME: 'other', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
  const after = await gatehouse(['route', 'list', ...table, '--json'], { env });
  expect(after).toMatchObject({ code: 0, error: '' });
  for (const args of [
    [...table, '--json', 'route', 'list'],
    ['--json', 'route', ...table, 'list'],
    ['route', '--json', 'list', ...table],
  ])
    expect(await gatehouse(args, { env }), args.join(' ')).toEqual(after);
});

test('a function without an answer: an option is advised only where there is one', async () => {
  const url = await listen((incoming) => void incoming.socket.destroy());
  const through = (...args: readonly string[]) =>
    gatehouse([...args, '--function', 'provisioning', '--lambda-endpoint', url, '--deadline', '0.1']);
  for (const args of [
    ['plan', manifest()],
    ['revoke-user', 'a@example.com'],
  ])
    expect((await through(...args)).error).toMatch(/attempts?\); run it again: nothing is done twice\n$/);
  expect((await through('command', 'page.list')).error).toMatch(
    /attempts?\); run it again with --operation \w+: nothing is done twice\n$/,
  );
});
