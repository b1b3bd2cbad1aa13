import { expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** What all subcommands share. What they print: transcripts/. */
const world = await createWorld(`
pages: [home]
scopes: { acme: { id: acme, type: tenant } }
users: { ann: { id: ann, admin: true } }
`);
const ASKED = ['user:ann', 'home', 'tenant:acme'];

test('--table and --endpoint come before the environment', async () => {
  const env = { TABLE_NAME: 'other', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
  const options = ['--table', world.table, '--endpoint', world.endpoint];
  expect((await gatehouse(['check', ...ASKED, ...options], { env })).code).toBe(0);
});

test('an endpoint from the environment is named as such', async () => {
  const { code, error } = await gatehouse(['check', ...ASKED], {
    env: { TABLE_NAME: 'abc', DYNAMODB_ENDPOINT: 'here' },
  });
  expect(code).toBe(2);
  expect(error).toBe('gatehouse check: DYNAMODB_ENDPOINT here is not a URL, such as http://127.0.0.1:8000\n');
});

test.each(['check', 'explain'])(
  '%s has colours on a terminal only, and not for those who said no',
  async (name) => {
    const ESCAPE = '\u001b[';
    const env = { TABLE_NAME: world.table };
    const args = [name, ...ASKED];
    expect((await gatehouse(args, { env, isTerminal: true })).out).toContain(ESCAPE);
    expect((await gatehouse(args, { env, isTerminal: false })).out).not.toContain(ESCAPE);
    const no = { ...env, NO_COLOR: '1' };
    expect((await gatehouse(args, { env: no, isTerminal: true })).out).not.toContain(ESCAPE);
    expect((await gatehouse([...args, '--json'], { env, isTerminal: true })).out).not.toContain(ESCAPE);
  },
);

test('--help names every subcommand', async () => {
  const { code, out } = await gatehouse(['--help']);
  expect(code).toBe(0);
  for (const name of ['check', 'explain', 'test']) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(out).toContain('gatehouse help SUBCOMMAND shows examples, options and exit codes.');
});
