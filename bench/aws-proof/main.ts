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
import { createLedger, type Ledger, readRecord, writeRecord } from './ledger.ts';
import { HELP, Misuse, type ProofRequest, readProofRequest } from './options.ts';
import { pageOf } from './page.ts';
import { assertAccount, prove, type Step } from './proof.ts';
import { removeAll } from './remove.ts';
import { canary, measure, restore } from './steps.ts';
import { load, smoke } from './traffic.ts';
import { createWorld, type World } from './world.ts';

/** `npm run bench -- aws-proof`: proves a deployment in an account of yours (docs/internals/aws-proof.md). */
const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const say = (line: string): void => console.log(line);

/** Answers by `--yes`, otherwise by a person; without a terminal it is no. */
const createAsk =
  (confirmed: readonly string[]) =>
  async ({ name, costs }: Step): Promise<boolean> =>
    confirmed.includes(name) ||
    (process.stdin.isTTY === true &&
      confirm({ input: process.stdin, output: process.stdout }, `${name}: ${costs}. Go on?`));

async function verify(table: string, region: string): Promise<string> {
  const words = [pathOf('local/checkout/gatehouse.mjs'), 'verify', '--table', table, '--region', region];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return stdout.trim().split('\n').at(-1) ?? '';
}

async function stepsOf(aws: Aws, ledger: Ledger, folder: string): Promise<readonly Step[]> {
  const { region } = ledger;
  // Its key exists in this process only.
  const source = await createTokenSource('ES256');
  const keys = JSON.stringify({ keys: [source.jwk] });
  const since = new Date();
  let deployed: Deployed;
  let world: World;
  return [
    {
      name: 'deploy',
      costs: 'three stacks with functions, a table, alarms and a dashboard: cents, if they are removed today',
      run: async (signal) => {
        const begun = Date.now();
        deployed = await deployAll({ aws, ledger, folder, template: pathOf('template.yaml'), keys }, signal);
        const seconds = Math.round((Date.now() - begun) / 1_000);
        return { title: 'Deployment', lines: [`Three stacks in ${seconds} s.`] };
      },
    },
    {
      name: 'smoke',
      costs: 'about 300 changes for 100 people, and some requests: less than a cent',
      run: async (signal) => {
        const tokenOf = (user: string) => source.token(user, { iss: deployed.issuer });
        world = await createWorld(deployed.provisioning, region, tokenOf);
        return smoke(deployed.url, world, signal);
      },
    },
    {
      name: 'load',
      costs: '15,000 requests through API Gateway and Lambda, and 300 writes: some cents',
      run: (signal) => load(deployed.url, world, signal),
    },
    {
      name: 'canary',
      costs: 'a deployment of some ten minutes, with 5 requests per second: less than a cent',
      run: (signal) => canary(aws, deployed, world, signal),
    },
    {
      name: 'restore',
      costs: 'a restored table: AWS bills its gigabytes, here far less than one',
      run: (signal) => restore(aws, ledger, deployed.table, (table) => verify(table, region), signal),
    },
    { name: 'measure', run: (signal) => measure(aws, deployed, since, signal) },
  ];
}

/** What is left in the account, and how to try again. */
function sayLeft(left: readonly string[], account: string, file: string): void {
  for (const line of left) say(`left: ${line}`);
  if (left.length > 0) say(`try again: npm run bench -- aws-proof --account ${account} --remove ${file}`);
}

async function proveIt({ account, region, folder, yes }: ProofRequest): Promise<boolean> {
  if (!existsSync(pathOf('template.yaml')))
    throw new Misuse('template.yaml is missing: run "npm run build" first');
  const aws = createAws(region, process.env);
  await assertAccount(aws, account);
  const prefix = `gatehouse-proof-${randomBytes(4).toString('hex')}`;
  mkdirSync(folder, { recursive: true });
  const [file, page] = [join(folder, `${prefix}.json`), join(folder, `${prefix}.md`)];
  const ledger = createLedger({ account, region, prefix, made: [] }, (record) => writeRecord(file, record));
  const interrupt = new AbortController();
  // Only once: a second Ctrl-C ends the process, and the record is there for --remove.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  say(`account ${account}, ${region}; what is made is recorded in ${file}`);
  const proven = await prove({
    steps: await stepsOf(aws, ledger, folder),
    ask: createAsk(yes),
    say,
    remove: () => removeAll({ aws, ledger, say }),
    signal: interrupt.signal,
  });
  const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { version: string };
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(page, pageOf({ date, region, version, prefix, account }, proven));
  say(`the page: ${page}`);
  sayLeft(proven.left, account, file);
  return proven.ended === undefined && proven.left.length === 0;
}

async function removeIt(file: string, account: string): Promise<boolean> {
  const record = readRecord(file);
  if (record.account !== account) throw new Misuse(`${file} is of account ${record.account}`);
  const aws = createAws(record.region, process.env);
  await assertAccount(aws, account);
  const ledger = createLedger(record, (next) => writeRecord(file, next));
  const left = await removeAll({ aws, ledger, say });
  sayLeft(left, account, file);
  return left.length === 0;
}

try {
  const request = readProofRequest(process.argv.slice(2));
  if (request === undefined) say(HELP);
  else {
    const { remove, account } = request;
    const isDone = await (remove === undefined ? proveIt(request) : removeIt(remove, account));
    process.exit(isDone ? 0 : 1);
  }
} catch (error) {
  console.error(`aws-proof: ${messageOf(error)}`);
  process.exit(error instanceof Misuse ? 2 : 1);
}
