import { createColumns } from '../../cli/bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../../cli/bulk/kinds.ts';
import { startLoad } from '../../cli/bulk/load.ts';
import { readSource } from '../../cli/bulk/source.ts';
import { provisionedOn } from '../../cli/provisioning.ts';
import { directTransport } from '../../cli/transport.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { wallMs } from '../harness/clocks.ts';
import { openNewTable, PATIENCE_MS, withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { applyManifest, manifestOfPeople, manifestOfPlaces } from '../model/bulk-apply.ts';
import { readByNode } from '../model/bulk-verify.ts';
import { commandsOn, recordTransactions, sendBare, type Transaction } from '../model/transactions.ts';
import { times } from '../model/world.ts';

/** Batches of a load in flight at once, and bare transactions beside them. */
const PARALLEL = 8;
/** Commands in flight that are a transaction each. */
const SINGLE = 32;
/** Rows of which each is a transaction, and rows whose transactions are recorded to be sent bare. */
const SAMPLE = 1_000;
/** Memberships that are loaded at most, however many users are. */
const MOST_MEMBERSHIPS = 50_000;
/** Reads under way at once, as `verify` has them. */
const READERS = 32;
const GROUPS = 20;
const GROUPS_OF_EACH = 5;
const TENANT = '01J80TENANT';

const idOf = (kind: string, n: number): string => `01J8${kind}${String(n).padStart(9, '0')}`;

/** The command of a row, and the n-th row. */
const KINDS = {
  users: {
    command: 'user.create',
    rowOf: (n: number) => ({
      id: idOf('U', n),
      email: `user-${n}@example.com`,
      displayName: `The user of number ${n}`,
    }),
  },
  memberships: {
    command: 'membership.create',
    rowOf: (n: number) => {
      const user = Math.floor(n / GROUPS_OF_EACH);
      return { user: idOf('U', user), group: idOf('G', (user * 3 + n) % GROUPS) };
    },
  },
};
type Kind = keyof typeof KINDS;

/** Does all the work with so many workers; of what was done, as many in a second. */
async function rateOf(count: number, width: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const begun = wallMs();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(times(width, worker));
  return (count * 1_000) / (wallMs() - begun);
}

/** When what is there beforehand was made: the same in all tables, for transactions ask for it (ADR 0007). */
const MADE_AT = Date.now();
const madeAt = (): number => MADE_AT;

/** A table with a tenant and its groups. */
async function openStage(endpoint: string, table: string) {
  const opened = await openNewTable(endpoint, table);
  const { run } = commandsOn(opened.client, table, madeAt);
  await run({ command: 'tenant.create', input: { id: TENANT, name: 'Tenant' } });
  for (let n = 0; n < GROUPS; n++) {
    const input = { id: idOf('G', n), scope: `tenant:${TENANT}`, name: `Group ${n}` };
    await run({ command: 'group.create', input });
  }
  return { ...opened, run, table };
}
type Stage = Awaited<ReturnType<typeof openStage>>;

async function* linesOf(kind: Kind, count: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n++) yield Buffer.from(`${JSON.stringify(KINDS[kind].rowOf(n))}\n`);
}

/** `gatehouse load` of so many rows, in this process. */
async function loadRows({ client, table }: Stage, kind: Kind, count: number, now = Date.now): Promise<void> {
  const of = ROW_KINDS.find(({ name }) => name === kind) as RowKind;
  const source = await readSource(linesOf(kind, count), createColumns(of.fields));
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
}

