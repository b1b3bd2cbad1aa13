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
 * `npm run bulk`: `gatehouse load users` beside bare TransactWriteItems of the very same items, as many at once, on
 * the same engine; both in tables of their own, in turns. `-- --rows 1000 --rounds 15 --parallel 32` are the defaults.
 * Other work on the machine sways the rates; what this process computed for each row (CPU) it sways less.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const optionOf = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const [rows, rounds, parallel] = [optionOf('rows', 1_000), optionOf('rounds', 15), optionOf('parallel', 32)];

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const file = join(folder, 'users.csv');
const lines = Array.from({ length: rows }, (_, n) => `user-${n}@example.com,The user of number ${n}`);
writeFileSync(file, `email,displayName\n${lines.join('\n')}\n`);

const engine = await startEmbeddedEngine();
const { endpoint } = engine;
const service = createServiceClient({ endpoint, requestTimeoutMs: 20_000 });
const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
let tables = 0;

interface Measured {
  /** Rows per second. */
  readonly rate: number;
  /** Milliseconds of computing for a row, in this process. */
  readonly cpu: number;
}

/** In a table of its own. */
async function measured(act: (table: string) => Promise<void>): Promise<Measured> {
  const table = `bench-${++tables}`;
  await createTable(service, table);
  const [begun, computed] = [performance.now(), process.cpuUsage()];
  await act(table);
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(computed);
  await service.send(new DeleteTableCommand({ TableName: table }));
  return { rate: rows / seconds, cpu: (user + system) / 1_000 / rows };
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

const found: { readonly load: Measured; readonly bare: Measured }[] = [];
await measured(load);
await measured(bare);
for (let round = 0; round < rounds; round++) {
  // Each goes first in every other round.
  const [first, second] = round % 2 === 0 ? [load, bare] : [bare, load];
  const [one, two] = [await measured(first), await measured(second)];
  found.push(round % 2 === 0 ? { load: one, bare: two } : { load: two, bare: one });
}

/** The median, and where the middle half lies. */
function told(of: (round: (typeof found)[number]) => number, show: (value: number) => string): string {
  const all = found.map(of).sort((a, b) => a - b);
  const at = (share: number) => show(all[Math.floor((all.length - 1) * share)] ?? 0);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}
const whole = (value: number) => value.toFixed(0);
const fine = (value: number) => value.toFixed(2);
const percent = (value: number) => `${(value * 100).toFixed(0)} %`;
console.log(
  `${rows} users, ${transactions[0]?.length} items each, ${parallel} at once; median of ${rounds} rounds, and the middle half:
                          rows/s                CPU ms/row
  gatehouse load          ${told(({ load: { rate } }) => rate, whole).padEnd(20)}  ${told(({ load: { cpu } }) => cpu, fine)}
  bare TransactWriteItems ${told(({ bare: { rate } }) => rate, whole).padEnd(20)}  ${told(({ bare: { cpu } }) => cpu, fine)}
  share                   ${told(({ load: a, bare: b }) => a.rate / b.rate, percent).padEnd(20)}  ${told(({ load: a, bare: b }) => b.cpu / a.cpu, percent)}`,
);
await engine.stop();
rmSync(folder, { recursive: true });
process.exit(0);
