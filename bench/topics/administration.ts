import { createColumns } from '../../cli/bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../../cli/bulk/kinds.ts';
import { startLoad } from '../../cli/bulk/load.ts';
import { readSource } from '../../cli/bulk/source.ts';
import { directTransport } from '../../cli/transport.ts';
import { inTurns } from '../../provisioning/in-turns.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { wallMs } from '../harness/clocks.ts';
import { openProvisioned, withEngine } from '../harness/engine.ts';
import { toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { applyManifest, manifestOfPeople, manifestOfPlaces } from '../model/bulk-apply.ts';
import { readByNode } from '../model/bulk-verify.ts';
import {
  GROUPS_OF_EACH,
  KINDS,
  type Kind,
  openStage,
  recordTransactions,
  type Stage,
  sendBare,
  type Transaction,
  userOf,
} from '../model/transactions.ts';
import { times } from '../model/world.ts';

/** Batches of a load in flight at once, and bare transactions beside them. */
const PARALLEL = 8;
/** Commands in flight that are a transaction each. */
const SINGLE = 32;
/** Rows of each kind. */
const ROWS = 1_000;
/** Reads under way at once, as `verify` has them. */
const READERS = 32;

/** Does something, and says how much of it in a second. */
async function rateOf(act: () => Promise<number>): Promise<number> {
  const begun = wallMs();
  const count = await act();
  return (count * 1_000) / (wallMs() - begun);
}

/** Does all the work with so many workers; returns the sum of what each piece came to. */
async function atOnce(count: number, width: number, work: (n: number) => Promise<number>): Promise<number> {
  const came = await inTurns(times(count, Number), work, width);
  return came.reduce((sum, each) => sum + each, 0);
}

async function* linesOf(kind: Kind, count: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n++) yield Buffer.from(`${JSON.stringify(KINDS[kind].rowOf(n))}\n`);
}

/** `gatehouse load` of so many rows, in this process. */
async function loadRows({ provisioning }: Stage, kind: Kind, count: number): Promise<number> {
  const of = ROW_KINDS.find(({ name }) => name === kind) as RowKind;
  const source = await readSource(linesOf(kind, count), createColumns(of.fields));
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

/** One kind of rows: a transaction each, as loads send them, and the transactions of a load sent bare. */
async function measureKind(endpoint: string, kind: Kind, loaded: Stage) {
  const open = async (name: string) => {
    const stage = await openStage(endpoint, `${name}-${kind}`);
    if (kind === 'memberships') await loadRows(stage, 'users', ROWS / GROUPS_OF_EACH);
    return stage;
  };
  const { command, rowOf } = KINDS[kind];
  const [single, recorded, bare] = [await open('single'), await open('recorded'), await open('bare')];
  const found = recordTransactions(recorded.client);
  await loadRows(recorded, kind, ROWS);
  const run = (n: number) => single.run(command, rowOf(n)).then(() => 1);
  // A transaction of a load holds several rows.
  const send = (n: number) =>
    sendBare(bare, found[n] as Transaction, `${kind}-${n}`).then(() => ROWS / found.length);
  return {
    alone: await rateOf(() => atOnce(ROWS, SINGLE, run)),
    load: await rateOf(() => loadRows(loaded, kind, ROWS)),
    bare: await rateOf(() => atOnce(found.length, PARALLEL, send)),
    actions: found.flat().length / ROWS,
  };
}

/** `gatehouse verify`, and what it looks at of users read node by node: reads in a second. */
async function measureVerify({ reader }: Stage) {
  const verifyAll = async (): Promise<number> => {
    const { open, reads } = await verify({ reader, clock: Date, logs: false });
    if (open.length > 0) throw new Error(`findings: ${JSON.stringify(open[0])}`);
    return reads;
  };
  const read = (n: number) => readByNode(reader, { type: 'user', id: userOf(n) }, Date.now());
  return {
    reads: await rateOf(verifyAll),
    'by-node': await rateOf(() => atOnce(ROWS, READERS, read)),
  };
}

/** Three for each user; an apply takes 10,000 at most. */
const CHANGES = { quick: 498, full: 9_999 };

/** `gatehouse apply` of so many changes, and its transactions sent bare, one after the other as it sends them. */
async function measureApply(endpoint: string, most: number) {
  const open = async (name: string) => {
    const opened = await openProvisioned(endpoint, `${name}-apply`);
    await applyManifest(opened, manifestOfPlaces);
    return opened;
  };
  const [measured, recorded, bare] = [await open('measured'), await open('recorded'), await open('bare')];
  const found = recordTransactions(recorded.client);
  const count = await applyManifest(recorded, manifestOfPeople(most));
  const send = (n: number) =>
    sendBare(bare, found[n] as Transaction, `apply-${n}`).then(() => count / found.length);
  return {
    changes: await rateOf(() => applyManifest(measured, manifestOfPeople(most))),
    bare: await rateOf(() => atOnce(found.length, 1, send)),
  };
}

export const topic: Topic = {
  title: 'bulk administration beside single commands and bare transactions of the same size',
  run: async ({ quick, log }) => {
    const values: Record<string, number[]> = {};
    const note = (of: string, found: Readonly<Record<string, number>>) => {
      for (const [name, value] of Object.entries(found))
        values[`${of}.${name}`] = [...(values[`${of}.${name}`] ?? []), value];
      log(`${of}: ${Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(1)}`)}`);
    };
    for (let round = 0; round < (quick ? 2 : 3); round++)
      await withEngine(async (endpoint) => {
        const loaded = await openStage(endpoint, 'loaded');
        for (const kind of ['users', 'memberships'] as const)
          note(kind, await measureKind(endpoint, kind, loaded));
        note('verify', await measureVerify(loaded));
        note('apply', await measureApply(endpoint, quick ? CHANGES.quick : CHANGES.full));
      });
    const figure = (of: string, name: string, title: string, unit = '/s', ...peers: readonly string[]) => {
      const valuesOf = (which: string): readonly number[] => values[`${of}.${which}`] ?? [];
      const against = Object.fromEntries(peers.map((peer) => [peer, valuesOf(peer)]));
      return toFigure(`${of}.${name}`, title, unit, valuesOf(name), against);
    };
    return [
      ...Object.keys(KINDS).flatMap((kind) => [
        figure(kind, 'load', `gatehouse load ${kind}`, '/s', 'alone', 'bare'),
        figure(kind, 'alone', `${kind}, a transaction each, ${SINGLE} at once`),
        figure(kind, 'bare', 'the transactions of the load, bare'),
        figure(kind, 'actions', `actions for a row of ${kind}`, ''),
      ]),
      figure('verify', 'reads', 'gatehouse verify: reads', '/s', 'by-node'),
      figure('verify', 'by-node', `what it looks at, read node by node, ${READERS} at once`),
      figure('apply', 'changes', 'gatehouse apply: changes', '/s', 'bare'),
      figure('apply', 'bare', 'the transactions of the apply, bare, one after the other'),
    ];
  },
};
