import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { runProgram } from '../../cli/program.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { processorMs } from '../harness/clocks.ts';
import { PATIENCE_MS, serviceClient, withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { type Candidate, runRounds, type Samples, samplesOf } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { type Asked, commandsOn, sendBare, type Transaction, transactionsOf } from '../model/transactions.ts';

/** Rows in flight at once, and bare transactions beside them. */
const PARALLEL = 32;
/** Single commands in a round, one after the other. */
const IN_ROUND = 5;
const WARM_UP = 3;
const GROUPS = 5;

interface Service {
  readonly endpoint: string;
  readonly service: DynamoDBClient;
  readonly client: DynamoDBDocumentClient;
}

const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const idOf = (kind: number, n: number): string => `01J8${kind}${String(n).padStart(21, '0')}`;
const newUser = (n: number) => ({ email: `user-${n}@example.com`, displayName: `The user of number ${n}` });

/** `gatehouse load users` of a file beside as many bare transactions; each round in a new table. */
async function measureLoad(
  { endpoint, service, client }: Service,
  folder: string,
  rows: number,
  rounds: number,
) {
  const file = join(folder, 'users.csv');
  const lines = times(rows, (n) => Object.values(newUser(n)).join());
  writeFileSync(file, `email,displayName\n${lines.join('\n')}\n`);
  const load = async (table: string): Promise<void> => {
    let output = '';
    const print = (text: string) => {
      output += text;
    };
    const code = await runProgram(['load', 'users', file, '--parallel', String(PARALLEL)], {
      env: { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table },
      ...{ out: print, error: print, isTerminal: false, now: Date.now },
    });
    if (code !== 0) throw new Error(output);
  };
  const asked = times(rows, (n): Asked => ({ command: 'user.create', input: newUser(n) }));
  const transactions = await transactionsOf(endpoint, 'recorded-load', asked);
  const bare = async (table: string): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let n = next++; n < transactions.length; n = next++)
        await sendBare(client, table, transactions[n] ?? [], `${table}-${n}`);
    };
    await Promise.all(times(PARALLEL, worker));
  };
  const computed: Record<string, number[]> = {};
  const candidate = (name: string, act: (table: string) => Promise<void>): Candidate => {
    const spent: number[] = [];
    computed[name] = spent;
    let table = '';
    return {
      name,
      prepare: async (round) => {
        if (table !== '') await service.send(new DeleteTableCommand({ TableName: table }));
        table = `${name}-${round}`;
        await createTable(service, table);
      },
      run: async (round) => {
        const begun = processorMs();
        await act(table);
        if (round >= WARM_UP) spent.push((processorMs() - begun) / rows);
        return rows;
      },
    };
  };
  const candidates = [candidate('load', load), candidate('load-bare', bare)];
  return { samples: await runRounds(candidates, { rounds, warmUp: WARM_UP }), computed };
}

