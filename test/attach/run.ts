import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AttachedApi } from './api.ts';
import { wrongIn } from './rules.ts';
import { templateOf } from './terraform.ts';

/**
 * Examples against the rules of rules.ts: `run.ts FILE…`, each a template of CloudFormation, or Terraform as python-hcl2
 * parses it. The name of a file ends with the kind of its API: `NAME-rest.json`.
 */
const KINDS: Readonly<Record<string, AttachedApi['kind']>> = {
  rest: 'REST',
  http: 'HTTP',
  websocket: 'WEBSOCKET',
};

for (const file of process.argv.slice(2)) {
  const parsed = JSON.parse(readFileSync(file, 'utf8'));
  const kind = KINDS[basename(file, '.json').split('-').at(-1) ?? ''];
  if (kind === undefined) throw new Error(`${file}: no kind of API in its name`);
  const wrong = wrongIn('Resources' in parsed ? parsed : templateOf(parsed), [kind]);
  for (const each of wrong) console.error(`${basename(file)}: ${each}`);
  if (wrong.length > 0) process.exitCode = 1;
}
