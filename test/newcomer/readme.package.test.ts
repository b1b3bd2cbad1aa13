import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../local/embedded-engine.ts';
import { link } from '../support/packed.ts';
import { stepsOf } from './document.ts';
import { ofNewcomer } from './terminal.ts';
import { walk } from './walk.ts';

/**
 * A newcomer types README.md from top to bottom: in a fresh clone, and then in an empty folder with the tarball. Only the
 * ports are others, and `npm test` has one file. What takes minutes is done once: the clone has the packages of this
 * checkout (test/local/install.integration.test.ts: without them it installs), and the tarball is that of the run.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [IN_THE_CLONE = '', IN_A_PROJECT = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(
  /^(?=## In your project)/m,
);

const COPIED = { recursive: true, verbatimSymlinks: true };

let folder: string;
const clone = () => join(folder, 'clone');
let ports: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-readme-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((each) => each !== '' && existsSync(join(ROOT, each)))) {
    mkdirSync(dirname(join(clone(), file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone(), file));
  }
  const modules = join(clone(), 'node_modules');
  // What these refer to is in the clone itself; the rest is as it is here.
  const own = ['.bin', '.package-lock.json', 'gatehouse-checkout'];
  for (const name of own) cpSync(join(ROOT, 'node_modules', name), join(modules, name), COPIED);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && !own.includes(name)) link(name, modules);
  const free = async () => String(await freePort());
  ports = { 3000: await free(), 3001: await free(), 3002: await free() };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What does not go as README says. */
const wrongIn = (text: string, least: number): Promise<string | undefined> => {
  const steps = stepsOf(text);
  expect(steps.length).toBeGreaterThanOrEqual(least);
  const flags = `-- --port ${ports[3000]} --dynamodb-port ${ports[3001]} --lambda-port ${ports[3002]}`;
  return walk(steps, {
    folder: clone(),
    env: { ...ofNewcomer(process.env), NO_COLOR: '1' },
    replace: (line) =>
      line
        .replace(/^npm (?:start|run authz:dev)$/, `$& ${flags}`)
        .replace(/^npm test$/, '$& -- test/tiers.test.ts')
        .replace(/^npm pack --pack-destination/, `cp ${inject('tarball')}`)
        .replaceAll(/127\.0\.0\.1:(\d+)/g, (all, port) => all.replace(port, ports[port] ?? port)),
    goesOn: (command) => /^npm (?:start|run authz:dev)/.test(command),
    hasStarted: (printed) => /^[a-z]+ http:\S+$/m.test(printed),
  });
};

test('in a clone', async () => expect(await wrongIn(IN_THE_CLONE, 7)).toBeUndefined());

test('with the tarball, in an empty folder', async () => {
  expect(await wrongIn(IN_A_PROJECT, 6)).toBeUndefined();
});
