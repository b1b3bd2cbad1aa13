import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { confirm } from '../../cli/ask.ts';
import { messageOf } from '../../local/message-of.ts';
import { createTokenSource } from '../model/tokens.ts';
import { type Aws, createAws } from './aws.ts';
import { type Deployed, deployAll } from './deploy.ts';
import { readProofRequest } from './options.ts';
import { pageOf } from './page.ts';
import { assertAccount, type ProofOptions, prove } from './proof.ts';
import { removeAll } from './remove.ts';
import { canary, measure, restore, secondsSince } from './steps.ts';
import { load, smoke } from './traffic.ts';
import { createWorld, type World } from './world.ts';

/** `npm run bench -- aws-proof`: proves a deployment in an account of yours (docs/internals/aws-proof.md). */
const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const say = (line: string): void => console.log(line);

async function stepsOf(
  aws: Aws,
  name: string,
  region: string,
  folder: string,
): Promise<ProofOptions['steps']> {
  // Its key exists in this process only.
  const source = await createTokenSource('ES256');
  const keys = JSON.stringify({ keys: [source.jwk] });
  const since = new Date();
  let deployed: Deployed;
  let world: World;
  const verify = async (table: string): Promise<string> => {
    const words = [pathOf('local/checkout/gatehouse.mjs'), 'verify', '--table', table, '--region', region];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    return stdout.trim().split('\n').at(-1) ?? '';
  };
  return {
    deploy: async (signal) => {
      const begun = Date.now();
      deployed = await deployAll(aws, name, keys, folder, signal);
      return { title: 'Deployment', lines: [`Three stacks in ${secondsSince(begun)} s.`] };
    },
    smoke: async (signal) => {
      const tokenOf = (user: string) => source.token(user, { iss: deployed.issuer });
      world = await createWorld(deployed.provisioning, region, tokenOf);
      return smoke(deployed.url, world, signal);
    },
    load: (signal) => load(deployed.url, world, signal),
    canary: (signal) => canary(aws, deployed, world, signal),
    restore: (signal) => restore(aws, deployed.table, `${name}-restored`, verify, signal),
    measure: (signal) => measure(aws, deployed, since, signal),
  };
}

/** @returns whether all was proven, and nothing is left */
async function run(words: readonly string[]): Promise<boolean> {
  const { account, region, yes, remove: known } = readProofRequest(words);
  const aws = createAws(region, process.env);
  const name = known ?? `gatehouse-proof-${randomBytes(4).toString('hex')}`;
  // Before the first call: whoever only has this line can remove what there is.
  const removal = `npm run -s bench -- aws-proof --account ${account} --region ${region} --remove ${name}`;
  console.error(`what is made in ${region} begins with ${name}; this removes it: ${removal}`);
  await assertAccount(aws, account);
  const remove = async () => {
    const removed = await removeAll(aws, { name, region }, say);
    for (const line of removed.left) say(`left: ${line}`);
    if (removed.left.length > 0) say(`try again: ${removal}`);
    return removed;
  };
  if (known !== undefined) {
    const { left, isAnyRemoved } = await remove();
    if (left.length === 0 && !isAnyRemoved) throw new Error(`nothing named ${name} in ${region}`);
    return left.length === 0;
  }
  if (!existsSync(pathOf('template.yaml')))
    throw new Error('template.yaml is missing: run "npm run build" first');
  const folder = pathOf('.aws-proof');
  mkdirSync(folder, { recursive: true });
  const interrupt = new AbortController();
  // Only once: a second Ctrl-C ends the process, and --remove removes what there is.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const proven = await prove({
    steps: await stepsOf(aws, name, region, folder),
    // By `--yes`, otherwise by a person; without a terminal it is no.
    ask: async (step, costs) =>
      yes.includes(step) ||
      (process.stdin.isTTY === true &&
        confirm({ input: process.stdin, output: process.stdout }, `${step}: ${costs}. Go on?`)),
    say,
    remove: async () => (await remove()).left,
    signal: interrupt.signal,
  });
  const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { version: string };
  const date = new Date().toISOString().slice(0, 10);
  const page = join(folder, `${name}.md`);
  writeFileSync(page, pageOf({ date, region, version, prefix: name, account }, proven));
  say(`the page: ${page}`);
  return proven.ended === undefined && proven.left.length === 0;
}

try {
  process.exit((await run(process.argv.slice(2))) ? 0 : 1);
} catch (error) {
  console.error(`aws-proof: ${messageOf(error)}`);
  process.exit(1);
}
