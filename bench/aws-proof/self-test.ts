import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import { freePort } from '../../local/embedded-engine.ts';
import { messageOf } from '../../local/message-of.ts';
import { createAws } from './aws.ts';
import { createDeployer, TAG } from './deploy.ts';
import { createLedger, readRecord, writeRecord } from './ledger.ts';
import { assertAccount, prove, type Step } from './proof.ts';
import { removeAll } from './remove.ts';
import { restore } from './steps.ts';

/** The account of moto. */
const ACCOUNT = '123456789012';
const REGION = 'eu-central-1';

/** The stack's own table with its conditions: functions and the transform of SAM are more than moto can. */
function tableTemplate(): Readonly<Record<string, unknown>> {
  const { Parameters, Conditions, Resources } = samTemplate() as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const parameter = (name: string) => [name, Parameters?.[name]];
  const names = ['TableName', 'TableKeyArn', 'DeletionProtection'];
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Parameters: Object.fromEntries(names.map(parameter)),
    Conditions: { CreatesTable: Conditions?.CreatesTable, HasTableKey: Conditions?.HasTableKey },
    Resources: { Table: Resources?.Table },
  };
}

const tags = z.object({ Tags: z.array(z.object({ Key: z.string(), Value: z.string() })) });
const lists = {
  tables: z.object({ TableNames: z.array(z.string()) }),
  buckets: z.object({ Buckets: z.array(z.object({ Name: z.string() })) }),
  stacks: z.object({ StackSummaries: z.array(z.object({ StackStatus: z.string() })) }),
  resources: z.object({ StackResources: z.tuple([z.object({ PhysicalResourceId: z.string() })]) }),
  tags,
  tagged: z.object({ Stacks: z.array(tags) }),
};

/** `--self-test`: steps, crash and removal, with the AWS CLI against moto. */
export async function selfTest(say: (line: string) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proof-'));
  let stop = (): void => {};
  try {
    say('installing moto and the AWS CLI');
    const server = install(join(folder, 'moto'), 'moto[server]==5.2.5');
    const client = install(join(folder, 'aws'), 'awscli==1.45.11');
    const port = await freePort();
    const child = spawn(join(server, 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], {
      stdio: 'ignore',
    });
    stop = () => child.kill();
    const url = `http://127.0.0.1:${port}`;
    await answers(url);
    const env = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'moto', AWS_SECRET_ACCESS_KEY: 'moto' };
    return await walk(folder, say, {
      ...process.env,
      ...env,
      AWS_EC2_METADATA_DISABLED: 'true',
      PATH: `${client}${delimiter}${process.env.PATH}`,
    });
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs a tool of PyPI, by itself: their dependencies exclude each other. Returns where its commands are. */
function install(folder: string, tool: string): string {
  execFileSync('python3', ['-m', 'venv', folder]);
  execFileSync(join(folder, 'bin', 'pip'), ['install', '--quiet', tool]);
  return join(folder, 'bin');
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(200);
  }
  throw new Error('moto did not start');
}

async function walk(folder: string, say: (line: string) => void, env: NodeJS.ProcessEnv): Promise<number> {
  const aws = createAws(REGION, env);
  const count = { passed: 0, failed: 0 };
  const check = (what: string, holds: boolean, found?: unknown): void => {
    count[holds ? 'passed' : 'failed'] += 1;
    say(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(found)}`}`);
  };
  const all = async () => {
    const { TableNames: tables } = lists.tables.parse(await aws(['dynamodb', 'list-tables']));
    const { Buckets: buckets } = lists.buckets.parse(await aws(['s3api', 'list-buckets']));
    const { StackSummaries } = lists.stacks.parse(await aws(['cloudformation', 'list-stacks']));
    const stacks = StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE');
    return { tables, buckets: buckets.map(({ Name }) => Name), stacks };
  };
  const NOTHING = { tables: [], buckets: [], stacks: [] };
  const isEmpty = async () => JSON.stringify(await all()) === JSON.stringify(NOTHING);

  await assertAccount(aws, ACCOUNT);
  const refusal = await assertAccount(aws, '999999999999').catch(messageOf);
  check('an account that is not named is refused', /not of 999999999999/.test(String(refusal)), refusal);

  for (const [place, ends] of ['it all goes well', 'a step fails', 'the process is lost'].entries()) {
    const prefix = `gatehouse-proof-0000000${place}`;
    const file = join(folder, `${prefix}.json`);
    const ledger = createLedger({ account: ACCOUNT, region: REGION, prefix, made: [] }, (record) =>
      writeRecord(file, record),
    );
    const deployer = createDeployer({ aws, ledger, folder });
    let table = '';
    const steps: readonly Step[] = [
      {
        name: 'deploy',
        costs: 'nothing',
        run: async (signal) => {
          await deployer.makeBucket(signal);
          const template = join(folder, `${prefix}.table.json`);
          writeFileSync(template, JSON.stringify(tableTemplate()));
          await deployer.deployStack(prefix, template, { DeletionProtection: 'false' }, signal);
          // moto has no outputs of a stack that a change set made.
          const made = await aws(['cloudformation', 'describe-stack-resources', '--stack-name', prefix]);
          table = lists.resources.parse(made).StackResources[0].PhysicalResourceId;
          const item = JSON.stringify({ PK: { S: 'a' }, SK: { S: 'b' } });
          await aws(['dynamodb', 'put-item', '--table-name', table, '--item', item], signal);
          return { title: 'Deployment', lines: [] };
        },
      },
      {
        name: 'restore',
        costs: 'nothing',
        run: async (signal) => {
          const verify = async () => 'not against moto';
          const section = await restore(aws, ledger, table, { pauseMs: 100, verify }, signal);
          if (ends !== 'it all goes well') throw new Error('as it must');
          return section;
        },
      },
    ];
    const remove = async () => {
      const { tables } = await all();
      check(`${ends}: a table and a restored one`, tables.length === 2, tables);
      // moto does not hand the tags of a stack on to what is in it.
      const arn = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${prefix}-restored`;
      const found = await aws(['dynamodb', 'list-tags-of-resource', '--resource-arn', arn]);
      const stack = await aws(['cloudformation', 'describe-stacks', '--stack-name', prefix]);
      for (const { Tags } of [lists.tags.parse(found), ...lists.tagged.parse(stack).Stacks]) {
        const isTagged = Tags.some(({ Key, Value }) => Key === TAG && Value === prefix);
        check(`${ends}: it has its tag`, isTagged, Tags);
      }
      return ends === 'the process is lost' ? [] : removeAll({ aws, ledger, say });
    };
    const { signal } = new AbortController();
    const proven = await prove({ steps, ask: async () => true, remove, say, signal });
    check(`${ends}: it says so`, (proven.ended === undefined) === (ends === 'it all goes well'), proven);
    if (ends === 'the process is lost') {
      const found = createLedger(readRecord(file), (record) => writeRecord(file, record));
      const left = await removeAll({ aws, ledger: found, say });
      check(`${ends}: its record is enough to remove everything`, left.length === 0, left);
    }
    check(`${ends}: nothing is left`, proven.left.length === 0 && (await isEmpty()), [
      proven.left,
      await all(),
    ]);
    check(`${ends}: nor in the record`, readRecord(file).made.length === 0, readRecord(file).made);
  }
  say('moto cannot do: the transform of SAM, the functions, API Gateway before them, CodeDeploy, metrics');
  say(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 && count.passed > 0 ? 0 : 1;
}
