import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { startEmbeddedEngine } from '../cli/embedded-engine.ts';
import { runProgram } from '../cli/program.ts';
import { provisionedOn } from '../cli/provisioning.ts';
import { createClient, createServiceClient } from '../table/client.ts';
import { createTable } from '../table/definition.ts';

/**
 * `npm run load`: `gatehouse load users` beside bare TransactWriteItems of the very same items, as many at once, on
 * the same engine; both in tables of their own, in turns. `-- --rows 2000 --rounds 7 --parallel 32` are the defaults.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const optionOf = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const [rows, rounds, parallel] = [optionOf('rows', 2_000), optionOf('rounds', 7), optionOf('parallel', 32)];

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const file = join(folder, 'users.csv');
const lines = Array.from({ length: rows }, (_, n) => `user-${n}@example.com,The user of number ${n}`);
writeFileSync(file, `email,displayName\n${lines.join('\n')}\n`);

const engine = await startEmbeddedEngine();
const { endpoint } = engine;
const service = createServiceClient({ endpoint, requestTimeoutMs: 20_000 });
const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
let tables = 0;

/** In a table of its own; rows per second. */
async function measured(act: (table: string) => Promise<void>): Promise<number> {
  const table = `bench-${++tables}`;
  await createTable(service, table);
  const begun = performance.now();
  await act(table);
  const seconds = (performance.now() - begun) / 1_000;
  await service.send(new DeleteTableCommand({ TableName: table }));
  return rows / seconds;
}

async function load(table: string): Promise<void> {
  let said = '';
  const tell = (text: string) => {
    said += text;
  };
  const code = await runProgram(['load', 'users', file, '--parallel', String(parallel)], {
    env: { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table },
    ...{ out: tell, error: tell, isTerminal: false, now: Date.now },
  });
  if (code !== 0) throw new Error(said);
}

type TransactItems = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>;

/** The transactions of a load, as they left it. */
async function transactionsOf(): Promise<readonly TransactItems[]> {
  const found: TransactItems[] = [];
  await measured(async (table) => {
    const recording = createClient({ endpoint, requestTimeoutMs: 20_000 });
    recording.middlewareStack.add(
      (next) => (args) => {
        const { TransactItems } = args.input as { TransactItems?: TransactItems };
        if (TransactItems) found.push(structuredClone(TransactItems));
        return next(args);
      },
      { step: 'initialize' },
    );
    const { provisioning } = provisionedOn(recording, table, Date.now, 20_000);
    for (let n = 0; n < rows; n++) {
      const input = { email: `user-${n}@example.com`, displayName: `The user of number ${n}` };
      const answer = await provisioning({
        command: 'user.create',
        input,
        operationId: `bench-${n}`,
        actor: 'bench',
      });
      if (!answer.ok) throw new Error(answer.error.message);
    }
  });
  return found;
}

const inTable = (items: TransactItems, table: string): TransactItems =>
  items.map((item) =>
    Object.fromEntries(Object.entries(item).map(([kind, action]) => [kind, { ...action, TableName: table }])),
  ) as TransactItems;

const transactions = await transactionsOf();
const bare = async (table: string): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < transactions.length; n = next++)
      await client.send(
        new TransactWriteCommand({
          TransactItems: inTable(transactions[n] ?? [], table),
          ClientRequestToken: `${table}-${n}`,
        }),
      );
  };
  await Promise.all(Array.from({ length: parallel }, worker));
};

const rates: { readonly load: number; readonly bare: number }[] = [];
await measured(load);
await measured(bare);
for (let round = 0; round < rounds; round++) {
  // Each goes first in every other round.
  const [first, second] = round % 2 === 0 ? [load, bare] : [bare, load];
  const [one, two] = [await measured(first), await measured(second)];
  rates.push(round % 2 === 0 ? { load: one, bare: two } : { load: two, bare: one });
}
const sorted = (of: (rate: (typeof rates)[number]) => number) => rates.map(of).sort((a, b) => a - b);
const told = (numbers: readonly number[], show: (value: number) => string) =>
  `${show(numbers[Math.floor(numbers.length / 2)] ?? 0)} (${show(numbers[0] ?? 0)} to ${show(numbers.at(-1) ?? 0)})`;
const whole = (value: number) => value.toFixed(0);
console.log(
  `${rows} users, ${transactions[0]?.length} items each, ${parallel} at once, median and range of ${rounds} rounds:\n` +
    `  gatehouse load          ${told(
      sorted((rate) => rate.load),
      whole,
    )} rows/s\n` +
    `  bare TransactWriteItems ${told(
      sorted((rate) => rate.bare),
      whole,
    )} rows/s\n` +
    `  share                   ${told(
      sorted((rate) => rate.load / rate.bare),
      (value) => `${(value * 100).toFixed(0)} %`,
    )}`,
);
await engine.stop();
rmSync(folder, { recursive: true });
process.exit(0);
