import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { createService, type Service } from '../../explorer/service/index.ts';
import { serveExplorer } from '../../local/explorer/serve.ts';
import type { Provisioning } from '../../provisioning/index.ts';
import type { Reader } from '../../table/reader.ts';
import {
  applyManifest,
  asWrittenLongAgo,
  prepareManifest,
  provisionedInMemory,
  readDocument,
} from '../../testing/model.ts';

export const SCHOOL = readFileSync(
  new URL('../../docs/examples/school.manifest.yaml', import.meta.url),
  'utf8',
);

type Kind = 'subject' | 'scope' | 'group' | 'role';
type Data = Readonly<Record<string, unknown>>;

/** A table in memory, and the explorer's service over it. */
export interface ShownTable {
  readonly reader: Reader;
  readonly service: Service;
  readonly provisioning: Provisioning;
  /** Epoch milliseconds of the table and of its decisions. */
  readonly now: () => number;
  /** The reference of what the manifest calls so. */
  readonly ref: (kind: Kind, name: string) => string;
  /** The result of a command. Throws for a refusal. */
  readonly run: (command: string, input: Data, actor?: string) => Promise<Data>;
}

interface TableOptions {
  readonly manifest?: string;
  readonly canWrite?: boolean;
  /** Whether the names of the manifest stand for what the table has no name of. */
  readonly isNamed?: boolean;
}

export async function tableOf(
  now: () => number,
  { manifest = SCHOOL, canWrite = false, isNamed = false }: TableOptions = {},
): Promise<ShownTable> {
  const prepared = await prepareManifest(readDocument('manifest', manifest).data);
  const provisioned = provisionedInMemory(now);
  const { provisioning } = provisioned;
  expect(await applyManifest(prepared, provisioning)).toEqual([]);
  const reader = asWrittenLongAgo(provisioned.reader);
  const about = { place: 'table gatehouse in eu-west-1', canWrite, isLive: false };
  return {
    reader,
    service: createService({
      reader,
      provisioning,
      clock: { now },
      about,
      actor: 'tester',
      ...(isNamed ? { nameOf: prepared.names.nameOf } : {}),
    }),
    provisioning,
    now,
    ref: (kind, name) => {
      const found = prepared.names.of(kind).get(name);
      if (found === undefined) throw new Error(`the manifest has no ${kind} ${name}`);
      return found;
    },
    run: async (command, input, actor) => {
      const answer = await provisioning({ command, input, ...(actor === undefined ? {} : { actor }) });
      if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
      return answer.result;
    },
  };
}

/** A table that an explorer shows, until the end of the test. */
export interface ServedTable extends ShownTable {
  /** The address of a view, which opens the explorer once. */
  readonly linkTo: (name: string, state?: Readonly<Record<string, string>>) => string;
}

export async function serveTable(options: TableOptions = {}): Promise<ServedTable> {
  // No two records are of one millisecond: they have the order in which they were made.
  let time = Date.now();
  const table = await tableOf(() => time++, options);
  const served = await serveExplorer({ service: table.service, port: 0, now: table.now });
  onTestFinished(served.stop);
  return {
    ...table,
    linkTo: (name, state = {}) => `${served.link}#${name}?${new URLSearchParams(state)}`,
  };
}
