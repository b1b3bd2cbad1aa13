import { beforeAll, expect, test } from 'vitest';
import { runExplain } from '../../local/explain.ts';
import { createWorld, type World } from '../support/world.ts';

/** `npm run explain`: what it prints, and its exit codes. */
let world: World;
let user: string;
let place: string;
beforeAll(async () => {
  world = await createWorld();
  await world.run('page.create', { name: 'home' });
  user = `user:${(await world.run('user.create', { displayName: 'Ada' })).id}`;
  place = `location:${(await world.run('location.create', { name: 'North' })).id}`;
});

async function explain(args: readonly string[], changes: Record<string, string | undefined> = {}) {
  const [out, error]: [string[], string[]] = [[], []];
  const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: world.endpoint, ...changes };
  const code = await runExplain(args, {
    env,
    out: (text) => out.push(text),
    error: (text) => error.push(text),
  });
  return { code, out: out.join(''), error: error.join('') };
}

test('refused is 1, allowed is 0', async () => {
  const refused = await explain([user, 'home', place]);
  expect(refused).toMatchObject({ code: 1, error: '' });
  expect(refused.out).toContain('REFUSED (no_grant)\nsubject     Ada (');
  await world.run('admin.create', { user: user.slice('user:'.length) });
  const allowed = await explain(['--json', user, 'home', place]);
  expect(allowed.code).toBe(0);
  expect(JSON.parse(allowed.out)).toMatchObject({ allowed: true, reason: 'admin' });
});

test.each<[string, readonly string[], Record<string, string | undefined>, string]>([
  ['nothing', [], {}, 'SUBJECT, PERMISSION and SCOPE are needed'],
  ['too much', ['a', 'b', 'c', 'd'], {}, 'and nothing else'],
  ['an unknown option', ['a', 'b', 'c', '--yaml'], {}, 'unknown option --yaml'],
  ['no table', ['a', 'b', 'c'], { TABLE_NAME: undefined }, 'TABLE_NAME is not set'],
  ['no address', ['a', 'b', 'c'], { DYNAMODB_ENDPOINT: 'here' }, 'DYNAMODB_ENDPOINT is not a URL'],
])('wrong use is 2, with the usage: %s', async (_, args, changes, message) => {
  const { code, out, error } = await explain(args, changes);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toContain(message);
  expect(error).toContain('usage: npm run explain');
});

test('a fault is 2: a table that is not there', async () => {
  const { code, out, error } = await explain([user, 'home', place], { TABLE_NAME: 'no-such-table' });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toMatch(/^explain: \S/);
});
