import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** `gatehouse load`: formats, rows, refusals, and what is there already. */
let world: World;
let place: string;
let group: string;
let role: string;
let users: readonly string[];
beforeAll(async () => {
  world = await createWorld();
  place = `location:${(await world.run('location.create', { name: 'Place' })).id}`;
  group = (await world.run('group.create', { scope: place, name: 'all' })).id;
  role = (await world.run('role.create', { name: 'reader', scope: 'tenant' })).id;
  users = await Promise.all([1, 2, 3].map(async () => (await world.run('user.create', {})).id));
});
afterAll(removeFiles);

async function load(kind: string, file: string, ...options: readonly string[]) {
  const { code, out, error } = await gatehouse(['load', kind, file, '--json', ...options], {
    env: { TABLE_NAME: world.table },
  });
  const { created, present, refused, rows, error: fault } = JSON.parse(out);
  const text = fault === undefined ? error : `${error}${fault.message}\n`;
  return { code, error: text.replaceAll(file, 'FILE'), counts: [rows, created, present, refused] };
}
const csv = (...lines: readonly string[]) => fileOf(`${lines.join('\n')}\n`, 'csv');
const jsonl = (...rows: readonly unknown[]) =>
  fileOf(rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'), 'jsonl');
const refusedOf = (file: string) => file.replace(/\.(csv|jsonl)$/, '.refused.$1');
const user = async (by: Record<string, unknown>) => world.run('user.read', by);

describe('subjects', () => {
  test('what is there already is found by its type and id', async () => {
    await world.run('subject-type.create', { name: 'sensor' });
    const file = csv('type,id,name', 'sensor,s1,Door', 'sensor,s2,Bed');
    expect(await load('subjects', file)).toEqual({ code: 0, error: '', counts: [2, 2, 0, 0] });
    expect(await load('subjects', file)).toEqual({ code: 0, error: '', counts: [2, 0, 2, 0] });
    await world.run('subject.update', { user: 'sensor:s2', name: 'Lamp' });
    expect(await load('subjects', file)).toMatchObject({ code: 1, counts: [2, 0, 1, 1] });
  });
});

describe('users', () => {
  test('from CSV: with a byte order mark, CRLF, quotes, names of columns as people write them', async () => {
    const file = fileOf(
      '\ufeffE-Mail,Display Name,mfa_enabled\r\nAnn@Example.com,"Ann ""A"", B",TRUE\r\n\r\nben@example.com,,\r\n',
      'csv',
    );
    expect(await load('users', file)).toEqual({ code: 0, error: '', counts: [2, 2, 0, 0] });
    expect(await user({ email: 'ann@example.com' })).toMatchObject({
      displayName: 'Ann "A", B',
      mfaEnabled: true,
    });
  });

  test('from CSV as Excel writes it', async () => {
    const file = fileOf(
      '\ufeffemail;displayName;title\r\nex1@example.com;"O""Neil";"a; b"\r\nex2@example.com;"""Q""";\r\n',
      'csv',
    );
    expect(await load('users', file)).toEqual({ code: 0, error: '', counts: [2, 2, 0, 0] });
    expect(await user({ email: 'ex1@example.com' })).toMatchObject({ displayName: 'O"Neil', title: 'a; b' });
    expect(await user({ email: 'ex2@example.com' })).toMatchObject({ displayName: '"Q"' });
    const mac = fileOf('email\rmac@example.com\r', 'csv');
    expect(await load('users', mac)).toMatchObject({ code: 0, counts: [1, 1, 0, 0] });
  });

  test('line numbers are those of an editor', async () => {
    const file = fileOf('email,title\r\n"a\r\nb",\r\n\r\n"c\r\nd\r\ne",x\r\nlast,\r\n', 'csv');
    const { error } = await load('users', file);
    expect([...error.matchAll(/FILE:(\d+)/g)].map(([, line]) => line)).toEqual(['2', '5', '8']);
  });

  test('from JSON Lines, with the last line not ended', async () => {
    const file = jsonl({ email: 'jl@example.com', mfaEnabled: true, title: null }, '', { username: 'jl' });
    expect(await load('users', file)).toEqual({ code: 0, error: '', counts: [2, 2, 0, 0] });
    expect(await user({ email: 'jl@example.com' })).toMatchObject({ mfaEnabled: true });
    expect(existsSync(refusedOf(file))).toBe(false);
    expect(existsSync(`${file}.gatehouse-progress`)).toBe(false);
  });

  test('with semicolons, as spreadsheets write them', async () => {
    expect(await load('users', csv('email;displayName', 'semi@example.com;"a;b"'))).toMatchObject({
      counts: [1, 1, 0, 0],
    });
    expect(await user({ email: 'semi@example.com' })).toMatchObject({ displayName: 'a;b' });
  });

  test('twice: nothing changes', async () => {
    const file = csv('email,displayName', 'twice1@example.com,One', 'twice2@example.com,Two', ',Nobody');
    expect(await load('users', file)).toMatchObject({ code: 0, counts: [3, 3, 0, 0] });
    const before = await user({ email: 'twice1@example.com' });
    expect(await load('users', file)).toMatchObject({ code: 0, counts: [3, 0, 3, 0] });
    expect(await user({ email: 'twice1@example.com' })).toEqual(before);
  });

  test('after a user was deleted: created again, and then present', async () => {
    const file = csv('email,displayName', 'gone@example.com,Gone');
    for (const times of [1, 2]) {
      expect(await load('users', file), String(times)).toMatchObject({ counts: [1, 1, 0, 0] });
      expect(await load('users', file)).toMatchObject({ counts: [1, 0, 1, 0] });
      const { id } = await user({ email: 'gone@example.com' });
      await world.run('user.delete', { id });
    }
    expect(await load('users', file)).toMatchObject({ counts: [1, 1, 0, 0] });
  });

  test('changed by others since: refused, and the change stays', async () => {
    const file = csv('email,displayName', 'moved@example.com,Before');
    await load('users', file);
    const { id } = await user({ email: 'moved@example.com' });
    await world.run('user.update', { id, displayName: 'After' });
    expect(await load('users', file)).toEqual({
      code: 1,
      error: `FILE:2: email is taken: user:${id} already exists with another displayName\n`,
      counts: [1, 0, 0, 1],
    });
    expect(await user({ id })).toMatchObject({ displayName: 'After' });
  });

  test('created by other means: equal is present, different is refused with the holder of the value', async () => {
    const { id } = await world.run('user.create', { email: 'other@example.com', displayName: 'Other' });
    expect(await load('users', csv('email', 'OTHER@example.com'))).toMatchObject({ counts: [1, 0, 1, 0] });
    expect(await load('users', csv('email,displayName', 'other@example.com,Me'))).toEqual({
      code: 1,
      error: `FILE:2: email is taken: user:${id} already exists with another displayName\n`,
      counts: [1, 0, 0, 1],
    });
  });

  test('an address twice in a file: the first row has it, and the second is refused', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `same${n >> 1}@example.com,${n}`);
    const result = await load('users', csv('email,displayName', ...lines));
    expect(result).toMatchObject({ code: 1, counts: [40, 20, 0, 20] });
    expect(result.error).toMatch(
      /^FILE:3: email is taken: user:\S+ already exists with another displayName\n/,
    );
    for (let n = 0; n < 20; n++)
      expect(await user({ email: `same${n}@example.com` })).toMatchObject({ displayName: String(2 * n) });
  });

  test('each invalid row is refused with its line and reason, and the others are loaded', async () => {
    const file = csv(
      'email,displayName,status,endsAt,mfaEnabled,tenant',
      'not-an-address,,,,,',
      'row1@example.com,,,,,',
      ',,retired,,,',
      ',,,tomorrow,,',
      ',,,,perhaps,',
      ',,,,,location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
      '"two\nlines",,,,,',
      'row2@example.com,,,,,',
    );
    const result = await load('users', file);
    expect(result).toMatchObject({ code: 1, counts: [8, 2, 0, 6] });
    const refused = readFileSync(refusedOf(file), 'utf8');
    expect(refused.split('\n')[0]).toBe(
      'email,displayName,status,endsAt,mfaEnabled,tenant,refused.line,refused.code,refused.field,refused.message',
    );
    for (const part of [
      'not-an-address,,,,,,2,invalid,email,"email: is not an e-mail address',
      ',,retired,,,,4,invalid,status,',
      ',,,tomorrow,,,5,invalid,endsAt,',
      ',,,,perhaps,,6,invalid,mfaEnabled,',
      ',,,,,location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C,7,not_found,tenant,',
      '"two\nlines",,,,,,8,invalid,email,',
    ])
      expect(refused).toContain(`\n${part}`);

    // Mended, what was refused can be loaded as it is.
    const mended = fileOf(refused.replace('not-an-address', 'mended@example.com'), 'csv');
    expect(await load('users', mended)).toMatchObject({ code: 1, counts: [6, 1, 0, 5] });
    expect(await user({ email: 'mended@example.com' })).toMatchObject({ status: 'active' });
  });

  test('invalid rows of JSON Lines', async () => {
    const file = jsonl(
      { email: 'j1@example.com' },
      '{oops',
      '[1]',
      { emial: 'x' },
      { email: 7 },
      {
        email: 'j1@example.com',
        title: 'x',
      },
    );
    expect(await load('users', file)).toMatchObject({ code: 1, counts: [6, 1, 0, 5] });
    const rows = readFileSync(refusedOf(file), 'utf8').trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).refused.line)).toEqual([2, 3, 4, 5, 6]);
    expect(JSON.parse(rows[0] ?? '').refused.text).toBe('{oops');
    expect(JSON.parse(rows[4] ?? '')).toMatchObject({
      title: 'x',
      refused: { code: 'conflict', field: 'email' },
    });
  });

  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    const file = csv('email,displayName', 'latin@example.com,X');
    const bytes = readFileSync(file);
    bytes[bytes.length - 2] = 0xe4;
    writeFileSync(file, new Uint8Array(bytes));
    expect(await load('users', file)).toMatchObject({
      code: 1,
      error: 'FILE:2: displayName holds bytes that are not UTF-8: save the file as UTF-8\n',
    });
  });

  test('--dry-run reports the same and writes nothing', async () => {
    const file = csv('email', 'dry@example.com', 'dry', 'twice1@example.com');
    expect(await load('users', file, '--dry-run')).toMatchObject({ code: 1, counts: [3, 1, 1, 1] });
    expect(await world.refused('user.read', { email: 'dry@example.com' })).toMatchObject({
      code: 'not_found',
    });
    expect(await load('users', file)).toMatchObject({ code: 1, counts: [3, 1, 1, 1] });
  });
});

