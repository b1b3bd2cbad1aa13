import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { permissionType } from '../../cli/permission-type.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse types`, beside what transcripts/types.txt shows. */
afterAll(removeFiles);

const MANIFEST = 'pages: [home]\n';

test('any name is a literal', () => {
  const names = ["it's", '"quoted"', 'back\\slash', "\\'", 'line\nbreak', '`$', '\u2028', 'ü', '\ud800'];
  const literals = [...permissionType(names).matchAll(/^ {2}\| (.*?);?$/gm)].map(([, literal]) => literal);
  const values = literals.map((literal) => new Function(`return ${literal}`)() as string);
  expect(values.sort()).toEqual(names.sort());
  expect(permissionType([])).toContain('export type Permission = never;');
});

test('a file with the line ends of Windows is up to date', async () => {
  const [manifest, out] = [fileOf(MANIFEST), fileOf('', 'ts')];
  expect(await gatehouse(['types', manifest, '--out', out])).toEqual({ code: 0, out: '', error: '' });
  writeFileSync(out, readFileSync(out, 'utf8').replaceAll('\n', '\r\n'));
  expect((await gatehouse(['types', manifest, '--out', out, '--check'])).code).toBe(0);
});
