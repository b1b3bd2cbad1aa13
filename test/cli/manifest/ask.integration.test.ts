import { writeFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../../support/world.ts';
import { atQuestion, fileOf, gatehouse, removeFiles } from '../support.ts';

/** What apply asks a person at a terminal, and what it takes for a yes. */
afterAll(removeFiles);
const QUESTION = 'Apply this? [y/N] ';
const REFUSAL = { code: 1, error: 'gatehouse apply: nothing was done: the answer was not yes\n' };

let world: World;
beforeEach(async () => {
  world = await createLightWorld();
});

/** Runs an apply at a terminal. What is typed is typed when the question stands there. */
async function applyAt(text: string, typed: string | undefined, ...args: readonly string[]) {
  return atQuestion(QUESTION, typed, ['apply', fileOf(text), ...args], { env: { TABLE_NAME: world.table } });
}

const isThere = async () => (await world.run('user.list', {})).items;
const DANGEROUS = 'scopes: { school: { type: tenant } }\nusers: { ann: { admin: true } }';

describe('what is dangerous', () => {
  test.each([['y\n'], ['Y\r'], ['yes\n'], ['  YES \n']])('%j: it is done', async (typed) => {
    const { code, out, isAsked } = await applyAt(DANGEROUS, typed);
    expect({ code, isAsked }).toEqual({ code: 0, isAsked: true });
    expect(out).toMatch(/this is dangerous\n {2}.*\+ admin ann .*an administrator may do everything/);
    expect(await isThere()).toHaveLength(1);
  });

  test.each([
    ['n', 'n\n'],
    ['nothing but Enter', '\n'],
    ['another word', 'yesterday\n'],
    ['a yes without Enter, then Ctrl-C', 'y\u0003'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['the end of the input', undefined],
  ])('%s: nothing is done', async (_, typed) => {
    const { code, error, isAsked } = await applyAt(DANGEROUS, typed);
    expect({ code, error }).toEqual(REFUSAL);
    expect(isAsked).toBe(true);
    expect(await isThere()).toEqual([]);
  });

  test('with --yes nobody is asked', async () => {
    const { code, isAsked } = await applyAt(DANGEROUS, 'n\n', '--yes');
    expect({ code, isAsked }).toEqual({ code: 0, isAsked: false });
  });

  test('for a program it wants --yes, though somebody sits there', async () => {
    const { code, out, error, isAsked } = await applyAt(DANGEROUS, 'y\n', '--json');
    expect({ code, error, isAsked }).toEqual({ code: 1, error: '', isAsked: false });
    const message = 'nothing was done: some changes are dangerous: add --yes to apply';
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      applied: false,
      error: { code: 'not_agreed', message },
    });
  });
});

test('what removes is asked about as well, what only creates is not', async () => {
  const first = await applyAt('scopes: { school: { type: tenant } }\nusers: { ann: {} }', 'n\n');
  expect(first).toMatchObject({ code: 0, isAsked: false });
  const none = 'scopes: { school: { type: tenant } }\nusers: {}';
  const kept = await applyAt(none, 'n\n', '--prune');
  expect(kept).toMatchObject({ ...REFUSAL, isAsked: true });
  expect(kept.out).toMatch(/this is removed\n {2}.*- user ann/);
  expect(await isThere()).toHaveLength(1);
  expect(await applyAt(none, 'y\n', '--prune')).toMatchObject({ code: 0, isAsked: true });
  expect(await isThere()).toEqual([]);
});

test('where nobody can be asked it wants --yes: all of it where nobody looks on, else what is dangerous', async () => {
  const env = { TABLE_NAME: world.table };
  const file = fileOf('scopes: { school: { type: tenant } }');
  const refused = await gatehouse(['apply', file], { env });
  expect(refused).toMatchObject({
    code: 1,
    error: 'gatehouse apply: nothing was done: there is no terminal to ask on: add --yes to apply\n',
  });
  expect((await gatehouse(['plan', file], { env })).code).toBe(1);
  const done = await gatehouse(['apply', file], { env, isTerminal: true, isErrorTerminal: true });
  expect(done.code).toBe(0);
  expect(done.error).toContain('\r[==============================] 1/1');
  writeFileSync(file, 'scopes: { school: { type: tenant } }\nusers: { ann: { admin: true } }');
  const dangerous = await gatehouse(['apply', file], { env, isTerminal: true });
  expect(dangerous.code).toBe(1);
  expect(dangerous.error).toContain('some changes are dangerous');
  const json = await gatehouse(['plan', file, '--json'], { env });
  expect(JSON.parse(json.out)).toMatchObject({ create: 2, dangerous: 1, table: world.table });
});