describe('edges', () => {
  test('memberships: created, present, different, with an unknown user', async () => {
    const rows = users.map((id) => `${id},${group},2026-01-01T00:00:00Z`);
    expect(await load('memberships', csv('user,group,joinedAt', ...rows))).toMatchObject({
      counts: [3, 3, 0, 0],
    });
    expect(
      await load('memberships', csv('user,group', ...users.map((id) => `${id},${group}`))),
    ).toMatchObject({
      code: 0,
      counts: [3, 0, 3, 0],
    });
    const other = csv(
      'user,group,joinedAt',
      `${users[0]},${group},2027-01-01`,
      `${users[0]},${group},2027-01-01T00:00:00Z`,
    );
    expect(await load('memberships', other)).toMatchObject({ code: 1, counts: [2, 0, 0, 2] });
    expect(readFileSync(refusedOf(other), 'utf8')).toContain(
      '3,conflict,joinedAt,membership already exists with another joinedAt\n',
    );
    const nobody = csv('user,group', `01J8Z0E2Z8D2A3J7A7Y2H9GQ9C,${group}`, `,${group}`);
    expect(await load('memberships', nobody)).toMatchObject({
      code: 1,
      error: 'FILE:2: user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C does not exist\nFILE:3: user: is required\n',
    });
  });

  test('assignments: created, present, different; deleted and loaded again', async () => {
    const rows = users.map((id) => ({ user: id, scope: place, role, endsAt: '2030-01-01T00:00:00Z' }));
    expect(await load('assignments', jsonl(...rows))).toMatchObject({ code: 0, counts: [3, 3, 0, 0] });
    expect(await load('assignments', jsonl(...rows))).toMatchObject({ code: 0, counts: [3, 0, 3, 0] });
    expect(await load('assignments', jsonl({ ...rows[0], endsAt: '2031-01-01T00:00:00Z' }))).toMatchObject({
      code: 1,
      error: 'FILE:1: assignment already exists with another endsAt\n',
    });
    await world.run('assignment.delete', { user: users[1], scope: place, role });
    expect(await load('assignments', jsonl(...rows))).toMatchObject({ code: 0, counts: [3, 1, 2, 0] });
  });
});

