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
  /** Carries one out, which must succeed; under an operation id, as the command line sends it. */
  readonly run: (asked: Asked) => Promise<void>;
}

export function commandsOn(client: DynamoDBDocumentClient, table: string): Commands {
  const { provisioning } = provisionedOn(client, table, Date.now, createPacing({ deadlineMs: PATIENCE_MS }));
  let operations = 0;
  return {
    run: async (asked) => {
      const answer = await provisioning({ ...asked, operationId: `bench-${operations++}`, actor: 'bench' });
      if (!answer.ok) throw new Error(`${asked.command}: ${answer.error.message}`);
    },
  };
}

/** The transaction that each of these commands sends, carried out in turn on a table of their own. */
export async function transactionsOf(
  endpoint: string,
  table: string,
  all: readonly Asked[],
): Promise<readonly Transaction[]> {
  const found: Transaction[] = [];
  const { client } = await openNewTable(endpoint, table);
  client.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems } = args.input as { TransactItems?: Transaction };
      if (TransactItems) found.push(structuredClone(TransactItems));
      return next(args);
    },
    { step: 'initialize' },
  );
  const { run } = commandsOn(client, table);
  for (const asked of all) await run(asked);
  if (found.length !== all.length) throw new Error('a command sent more or less than one transaction');
  return found;
}

/** Sends a transaction as it is, to another table. */
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
