import { openNewTable, withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { type Candidate, runRounds, type Samples, samplesOf } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { type Asked, commandsOn, sendBare, type Transaction, transactionsOf } from '../model/transactions.ts';
import { times } from '../model/world.ts';

/** Single commands in a round, one after the other. */
const IN_ROUND = 5;
const WARM_UP = 3;
const GROUPS = 5;

const idOf = (kind: number, n: number): string => `01J8${kind}${String(n).padStart(21, '0')}`;
const newUser = (n: number) => ({ email: `user-${n}@example.com`, displayName: `The user of number ${n}` });

/** Single commands beside the same transactions sent directly, in two tables with the same items. */
async function measureSingle(endpoint: string, rounds: number): Promise<Samples> {
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
  const { client } = await openNewTable(endpoint, 'commands');
  await openNewTable(endpoint, 'bare');
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

const KINDS = { create: 'user', membership: 'membership' } as const;

function figuresOf(samples: Samples): readonly Figure[] {
  const rates = (name: string) => samplesOf(samples, name).map((ns) => 1e9 / ns);
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const [id, bare] = [`provisioning.${name}`, `${name}-bare`];
    return [
      toFigure(id, `${kind}.create, one by one`, '/s', rates(name), { [bare]: rates(bare) }),
      toFigure(`${id}-bare`, `the items of ${kind}.create, bare`, '/s', rates(bare)),
    ];
  });
}

export const provisioning: Topic = {
  name: 'provisioning',
  title: 'commands beside bare TransactWriteItems of the same items',
  run: ({ quick }) =>
    withEngine(async (endpoint) => figuresOf(await measureSingle(endpoint, quick ? 41 : 201))),
};
