import { withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled } from '../harness/figures.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import {
  GROUPS_OF_EACH,
  KINDS,
  type Kind,
  openStage,
  recordTransactions,
  sendBare,
  type Transaction,
} from '../model/transactions.ts';

/** Single commands in a round, one after the other. */
const IN_ROUND = 5;
const WARM_UP = 3;

const FIGURES = {
  create: ['user.create, one by one', 'create-bare'],
  'create-bare': ['the items of user.create, bare'],
  membership: ['membership.create, one by one', 'membership-bare'],
  'membership-bare': ['the items of membership.create, bare'],
} satisfies Titled;

/** Single commands, and beside them the same transactions, recorded before and sent to another table. */
async function candidatesOf(endpoint: string, name: string, kind: Kind, count: number) {
  const { command, rowOf } = KINDS[kind];
  const open = async (table: string) => {
    const stage = await openStage(endpoint, `${table}-${name}`);
    const users = kind === 'memberships' ? count / GROUPS_OF_EACH : 0;
    for (let n = 0; n < users; n++) await stage.run(KINDS.users.command, KINDS.users.rowOf(n));
    return stage;
  };
  const [recorded, commands, bare] = [await open('recorded'), await open('commands'), await open('bare')];
  const transactions = recordTransactions(recorded.client);
  for (let n = 0; n < count; n++) await recorded.run(command, rowOf(n));
  if (transactions.length !== count) throw new Error('a command sent more or less than one transaction');
  const inTurn = (of: string, act: (n: number) => Promise<unknown>): Candidate => ({
    name: of,
    run: async (round) => {
      const from = round * IN_ROUND;
      for (let n = from; n < from + IN_ROUND; n++) await act(n);
      return IN_ROUND;
    },
  });
  return [
    inTurn(name, (n) => commands.run(command, rowOf(n))),
    inTurn(`${name}-bare`, (n) => sendBare(bare, transactions[n] as Transaction, `${name}-${n}`)),
  ];
}

export const topic: Topic = {
  title: 'commands beside bare TransactWriteItems of the same items',
  run: ({ quick }) =>
    withEngine(async (endpoint) => {
      const rounds = quick ? 41 : 201;
      const count = (WARM_UP + rounds) * IN_ROUND;
      const creates = await candidatesOf(endpoint, 'create', 'users', count);
      const memberships = await candidatesOf(endpoint, 'membership', 'memberships', count);
      const samples = await runRounds([...creates, ...memberships], { rounds, warmUp: WARM_UP });
      return figuresOf('/s', FIGURES, (name) => samples(name).map((ns) => 1e9 / ns));
    }),
};