describe('nothing is sent', () => {
  test.each([
    [['emial,displayName', 'a@b.de,A'], 'users', 'column "emial" is unknown: did you mean email?'],
    [['user', 'x'], 'memberships', 'column "group" is missing'],
    [['email,E-Mail', 'x,y'], 'users', 'columns "email" and "E-Mail" are the same'],
    [['{"emial":"a@b.de"}'], 'users', 'column "emial" is unknown: did you mean email?'],
    [['[{"email":"a@b.de"}]'], 'users', 'is one JSON list: put each object on a line'],
  ])('%j', async (lines, kind, message) => {
    const { code, error } = await load(kind, csv(...lines));
    expect({ code, error }).toEqual({ code: 2, error: expect.stringMatching(/^FILE(?::1)?: /) });
    expect(error).toContain(`: ${message}`);
  });

  test('for an empty or missing file, a folder, UTF-16', async () => {
    expect((await load('users', fileOf('', 'csv'))).error).toContain('FILE: is empty');
    expect((await load('users', '/nowhere/users.csv')).error).toBe('FILE: there is no such file\n');
    expect((await load('users', '/tmp')).error).toBe('FILE: is a folder\n');
    expect((await load('users', fileOf('e\0m\0', 'csv'))).error).toContain('FILE: is no text');
  });

  test.each([
    [['load', 'people', 'x.csv'], /<kind> people is not one of users, subjects, memberships, assignments/],
    [['load', 'users', '-', '--resume'], /--resume needs a file/],
    [['load', 'users', 'x.csv', '--parallel', '0'], /--parallel 0 is not a whole number from 1 to 50/],
    [['load', 'users', 'x.csv', '--patience', 'long'], /--patience long is not a number of seconds/],
    [['load', 'users', 'x.csv', '--refused', './x.csv'], /--refused is the input file/],
  ])('%j', async (args, message) => {
    const { code, error } = await gatehouse(args, { env: { TABLE_NAME: 'x' } });
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });

  test.each([
    [
      'no header',
      ['a@b.de,Ann', 'b@b.de,Ben'],
      '1: there is no header: this line names none of the columns email,',
    ],
    [
      'a quote that is not closed',
      ['email', 'a@b.de', '"b@b.de', 'c@b.de'],
      '3: a quote is not closed in the row',
    ],
    [
      'a quote that is closed by the next one',
      ['email,title', 'a@b.de,"x', 'b@b.de,"y"'],
      '2: in the row that begins here a quote is not closed, or one within a field is not doubled',
    ],
    [
      'a quote within a field',
      ['email,title', 'a@b.de,x', 'b@b.de,a"b'],
      '3: in the row that begins here a quote',
    ],
    ['too many columns', ['email', '', 'a@b.de', 'b@b.de,x'], '4: has 2 columns, the header 1'],
    ['too few', ['email,title,phone', '"a', 'b",,', 'b@b.de,x'], '4: has 2 columns, the header 3'],
  ])('%s: the line, and no file is left', async (_, lines, message) => {
    for (const more of [[], ['--dry-run']]) {
      const file = csv(...lines);
      const { code, error } = await load('users', file, ...more);
      expect(code).toBe(2);
      expect(error).toMatch(/^FILE:.*\n$/);
      expect(error.startsWith(`FILE:${message}`), error).toBe(true);
      for (const left of [`${file}.gatehouse-progress`, refusedOf(file)])
        expect(existsSync(left)).toBe(false);
    }
    expect(await world.refused('user.read', { email: 'a@b.de' })).toMatchObject({ code: 'not_found' });
  });
});

