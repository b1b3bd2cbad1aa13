import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { confirm } from '../../cli/ask.ts';
import { messageOf } from '../../local/message-of.ts';
import { type Aws, createAws } from './aws.ts';
import { AUDIENCE, createDeployer, type Deployed, deployAll } from './deploy.ts';
import { createLedger, type Ledger, readRecord, writeRecord } from './ledger.ts';
import { type Costly, HELP, Misuse, type ProofRequest, readProofRequest } from './options.ts';
import { pageOf } from './page.ts';
import { assertAccount, prove, type Step } from './proof.ts';
import { removeAll } from './remove.ts';
import { canary, measure, restore } from './steps.ts';
import { createIssuer } from './tokens.ts';
import { load, smoke } from './traffic.ts';
import { createWorld, type World } from './world.ts';

/** `npm run bench -- aws-proof`: proves a deployment in an account of yours (docs/internals/aws-proof.md). */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => console.log(line);

/** Answers by `--yes`, otherwise by a person; without a terminal it is no. */
function createAsk(confirmed: ReadonlySet<Costly>) {
  return async ({ name, costs }: Step): Promise<boolean> => {
    if (confirmed.has(name as Costly)) return true;
    if (process.stdin.isTTY !== true) return false;
    return confirm({ input: process.stdin, output: process.stdout }, `${name}: ${costs}. Go on?`);
  };
}

async function verify(table: string, region: string): Promise<string> {
  const command = join(ROOT, 'local/checkout/gatehouse.mjs');
  const words = [command, 'verify', '--table', table, '--region', region];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return stdout.trim().split('\n').at(-1) ?? '';
}

async function stepsOf(aws: Aws, ledger: Ledger, folder: string): Promise<readonly Step[]> {
  const { region } = ledger;
  const issuer = await createIssuer(AUDIENCE);
  const deployer = createDeployer({ aws, ledger, folder });
  const since = new Date();
  let deployed: Deployed;
  let world: World;
  return [
    {
      name: 'deploy',
      costs: 'three stacks with functions, a table, alarms and a dashboard: cents, if they are removed today',
      run: async (signal) => {
        const made = await deployAll(deployer, ledger, issuer, join(ROOT, 'template.yaml'), signal);
        deployed = made.deployed;
        return made.section;
      },
    },
    {
      name: 'smoke',
      costs: 'about 500 commands for 100 people, and some requests: less than a cent',
      run: async (signal) => {
        world = await createWorld(deployed.provisioning, region, issuer);
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

async function proveIt(request: Extract<ProofRequest, { kind: 'prove' }>): Promise<number> {
  const { account, region, folder, confirmed } = request;
  if (!existsSync(join(ROOT, 'template.yaml')))
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
    ask: createAsk(confirmed),
    say,
    remove: () => removeAll({ aws, ledger, say }),
    signal: interrupt.signal,
  });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(
    page,
    pageOf({ date: new Date().toISOString().slice(0, 10), region, version, prefix, account }, proven),
  );
  say(`the page: ${page}`);
  for (const line of proven.left) say(`left: ${line}`);
  if (proven.left.length > 0)
    say(`try again: npm run bench -- aws-proof --account ${account} --remove ${file}`);
  return proven.ended === undefined && proven.left.length === 0 ? 0 : 1;
}

async function removeIt(file: string, account: string): Promise<number> {
  const record = readRecord(file);
  if (record.account !== account) throw new Misuse(`${file} is of account ${record.account}`);
  const aws = createAws(record.region, process.env);
  await assertAccount(aws, account);
  const ledger = createLedger(record, (next) => writeRecord(file, next));
  const left = await removeAll({ aws, ledger, say });
  for (const line of left) say(`left: ${line}`);
  return left.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const request = readProofRequest(process.argv.slice(2));
  if (request.kind === 'help') {
    say(HELP);
    return 0;
  }
  return request.kind === 'remove' ? removeIt(request.file, request.account) : proveIt(request);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`aws-proof: ${messageOf(error)}`);
    process.exit(error instanceof Misuse ? 2 : 1);
  },
);
