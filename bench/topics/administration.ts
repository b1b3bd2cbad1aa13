import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createColumns } from '../../cli/bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../../cli/bulk/kinds.ts';
import { startLoad } from '../../cli/bulk/load.ts';
import { readSource } from '../../cli/bulk/source.ts';
import { openInput } from '../../cli/input-file.ts';
import { provisionedOn } from '../../cli/provisioning.ts';
import { directTransport } from '../../cli/transport.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { wallMs } from '../harness/clocks.ts';
import { openNewTable, PATIENCE_MS, withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { applyManifest, manifestOfPeople, manifestOfPlaces } from '../model/bulk-apply.ts';
import { readByNode } from '../model/bulk-verify.ts';
import {
  type Asked,
  commandsOn,
  recordTransactions,
  sendBare,
  type Transaction,
} from '../model/transactions.ts';
import { times } from '../model/world.ts';

/** Batches of a load in flight at once, and bare transactions beside them. */
const PARALLEL = 8;
/** Commands in flight that are a transaction each. */
const SINGLE = 32;
/** Rows of which each is a transaction, and rows whose transactions are recorded to be sent bare. */
const SAMPLE = 1_000;
/** However many users are loaded: rows that are sent bare, and memberships. */
const MOST_BESIDE = 50_000;
/** Reads under way at once, as `verify` has them. */
const READERS = 32;
const GROUPS = 20;
const GROUPS_OF_EACH = 5;
const TENANT = '01J80TENANT';

const idOf = (kind: string, n: number): string => `01J8${kind}${String(n).padStart(9, '0')}`;
const userOf = (n: number) => ({
  id: idOf('U', n),
  email: `user-${n}@example.com`,
  displayName: `The user of number ${n}`,
});
const membershipOf = (n: number) => {
  const user = Math.floor(n / GROUPS_OF_EACH);
  return { user: idOf('U', user), group: idOf('G', (user * 3 + n) % GROUPS) };
};

/** Does all the work with so many workers. */
async function inParallel(count: number, width: number, work: (n: number) => Promise<unknown>) {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(times(width, worker));
}

/** Of what was done, as many in a second. */
async function rateOf(work: () => Promise<number>): Promise<number> {
  const begun = wallMs();
  return ((await work()) * 1_000) / (wallMs() - begun);
}

interface Stage {
  readonly endpoint: string;
  readonly folder: string;
}

/** When what is there beforehand was made: the same in all tables, for transactions ask for it (ADR 0007). */
const MADE_AT = Date.now();
const madeAt = (): number => MADE_AT;

/** A table with a tenant and its groups. */
async function openStage(endpoint: string, table: string) {
  const { client, reader } = await openNewTable(endpoint, table);
  const { run } = commandsOn(client, table, madeAt);
  await run({ command: 'tenant.create', input: { id: TENANT, name: 'Tenant' } });
  for (const n of times(GROUPS, (each) => each))
    await run({
      command: 'group.create',
      input: { id: idOf('G', n), scope: `tenant:${TENANT}`, name: `Group ${n}` },
    });
  return { client, reader, run, table };
}

/** `gatehouse load` of a file with so many rows, in this process. */
async function loadRows(
  { folder }: Stage,
  { client, table }: { readonly client: DynamoDBDocumentClient; readonly table: string },
  kind: string,
  rows: Iterable<Readonly<Record<string, string>>>,
  now = Date.now,
): Promise<number> {
  const file = join(folder, `${kind}.jsonl`);
  let [text, count] = ['', 0];
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`;
    count += 1;
  }
  writeFileSync(file, text);
  const of = ROW_KINDS.find(({ name }) => name === kind) as RowKind;
  const source = await readSource(openInput(file), createColumns(of.fields));
  const pacing = createPacing({ deadlineMs: PATIENCE_MS });
  const { provisioning } = provisionedOn(client, table, now, pacing);
  const { progress, fault } = await startLoad(source.rows, {
    kind: of,
    transport: directTransport(provisioning),
    parallel: PARALLEL,
    isOneProcess: true,
    now: Date.now,
    onRefused: () => {},
    onProgress: () => {},
  }).done;
  if (fault !== undefined || progress.created !== count)
    throw new Error(`${kind}: ${fault ?? 'not all created'}`);
  return count;
}

/** A recorded transaction on items of its own. */
const shifted = (transaction: Transaction, by: number): Transaction =>
  transaction.map((item) =>
    Object.fromEntries(
      Object.entries(item).map(([kind, action]) => {
        const at = kind === 'Put' ? 'Item' : 'Key';
        const of: Readonly<Record<string, unknown>> = { ...action };
        const key = of[at] as { readonly PK: string };
        return [kind, { ...of, [at]: { ...key, PK: [key.PK, by].join('~') } }];
      }),
    ),
  ) as Transaction;

/** One kind of rows: a transaction each, as loads send them, and the transactions of a load sent bare. */
async function measureKind(
  stage: Stage,
  kind: 'users' | 'memberships',
  count: number,
  loaded: Awaited<ReturnType<typeof openStage>>,
  round: string,
) {
  const rowOf: (n: number) => Readonly<Record<string, string>> = kind === 'users' ? userOf : membershipOf;
  const command = kind === 'users' ? 'user.create' : 'membership.create';
  const sample = Math.min(count, SAMPLE);
  const open = async (name: string) => {
    const opened = await openStage(stage.endpoint, `${name}-${kind}-${round}`);
    if (kind === 'memberships')
      await loadRows(stage, opened, 'users', times(Math.ceil(sample / GROUPS_OF_EACH), userOf), madeAt);
    return opened;
  };
  const single = await open('single');
  const alone = await rateOf(async () => {
    await inParallel(sample, SINGLE, (n) => single.run({ command, input: rowOf(n) } satisfies Asked));
    return sample;
  });
  const recorded = await open('recorded');
  const found = recordTransactions(recorded.client);
  await loadRows(stage, recorded, kind, times(sample, rowOf));
  const load = await rateOf(() => loadRows(stage, loaded, kind, times(count, rowOf)));
  const bareTable = await open('bare');
  const actions = found.reduce((sum, each) => sum + each.length, 0);
  // Memberships are of users that are there: they are not repeated under other keys.
  const repeats = kind === 'users' ? Math.ceil(Math.min(count, MOST_BESIDE) / sample) : 1;
  const bare = await rateOf(async () => {
    await inParallel(found.length * repeats, PARALLEL, (n) =>
      sendBare(
        bareTable.client,
        bareTable.table,
        kind === 'users' ? shifted(found[n % found.length] as Transaction, n) : (found[n] as Transaction),
        `${kind}-${round}-${n}`,
      ),
    );
    return sample * repeats;
  });
  return { alone, load, bare, actions: actions / sample };
}

/** `gatehouse verify`, and what it looks at of users read node by node. */
async function measureVerify({ client, table }: Awaited<ReturnType<typeof openStage>>, users: number) {
  const reader = createReader({ client, table, deadlineMs: PATIENCE_MS });
  const verified = await rateOf(async () => {
    const { open, reads } = await verify({ reader, clock: Date, logs: false });
    if (open.length > 0) throw new Error(`findings: ${JSON.stringify(open[0])}`);
    return reads;
  });
  const byNode = await rateOf(async () => {
    let reads = 0;
    await inParallel(Math.min(users, SAMPLE), READERS, async (n) => {
      const read = await readByNode(reader, { type: 'user', id: idOf('U', n) }, Date.now());
      reads += read;
    });
    return reads;
  });
  return { reads: verified, 'by-node': byNode };
}

/** `gatehouse apply` of so many changes, and its transactions sent bare, one after the other as it sends them. */
async function measureApply(endpoint: string, most: number, round: string) {
  const open = async (name: string) => {
    const opened = {
      ...(await openNewTable(endpoint, `${name}-apply-${round}`)),
      table: `${name}-apply-${round}`,
    };
    await applyManifest(opened, manifestOfPlaces, madeAt);
    return opened;
  };
  const applied = await open('measured');
  const changes = await rateOf(() => applyManifest(applied, manifestOfPeople(most)));
  const recorded = await open('recorded');
  const found = recordTransactions(recorded.client);
  const count = await applyManifest(recorded, manifestOfPeople(most));
  const bareTable = await open('bare');
  const bare = await rateOf(async () => {
    for (const [n, transaction] of found.entries())
      await sendBare(bareTable.client, bareTable.table, transaction, `apply-${round}-${n}`);
    return count;
  });
  return { changes, bare };
}

/** Three for each user; an apply takes 10,000 at most. */
const CHANGES = { quick: 498, full: 9_999 };

export const administration: Topic = {
  name: 'administration',
  title: 'bulk administration beside single commands and bare transactions of the same size',
  run: async ({ quick, users = SAMPLE, log }) => {
    const rounds = quick ? 2 : users > 50_000 ? 1 : 3;
    const values: Record<string, number[]> = {};
    const note = (of: string, found: Readonly<Record<string, number>>) => {
      for (const [name, value] of Object.entries(found))
        values[`${of}.${name}`] = [...(values[`${of}.${name}`] ?? []), value];
      log(`${of}: ${Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(1)}`)}`);
    };
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-administration-'));
    try {
      for (let round = 0; round < rounds; round++)
        await withEngine(async (endpoint) => {
          const stage = { endpoint, folder };
          const loaded = await openStage(endpoint, 'loaded');
          for (const kind of ['users', 'memberships'] as const) {
            const rows = kind === 'users' ? users : Math.min(users, MOST_BESIDE);
            note(kind, await measureKind(stage, kind, rows, loaded, String(round)));
          }
          note('verify', await measureVerify(loaded, users));
          note('apply', await measureApply(endpoint, quick ? CHANGES.quick : CHANGES.full, String(round)));
        });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const figure = (id: string, title: string, unit = '/s', ...peers: readonly string[]): Figure =>
      toFigure(
        `administration.${id}`,
        title,
        unit,
        values[id] ?? [],
        Object.fromEntries(peers.map((peer) => [peer, values[`${id.split('.')[0]}.${peer}`] ?? []])),
      );
    return [
      ...(['users', 'memberships'] as const).flatMap((kind) => [
        figure(`${kind}.load`, `gatehouse load ${kind}`, '/s', 'alone', 'bare'),
        figure(`${kind}.alone`, `${kind}, a transaction each, ${SINGLE} at once`),
        figure(`${kind}.bare`, 'the transactions of the load, bare'),
        figure(`${kind}.actions`, `actions for a row of ${kind}`, ''),
      ]),
      figure('verify.reads', 'gatehouse verify: reads', '/s', 'by-node'),
      figure('verify.by-node', `what it looks at, read node by node, ${READERS} at once`),
      figure('apply.changes', 'gatehouse apply: changes', '/s', 'bare'),
      figure('apply.bare', 'the transactions of the apply, bare, one after the other'),
    ];
  },
};