/** One kind of rows: a transaction each, as loads send them, and the transactions of a load sent bare. */
async function measureKind(endpoint: string, kind: Kind, count: number, loaded: Stage) {
  const sample = Math.min(count, SAMPLE);
  const open = async (name: string) => {
    const opened = await openStage(endpoint, `${name}-${kind}`);
    if (kind === 'memberships') await loadRows(opened, 'users', Math.ceil(sample / GROUPS_OF_EACH), madeAt);
    return opened;
  };
  const { command, rowOf } = KINDS[kind];
  const single = await open('single');
  const alone = await rateOf(sample, SINGLE, (n) => single.run({ command, input: rowOf(n) }));
  const recorded = await open('recorded');
  const found = recordTransactions(recorded.client);
  await loadRows(recorded, kind, sample);
  const begun = wallMs();
  await loadRows(loaded, kind, count);
  const load = (count * 1_000) / (wallMs() - begun);
  const { client, table } = await open('bare');
  // A transaction of a load holds several rows.
  const rows = sample / found.length;
  const bare = await rateOf(found.length, PARALLEL, (n) =>
    sendBare(client, table, found[n] as Transaction, `${kind}-${n}`),
  );
  const actions = found.reduce((sum, each) => sum + each.length, 0);
  return { alone, load, bare: bare * rows, actions: actions / sample };
}

/** `gatehouse verify`, and what it looks at of users read node by node: reads in a second. */
async function measureVerify({ reader }: Stage, users: number) {
  let begun = wallMs();
  const { open, reads } = await verify({ reader, clock: Date, logs: false });
  if (open.length > 0) throw new Error(`findings: ${JSON.stringify(open[0])}`);
  const verified = (reads * 1_000) / (wallMs() - begun);
  begun = wallMs();
  let byNode = 0;
  await rateOf(Math.min(users, SAMPLE), READERS, async (n) => {
    const read = await readByNode(reader, { type: 'user', id: idOf('U', n) }, Date.now());
    byNode += read;
  });
  return { reads: verified, 'by-node': (byNode * 1_000) / (wallMs() - begun) };
}

/** Three for each user; an apply takes 10,000 at most. */
const CHANGES = { quick: 498, full: 9_999 };

/** `gatehouse apply` of so many changes, and its transactions sent bare, one after the other as it sends them. */
async function measureApply(endpoint: string, most: number) {
  const open = async (name: string) => {
    const table = `${name}-apply`;
    const opened = { ...(await openNewTable(endpoint, table)), table };
    await applyManifest(opened, manifestOfPlaces, madeAt);
    return opened;
  };
  const measured = await open('measured');
  let begun = wallMs();
  const changes = ((await applyManifest(measured, manifestOfPeople(most))) * 1_000) / (wallMs() - begun);
  const recorded = await open('recorded');
  const found = recordTransactions(recorded.client);
  const count = await applyManifest(recorded, manifestOfPeople(most));
  const { client, table } = await open('bare');
  begun = wallMs();
  for (const [n, transaction] of found.entries()) await sendBare(client, table, transaction, `apply-${n}`);
  return { changes, bare: (count * 1_000) / (wallMs() - begun) };
}

export const topic: Topic = {
  title: 'bulk administration beside single commands and bare transactions of the same size',
  run: async ({ quick, users = SAMPLE, log }) => {
    const rounds = quick ? 2 : users > 50_000 ? 1 : 3;
    const values: Record<string, number[]> = {};
    const note = (of: string, found: Readonly<Record<string, number>>) => {
      for (const [name, value] of Object.entries(found))
        values[`${of}.${name}`] = [...(values[`${of}.${name}`] ?? []), value];
      log(`${of}: ${Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(1)}`)}`);
    };
    for (let round = 0; round < rounds; round++)
      await withEngine(async (endpoint) => {
        const loaded = await openStage(endpoint, 'loaded');
        note('users', await measureKind(endpoint, 'users', users, loaded));
        const memberships = Math.min(users, MOST_MEMBERSHIPS);
        note('memberships', await measureKind(endpoint, 'memberships', memberships, loaded));
        note('verify', await measureVerify(loaded, users));
        note('apply', await measureApply(endpoint, quick ? CHANGES.quick : CHANGES.full));
      });
    const figure = (id: string, title: string, unit = '/s', ...peers: readonly string[]): Figure => {
      const against = peers.map((peer) => [peer, values[`${id.split('.')[0]}.${peer}`] ?? []]);
      return toFigure(`${id}`, title, unit, values[id] ?? [], Object.fromEntries(against));
    };
    return [
      ...Object.keys(KINDS).flatMap((kind) => [
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
