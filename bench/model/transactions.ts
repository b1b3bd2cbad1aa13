import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { provisionedOn } from '../../cli/provisioning.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { openNewTable, PATIENCE_MS } from '../harness/engine.ts';

export interface Asked {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Transaction = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>;

export interface Commands {
  /** Runs one with an operation id, as the command line does; throws if it fails. */
  readonly run: (asked: Asked) => Promise<void>;
}

/** @param now epoch milliseconds: of the nodes that are made */
export function commandsOn(client: DynamoDBDocumentClient, table: string, now = Date.now): Commands {
  const { provisioning } = provisionedOn(client, table, now, createPacing({ deadlineMs: PATIENCE_MS }));
  let operations = 0;
  return {
    run: async (asked) => {
      const answer = await provisioning({ ...asked, operationId: `bench-${operations++}`, actor: 'bench' });
      if (!answer.ok) throw new Error(`${asked.command}: ${answer.error.message}`);
    },
  };
}

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

/** Runs the commands in turn on a new table, and returns the transaction that each of them sends. */
export async function transactionsOf(
  endpoint: string,
  table: string,
  all: readonly Asked[],
): Promise<readonly Transaction[]> {
  const { client } = await openNewTable(endpoint, table);
  const found = recordTransactions(client);
  const { run } = commandsOn(client, table);
  for (const asked of all) await run(asked);
  if (found.length !== all.length) throw new Error('a command sent more or less than one transaction');
  return found;
}

/** Sends a recorded transaction to another table. */
export async function sendBare(
  client: DynamoDBDocumentClient,
  table: string,
  transaction: Transaction,
  token: string,
): Promise<void> {
  const inTable = transaction.map((item) =>
    Object.fromEntries(Object.entries(item).map(([kind, action]) => [kind, { ...action, TableName: table }])),
  ) as Transaction;
  await client.send(new TransactWriteCommand({ TransactItems: inTable, ClientRequestToken: token }));
}
