import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse check`, `gatehouse explain`, and what all subcommands share. */
let world: World;
let ada: string;
let bob: string;
let place: string;
beforeAll(async () => {
  world = await createWorld();
  await world.run('page.create', { name: 'home' });
  const user = async (displayName: string) => (await world.run('user.create', { displayName })).id;
  place = `location:${(await world.run('location.create', { name: 'North' })).id}`;
  ada = `user:${await user('Ada')}`;
  const bobId = await user('Bob');
  bob = `user:${bobId}`;
  const { id: role } = await world.run('role.create', { name: 'reader', scope: 'tenant' });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  await world.run('assignment.create', { user: bobId, scope: place, role, endsAt: '2026-03-01T00:00:00Z' });
});

const asked = (...args: readonly string[]) =>
  gatehouse(args, { env: { TABLE_NAME: world.table }, now: () => Date.parse('2026-02-01T00:00:00Z') });
const ID = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';
const PLACE = 'location:01M7YAMY51QT61RYW2RQE37W98';

describe('check', () => {
  test.each([[[]], [['--strong']]])('says the decision and its reason %j', async (options) => {
    expect(await asked('check', bob, 'home', place, ...options)).toEqual({
      code: 0,
      out: 'ALLOWED (role)\n',
      error: '',
    });
    expect(await asked('check', ada, 'home', place, ...options)).toEqual({
      code: 1,
      out: 'REFUSED (no_grant)\n',
      error: '',
    });
  });

  test('decides for the instant of --at; validity excludes its end', async () => {
    expect((await asked('check', bob, 'home', place, '--at', '2026-02-28T23:59:59.999Z')).code).toBe(0);
    expect((await asked('check', bob, 'home', place, '--at', '2026-03-01')).code).toBe(1);
    expect((await asked('check', bob, 'home', place, '--at', '2026-03-01T00:00:00+01:00')).code).toBe(0);
  });

  test('prints data', async () => {
    const { code, out } = await asked('check', '--json', bob, 'home', place, '--at', '2026-03-01');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ...{ allowed: false, reason: 'no_grant', subject: bob, permission: 'home', scope: place },
      at: '2026-03-01T00:00:00.000Z',
    });
  });

  test('--table and --endpoint come before the environment', async () => {
    const args = ['check', bob, 'home', place, '--at', '2026-02-01', '--table', world.table];
    const env = { TABLE_NAME: 'other', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
    expect((await gatehouse([...args, '--endpoint', world.endpoint], { env })).code).toBe(0);
  });
});

describe('explain', () => {
  test('the exit code of a refusal is 1, of an Allow 0', async () => {
    const refused = await asked('explain', ada, 'home', place);
    expect(refused).toMatchObject({ code: 1, error: '' });
    expect(refused.out).toContain('REFUSED (no_grant)\nsubject     Ada (');
    const allowed = await asked('explain', '--json', bob, 'home', place);
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.out)).toMatchObject({ allowed: true, reason: 'role' });
  });

  test('decides for the instant of --at', async () => {
    const { code, out } = await asked('explain', bob, 'home', place, '--at', '2026-03-01');
    expect(code).toBe(1);
    expect(out).toContain('at          2026-03-01T00:00:00.000Z');
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';
  test.each(['check', 'explain'])('%s: on a terminal only, and not for those who said no', async (name) => {
    const env = { TABLE_NAME: world.table };
    const args = [name, bob, 'home', place, '--at', '2026-02-01'];
    expect((await gatehouse(args, { env, isTerminal: true })).out).toContain(ESCAPE);
    expect((await gatehouse(args, { env, isTerminal: false })).out).not.toContain(ESCAPE);
    const no = { ...env, NO_COLOR: '1' };
    expect((await gatehouse(args, { env: no, isTerminal: true })).out).not.toContain(ESCAPE);
    expect((await gatehouse([...args, '--json'], { env, isTerminal: true })).out).not.toContain(ESCAPE);
  });
});

describe('a usage error is 2, with one line', () => {
  test.each<[string, readonly string[], string]>([
    ['an unknown subcommand', ['chekc'], 'gatehouse: there is no subcommand chekc: did you mean check?'],
    [
      'an unknown option',
      ['test', '--jsn', 'x'],
      'gatehouse test: there is no option --jsn: did you mean --json?',
    ],
    [
      'an unknown option of all',
      ['--colour'],
      'gatehouse: there is no option --colour: gatehouse --help lists them',
    ],
    [
      'too few arguments',
      ['check', ID, 'home'],
      'gatehouse check: <scope> is missing. Usage: gatehouse check',
    ],
    [
      'too many',
      ['explain', ID, 'home', PLACE, 'more'],
      'gatehouse explain: 4 arguments are too many: put a value with spaces in quotes.',
    ],
    ['no permission', ['check', ID, 'a:b', PLACE], 'gatehouse check: PERMISSION a:b is neither a page'],
    ['no instant', ['check', ID, 'home', PLACE, '--at', 'noon'], 'gatehouse check: --at noon is neither'],
    [
      'no such day',
      ['check', ID, 'home', PLACE, '--at', '2026-02-30'],
      'gatehouse check: --at 2026-02-30 is',
    ],
    [
      'no address',
      ['check', ID, 'home', PLACE, '--table', 'abc', '--endpoint', 'here'],
      'gatehouse check: --endpoint here is not a URL',
    ],
    ['no file', ['test'], 'gatehouse test: <files> is missing. Usage: gatehouse test'],
  ])('%s', async (_, args, message) => {
    const { code, out, error } = await gatehouse(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.startsWith(message), error).toBe(true);
    expect(error.indexOf('\n')).toBe(error.length - 1);
  });

  test('an endpoint from the environment is named as such', async () => {
    const env = { TABLE_NAME: 'abc', DYNAMODB_ENDPOINT: 'here' };
    const { code, error } = await gatehouse(['check', ID, 'home', PLACE], { env });
    expect(code).toBe(2);
    expect(error).toBe(
      'gatehouse check: DYNAMODB_ENDPOINT here is not a URL, such as http://127.0.0.1:8000\n',
    );
  });

  test('no subcommand: the help, as an error', async () => {
    const { code, out, error } = await gatehouse([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain('Usage: gatehouse <subcommand>');
  });
});

test('--help names every subcommand', async () => {
  const { code, out } = await gatehouse(['--help']);
  expect(code).toBe(0);
  for (const name of ['check', 'explain', 'test']) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(out).toContain('gatehouse help SUBCOMMAND shows examples, options and exit codes.');
});

test('without an answer, the message says what to check', async () => {
  const env = { TABLE_NAME: 'gatehouse', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
  expect(await gatehouse(['check', bob, 'home', place], { env })).toEqual({
    code: 2,
    out: '',
    error:
      'gatehouse check: http://127.0.0.1:1 does not answer (ECONNREFUSED): check --endpoint or DYNAMODB_ENDPOINT (gatehouse dev starts a local table)\n',
  });
});
