import { openNewTable, withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled } from '../harness/figures.ts';
import { type Candidate, runRounds, type Samples } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { type Asked, commandsOn, sendBare, type Transaction, transactionsOf } from '../model/transactions.ts';
import { times } from '../model/world.ts';

/** Single commands in a round, one after the other. */
const IN_ROUND = 5;
const WARM_UP = 3;
const GROUPS = 5;

const idOf = (kind: number, n: number): string => `01J8${kind}${String(n).padStart(21, '0')}`;

/** Single commands beside the same transactions sent directly, in two tables with the same items. */
async function measureSingle(endpoint: string, rounds: number): Promise<Samples> {
  const count = (WARM_UP + rounds) * IN_ROUND;
  const members = times(Math.ceil(count / GROUPS), (n) => idOf(2, n));
  const asked = (command: string, inputs: readonly Asked['input'][]): readonly Asked[] =>
    inputs.map((input) => ({ command, input }));
  const groups = times(GROUPS, (n) => ({
    id: idOf(1, n),
    scope: `tenant:${idOf(0, 0)}`,
    name: `Group ${n}`,
  }));
  const setUp = [
    ...asked('tenant.create', [{ id: idOf(0, 0), name: 'Tenant' }]),
    ...asked('group.create', groups),
    ...asked(
      'user.create',
      members.map((id, n) => ({ id, email: `member-${n}@example.com` })),
    ),
  ];
  const creates = asked(
    'user.create',
    times(count, (n) => ({
      id: idOf(3, n),
      email: `user-${n}@example.com`,
      displayName: `The user of number ${n}`,
    })),
  );
  const memberships = asked(
    'membership.create',
    times(count, (n) => ({
      user: members[n % members.length],
      group: idOf(1, Math.floor(n / members.length)),
    })),
  );
  const all = [...setUp, ...creates, ...memberships];
  const transactions = await transactionsOf(endpoint, 'recorded', all);
  const { client } = await openNewTable(endpoint, 'commands');
  await openNewTable(endpoint, 'bare');
  const { run } = commandsOn(client, 'commands');
  for (const [n, each] of setUp.entries()) {
    await run(each);
    await sendBare(client, 'bare', transactions[n] ?? [], `bare-${n}`);
  }
  /** Some of a list in each round. */
  const inTurn = <T>(name: string, list: readonly T[], act: (each: T, n: number) => Promise<unknown>) => ({
    name,
    run: async (round: number) => {
      const from = round * IN_ROUND;
      for (let n = from; n < from + IN_ROUND; n++) await act(list[n] as T, n);
      return IN_ROUND;
    },
  });
  const bare = (name: string, list: readonly Transaction[]): Candidate =>
    inTurn(`${name}-bare`, list, (each, n) => sendBare(client, 'bare', each, `${name}-${n}`));
  const [fromCreates, fromMemberships] = [setUp.length, setUp.length + count];
  return runRounds(
    [
      inTurn('create', creates, run),
      bare('create', transactions.slice(fromCreates, fromMemberships)),
      inTurn('membership', memberships, run),
      bare('membership', transactions.slice(fromMemberships)),
    ],
    { rounds, warmUp: WARM_UP },
  );
}

const FIGURES = {
  create: ['user.create, one by one', 'create-bare'],
  'create-bare': ['the items of user.create, bare'],
  membership: ['membership.create, one by one', 'membership-bare'],
  'membership-bare': ['the items of membership.create, bare'],
} satisfies Titled;

export const topic: Topic = {
  title: 'commands beside bare TransactWriteItems of the same items',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      const samples = await measureSingle(endpoint, quick ? 41 : 201);
      return figuresOf('/s', FIGURES, (name) => samples(name).map((ns) => 1e9 / ns));
    }),
};
