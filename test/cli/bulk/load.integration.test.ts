import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** What `gatehouse load` does with files. Rows, and what becomes of them: transcripts/load.txt. */
const world = await createWorld();
afterAll(removeFiles);

async function load(file: string, ...options: readonly string[]) {
  const { code, out, error } = await gatehouse(['load', 'users', file, '--json', ...options], {
    env: { TABLE_NAME: world.table },
  });
  const { created, present, refused, rows, error: fault } = JSON.parse(out);
  const text = fault === undefined ? error : `${error}${fault.message}\n`;
  return { code, error: text.replaceAll(file, 'FILE'), counts: [rows, created, present, refused] };
}
const csv = (...lines: readonly string[]) => fileOf(`${lines.join('\n')}\n`, 'csv');
const refusedOf = (file: string) => file.replace(/\.csv$/, '.refused.csv');
const user = async (by: Record<string, unknown>) => world.run('user.read', by);

describe('a file that is no text', () => {
  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    const file = csv('email,displayName', 'latin@example.com,X');
    const bytes = readFileSync(file);
    bytes[bytes.length - 2] = 0xe4;
    writeFileSync(file, new Uint8Array(bytes));
    expect(await load(file)).toMatchObject({
      code: 1,
      error: 'FILE:2: displayName holds bytes that are not UTF-8: save the file as UTF-8\n',
    });
  });

  test('is refused: an empty one, one in UTF-16', async () => {
    expect((await load(fileOf('', 'csv'))).error).toContain('FILE: is empty');
    expect((await load(fileOf('e\0m\0', 'csv'))).error).toContain('FILE: is no text');
  });
});

describe('the file of refused rows', () => {
  test('only its owner can read it, and what was there is replaced', async () => {
    const file = csv('email', 'bad');
    writeFileSync(refusedOf(file), 'something long that was there before', { mode: 0o644 });
    expect((await load(file)).code).toBe(1);
    expect(statSync(refusedOf(file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(refusedOf(file), 'utf8')).toMatch(/^email,refused\.line.*\nbad,2,.*\n$/);
  });

  test('it is not written through a link', async () => {
    const file = csv('email', 'bad');
    const victim = fileOf('precious');
    symlinkSync(victim, refusedOf(file));
    expect(await load(file)).toMatchObject({
      code: 2,
      error: expect.stringContaining('is a symbolic link: name the file itself'),
    });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('nor is the checkpoint', async () => {
    const file = csv('email', 'bad');
    const victim = fileOf('precious');
    symlinkSync(victim, `${file}.gatehouse-progress.next`);
    expect((await load(file)).code).toBe(1);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });
});

test('without a writable checkpoint the load continues', async () => {
  const file = csv('email', 'readonly@example.com');
  mkdirSync(`${file}.gatehouse-progress.next`);
  expect(await load(file)).toMatchObject({
    code: 0,
    error: expect.stringMatching(/is a directory.*: --resume will not be possible\n$/i),
    counts: [1, 1, 0, 0],
  });
});

describe('--resume', () => {
  test('continues at the checkpoint, and only with the same file, kind and table', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => (n === 3 ? 'bad' : `resume${n}@example.com`));
    const file = csv('email', ...lines);
    const checkpoint = `${file}.gatehouse-progress`;
    // A load that has come as far as row 10, and was killed after it had written more of the refused rows.
    const refused = 'email,refused.line,refused.code,refused.field,refused.message\nbad,5,invalid,email,x\n';
    writeFileSync(refusedOf(file), `${refused}more,9,`);
    const { createHash } = await import('node:crypto');
    const state = {
      version: 1,
      kind: 'users',
      table: `${world.table} ${world.endpoint}`,
      rows: 10,
      bytes: 100,
      created: 9,
      present: 0,
      refused: 1,
      refusedBytes: refused.length,
      refusedFile: refusedOf(file),
      hash: createHash('sha256')
        .update(new Uint8Array(readFileSync(file)))
        .digest('hex'),
    };
    writeFileSync(checkpoint, JSON.stringify({ ...state, hash: 'other' }));
    expect(await load(file, '--resume')).toMatchObject({
      code: 2,
      error: expect.stringContaining('the file has changed since'),
    });
    // A function of the same name elsewhere writes to another table.
    const named = ['--function', 'provisioning'];
    writeFileSync(checkpoint, JSON.stringify({ ...state, table: named.join(' ').slice(2) }));
    for (const where of [
      ['--lambda-endpoint', 'http://127.0.0.1:9'],
      ['--region', 'eu-west-1'],
    ])
      expect(await load(file, '--resume', '--patience', '1', ...named, ...where)).toMatchObject({
        code: 2,
        error: expect.stringContaining('it used another table, function, endpoint, region or profile'),
      });
    writeFileSync(checkpoint, JSON.stringify(state));
    expect(await load(file, '--resume')).toMatchObject({ code: 1, counts: [30, 29, 0, 1] });
    expect(await world.refused('user.read', { email: 'resume2@example.com' })).toMatchObject({
      code: 'not_found',
    });
    expect(await user({ email: 'resume29@example.com' })).toMatchObject({ status: 'active' });
    expect(existsSync(checkpoint)).toBe(false);
    expect((await load(file, '--resume')).error).toContain('no interrupted load is known');
  });
});
