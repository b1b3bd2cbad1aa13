import { expect, test } from 'vitest';
import { packageExample } from '../stack/template.ts';
import { wrongIn } from './rules.ts';

test.each([
  ['rest', 'REST'],
  ['http', 'HTTP'],
  ['websocket', 'WEBSOCKET'],
] as const)('serverless/%s.yml, as osls packages it, follows the rules', async (name, kind) => {
  expect(wrongIn(await packageExample(`${name}.yml`), [kind])).toEqual([]);
});
