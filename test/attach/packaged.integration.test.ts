import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

test('sam.sh says what makes a template that is missing, before it fetches anything', () => {
  const script = fileURLToPath(new URL('../../docs/attach/sam.sh', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sam-'));
  const { status, stderr } = spawnSync('bash', [script, folder], {
    encoding: 'utf8',
    env: { PATH: '/bin:/usr/bin' },
  });
  rmdirSync(folder);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `${folder} holds no template.yaml: in a clone, npm run build makes it\n`,
  });
});