describe('the file of refused rows', () => {
  test('only its owner can read it, and what was there is replaced', async () => {
    const file = csv('email', 'bad');
    writeFileSync(refusedOf(file), 'something long that was there before', { mode: 0o644 });
    expect((await load('users', file)).code).toBe(1);
    expect(statSync(refusedOf(file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(refusedOf(file), 'utf8')).toMatch(/^email,refused\.line.*\nbad,2,.*\n$/);
  });

  test('it is not written through a link', async () => {
    const file = csv('email', 'bad');
    const victim = fileOf('precious');
    symlinkSync(victim, refusedOf(file));
    expect(await load('users', file)).toMatchObject({
      code: 2,
      error: expect.stringContaining('is a symbolic link: name the file itself'),
    });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('nor is the checkpoint', async () => {
    const file = csv('email', 'bad');
    const victim = fileOf('precious');
    symlinkSync(victim, `${file}.gatehouse-progress.next`);
    expect((await load('users', file)).code).toBe(1);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test.each([
    ['/nowhere/refused.csv', ' cannot be written: there is no such folder'],
    ['/tmp', ' is a folder'],
  ])('%s is refused before anything is sent', async (path, message) => {
    const file = csv('email', 'early@example.com');
    expect(await load('users', file, '--refused', path)).toMatchObject({
      code: 2,
      error: expect.stringContaining(`${path}${message}`),
    });
    expect(await world.refused('user.read', { email: 'early@example.com' })).toMatchObject({
      code: 'not_found',
    });
  });

  test('/dev/null will do', async () => {
    expect((await load('users', csv('email', 'bad'), '--refused', '/dev/null')).code).toBe(1);
  });
});

test('without a writable checkpoint the load continues', async () => {
  const file = csv('email', 'readonly@example.com');
  mkdirSync(`${file}.gatehouse-progress.next`);
  expect(await load('users', file)).toMatchObject({
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
    expect(await load('users', file, '--resume')).toMatchObject({
      code: 2,
      error: expect.stringContaining('the file has changed since'),
    });
    writeFileSync(checkpoint, JSON.stringify(state));
    expect(await load('users', file, '--resume')).toMatchObject({ code: 1, counts: [30, 29, 0, 1] });
    expect(await world.refused('user.read', { email: 'resume2@example.com' })).toMatchObject({
      code: 'not_found',
    });
    expect(await user({ email: 'resume29@example.com' })).toMatchObject({ status: 'active' });
    expect(existsSync(checkpoint)).toBe(false);
    expect((await load('users', file, '--resume')).error).toContain('no interrupted load is known');
  });
});