/** Single commands beside the same transactions sent directly, in two tables with the same items. */
async function measureSingle({ endpoint, service, client }: Service, rounds: number): Promise<Samples> {
  const count = (WARM_UP + rounds) * IN_ROUND;
  const tenant = idOf(0, 0);
  const members = times(Math.ceil(count / GROUPS), (n) => idOf(2, n));
  const setUp: readonly Asked[] = [
    { command: 'tenant.create', input: { id: tenant, name: 'Tenant' } },
    ...times(
      GROUPS,
      (n): Asked => ({
        command: 'group.create',
        input: { id: idOf(1, n), scope: `tenant:${tenant}`, name: `Group ${n}` },
      }),
    ),
    ...members.map(
      (id, n): Asked => ({ command: 'user.create', input: { id, email: `member-${n}@example.com` } }),
    ),
  ];
  const creates = times(
    count,
    (n): Asked => ({ command: 'user.create', input: { id: idOf(3, n), ...newUser(n) } }),
  );
  const memberships = times(
    count,
    (n): Asked => ({
      command: 'membership.create',
      input: { user: members[n % members.length], group: idOf(1, Math.floor(n / members.length)) },
    }),
  );
  const all = [...setUp, ...creates, ...memberships];
  const transactions = await transactionsOf(endpoint, 'recorded', all);
  for (const table of ['commands', 'bare']) await createTable(service, table);
  const { run } = commandsOn(client, 'commands');
  for (const [n, asked] of setUp.entries()) {
    await run(asked);
    await sendBare(client, 'bare', transactions[n] ?? [], `bare-${n}`);
  }
  const partOf = <T>(list: readonly T[], round: number) =>
    list.slice(round * IN_ROUND, (round + 1) * IN_ROUND);
  const byCommands = (name: string, list: readonly Asked[]): Candidate => ({
    name,
    run: async (round) => {
      for (const asked of partOf(list, round)) await run(asked);
      return IN_ROUND;
    },
  });
  const byTransactions = (name: string, list: readonly Transaction[]): Candidate => ({
    name: `${name}-bare`,
    run: async (round) => {
      for (const [n, transaction] of partOf(list, round).entries())
        await sendBare(client, 'bare', transaction, `${name}-${round}-${n}`);
      return IN_ROUND;
    },
  });
  const [fromCreates, fromMemberships] = [setUp.length, setUp.length + count];
  return runRounds(
    [
      byCommands('create', creates),
      byTransactions('create', transactions.slice(fromCreates, fromMemberships)),
      byCommands('membership', memberships),
      byTransactions('membership', transactions.slice(fromMemberships)),
    ],
    { rounds, warmUp: WARM_UP },
  );
}

const TITLES: Readonly<Record<string, string>> = {
  load: `gatehouse load users, ${PARALLEL} at once`,
  'load-bare': `the same items bare, ${PARALLEL} at once`,
  create: 'user.create, one by one',
  'create-bare': 'the items of user.create, bare',
  membership: 'membership.create, one by one',
  'membership-bare': 'the items of membership.create, bare',
};

function figuresOf(samples: Samples, names: readonly string[]): readonly Figure[] {
  const rates = (name: string) => samplesOf(samples, name).map((ns) => 1e9 / ns);
  return names.flatMap((name) => [
    toFigure({
      ...{ id: `provisioning.${name}`, title: TITLES[name] ?? name, unit: '/s', values: rates(name) },
      against: { [`${name}-bare`]: rates(`${name}-bare`) },
    }),
    toFigure({
      ...{ id: `provisioning.${name}-bare`, title: TITLES[`${name}-bare`] ?? name, unit: '/s' },
      values: rates(`${name}-bare`),
    }),
  ]);
}

async function measureAll(endpoint: string, folder: string, quick: boolean): Promise<readonly Figure[]> {
  const client = createClient({ endpoint, requestTimeoutMs: PATIENCE_MS });
  const on = { endpoint, service: serviceClient(endpoint), client };
  const single = await measureSingle(on, quick ? 41 : 201);
  const { samples, computed } = await measureLoad(on, folder, quick ? 200 : 1_000, quick ? 5 : 15);
  const rates = [...figuresOf(single, ['create', 'membership']), ...figuresOf(samples, ['load'])];
  const [own = [], bare = []] = [computed.load, computed['load-bare']];
  return [
    ...rates,
    toFigure({
      ...{
        id: 'provisioning.computing',
        title: 'computing for a row of a load',
        unit: 'ms',
        values: own,
      },
      against: { 'computing-bare': bare },
    }),
    toFigure({
      ...{ id: 'provisioning.computing-bare', title: 'for the same transaction, bare', unit: 'ms' },
      values: bare,
    }),
  ];
}

export const provisioning: Topic = {
  name: 'provisioning',
  title: 'commands beside bare TransactWriteItems of the same items',
  run: async ({ quick }) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-provisioning-'));
    try {
      return await withEngine((endpoint) => measureAll(endpoint, folder, quick));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
