import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { permissionType } from '../../cli/permission-type.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse types`, of manifests: names in, a type out. */
afterAll(removeFiles);

const TYPE = `// Made by gatehouse types. Do not edit it by hand.

/** A page or a permission. */
export type Permission =
  | 'doors:open:door'
  | 'grades'
  | 'home';
`;
const MANIFEST =
  'pages: [home, grades]\npermissions: ["doors:open:door"]\nroles: { admin: { allow: ["*:*:*"] } }\n';

test('writes the pages and permissions of a manifest, and no pattern', async () => {
  expect(await gatehouse(['types', fileOf(MANIFEST)])).toEqual({ code: 0, out: TYPE, error: '' });
});

test('writes one type for several manifests, in whatever order', async () => {
  const [one, other] = [
    fileOf('pages: [home, grades]'),
    fileOf('pages: [home]\npermissions: ["doors:open:door"]'),
  ];
  for (const files of [
    [one, other],
    [other, one],
  ])
    expect((await gatehouse(['types', ...files])).out).toBe(TYPE);
});

test('any name is a literal', () => {
  const names = ["it's", '"quoted"', 'back\\slash', "\\'", 'line\nbreak', '`$', '\u2028', 'ü', '\ud800'];
  const literals = [...permissionType(names).matchAll(/^ {2}\| (.*?);?$/gm)].map(([, literal]) => literal);
  const values = literals.map((literal) => new Function(`return ${literal}`)() as string);
  expect(values.sort()).toEqual(names.sort());
  expect(permissionType([])).toContain('export type Permission = never;');
});

describe('a file', () => {
  test('is written in place of what is there, and checked', async () => {
    const manifest = fileOf(MANIFEST);
    const out = fileOf('export type Permission = never;\n', 'ts');
    const stale = await gatehouse(['types', manifest, '--out', out, '--check']);
    expect(stale).toEqual({
      code: 1,
      out: '',
      error: `${out} is not up to date: write it again, by the same command without --check\n`,
    });
    expect(await gatehouse(['types', manifest, '--out', out])).toEqual({ code: 0, out: '', error: '' });
    expect(readFileSync(out, 'utf8')).toBe(TYPE);
    expect((await gatehouse(['types', manifest, '--out', out, '--check'])).code).toBe(0);
    writeFileSync(out, TYPE.replaceAll('\n', '\r\n'));
    expect((await gatehouse(['types', manifest, '--out', out, '--check'])).code).toBe(0);
  });

  test('that is not there is not up to date', async () => {
    const out = `${fileOf('')}.ts`;
    expect((await gatehouse(['types', fileOf(MANIFEST), '--out', out, '--check'])).code).toBe(1);
  });
});

describe('misuse is an error that says what to do', () => {
  test.each([
    [
      'a manifest that declares nothing',
      () => [fileOf('scopes: { school: { type: tenant } }')],
      /no pages and no permissions in it: name the manifest that declares them/,
    ],
    [
      'a manifest that is wrong',
      () => [fileOf('page: [home]')],
      /:1:1: page: unknown key: did you mean pages\?/,
    ],
    [
      '--check without a file',
      () => [fileOf(MANIFEST), '--check'],
      /--check compares a file: name it with --out/,
    ],
    ['a folder to write to', () => [fileOf(MANIFEST), '--out', '/'], /is a folder/],
    [
      'a folder that is not there',
      () => [fileOf(MANIFEST), '--out', '/nowhere/x.ts'],
      /there is no such folder/,
    ],
    ['neither a manifest nor a table', () => [], /give --table NAME or set TABLE_NAME/],
  ])('%s', async (_, args, message) => {
    const { code, out, error } = await gatehouse(['types', ...args()]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(message);
  });
});
