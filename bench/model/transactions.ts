import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { openProvisioned } from '../harness/engine.ts';

export type Transaction = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>;

const TENANT = '01J80TENANT';
const GROUPS = 20;
export const GROUPS_OF_EACH = 5;

const idOf = (kind: string, n: number): string => `01J8${kind}${String(n).padStart(9, '0')}`;
export const userOf = (n: number): string => idOf('U', n);

/** Rows of `gatehouse load`: the n-th one, and its command. */
export const KINDS = {
  users: {
    command: 'user.create',
    rowOf: (n: number) => ({
      id: userOf(n),
      email: `user-${n}@example.com`,
      displayName: `The user of number ${n}`,
    }),
  },
  memberships: {
    command: 'membership.create',
    rowOf: (n: number) => {
      const user = Math.floor(n / GROUPS_OF_EACH);
      return { user: userOf(user), group: idOf('G', (user * 3 + n) % GROUPS) };
    },
  },
};
export type Kind = keyof typeof KINDS;

/** A table with a tenant and its groups, and commands on it, each with its operation id, as the command line sends them. */
export async function openStage(endpoint: string, table: string) {
  const opened = await openProvisioned(endpoint, table);
  let operations = 0;
  const run = async (command: string, input: Readonly<Record<string, unknown>>): Promise<void> => {
    const operationId = `bench-${operations++}`;
    const answer = await opened.provisioning({ command, input, operationId, actor: 'bench' });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  };
  await run('tenant.create', { id: TENANT, name: 'Tenant' });
  for (let n = 0; n < GROUPS; n++)
    await run('group.create', { id: idOf('G', n), scope: `tenant:${TENANT}`, name: `Group ${n}` });
  return { ...opened, run };
}
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** The transactions that a client sends from now on. */
export function recordTransactions(client: DynamoDBDocumentClient): readonly Transaction[] {
  const found: Transaction[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems } = args.input as { TransactItems?: Transaction };
      if (TransactItems) found.push(structuredClone(TransactItems));
      return next(args);
    },
    { step: 'initialize' },
  );
  return found;
}

/** Sends a recorded transaction to another table. */
export async function sendBare(
  { client, table }: Pick<Stage, 'client' | 'table'>,
  transaction: Transaction,
  token: string,
): Promise<void> {
  const inTable = transaction.map((item) =>
    Object.fromEntries(Object.entries(item).map(([kind, action]) => [kind, { ...action, TableName: table }])),
  ) as Transaction;
  await client.send(new TransactWriteCommand({ TransactItems: inTable, ClientRequestToken: token }));
}
