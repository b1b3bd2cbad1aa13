import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { PATIENCE_MS, serviceClient, withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { type Candidate, runRounds, type Samples, samplesOf } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { type Asked, commandsOn, sendBare, type Transaction, transactionsOf } from '../model/transactions.ts';

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
  create: 'user.create, one by one',
  'create-bare': 'the items of user.create, bare',
  membership: 'membership.create, one by one',
  'membership-bare': 'the items of membership.create, bare',
};

function figuresOf(samples: Samples, names: readonly string[]): readonly Figure[] {
  const rates = (name: string) => samplesOf(samples, name).map((ns) => 1e9 / ns);
  return names.flatMap((name) => [
    toFigure(`provisioning.${name}`, TITLES[name] ?? name, '/s', rates(name), {
      [`${name}-bare`]: rates(`${name}-bare`),
    }),
    toFigure(`provisioning.${name}-bare`, TITLES[`${name}-bare`] ?? name, '/s', rates(`${name}-bare`)),
  ]);
}

export const provisioning: Topic = {
  name: 'provisioning',
  title: 'commands beside bare TransactWriteItems of the same items',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      const client = createClient({ endpoint, requestTimeoutMs: PATIENCE_MS });
      const on = { endpoint, service: serviceClient(endpoint), client };
      return figuresOf(await measureSingle(on, quick ? 41 : 201), ['create', 'membership']);
    }),
};
