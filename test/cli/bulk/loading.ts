import { createColumns } from '../../../cli/bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../../../cli/bulk/kinds.ts';
import { type LoadOptions, startLoad } from '../../../cli/bulk/load.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import type { BatchEvent, BatchedCommand, Transport } from '../../../cli/transport.ts';
import type { Answer } from '../../../provisioning/index.ts';

/** Loads of users over a stub transport. */
export const USERS = ROW_KINDS[0] as RowKind;
export const MEMBERSHIPS = ROW_KINDS.find(({ name }) => name === 'memberships') as RowKind;
export const done = (): Answer => ({ ok: true, result: { id: 'x', createdAt: '9999-01-01T00:00:00.000Z' } });
/** A transport that answers each command of a batch. */
export const answering =
  (answer: (command: BatchedCommand) => Answer | Promise<Answer>): Transport =>
  async (event) => ({
    ok: true,
    result: { answers: await Promise.all((event as BatchEvent).batch.map(answer)) },
  });
/** An id as Gatehouse gives it: in a row it is not looked up. */
const idOf = (number: number): string => `01J8Z0E2Z8D2A3J7A7Y2${String(number).padStart(6, '0')}`;
const LINE = (n: number) => `user-${n}@example.com,The user of number ${n}\n`;

export async function* bytesOf(rows: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('email,displayName\n');
  for (let n = 0; n < rows; n += 500)
    yield encoder.encode(Array.from({ length: Math.min(500, rows - n) }, (_, m) => LINE(n + m)).join(''));
}

/** Memberships: the group of each user, by number. */
export async function* membershipsOf(groups: readonly number[]): AsyncGenerator<Uint8Array> {
  const rows = groups.map((group, n) => `${idOf(n)},${idOf(group)}\n`);
  yield new TextEncoder().encode(`user,group\n${rows.join('')}`);
}

/** A file in pieces of so many bytes. */
export async function* piecesOf(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Columns of texts. */
export const columnsOf = (...names: readonly string[]) =>
  createColumns(names.map((name) => ({ name, property: { type: 'string' }, isRequired: false })));

/** A load of users, unless it is said of what. */
export async function loadOf(
  bytes: AsyncGenerator<Uint8Array>,
  transport: Transport,
  more: Partial<LoadOptions> = {},
) {
  const { rows } = await readSource(bytes, createColumns((more.kind ?? USERS).fields));
  return startLoad(rows, {
    kind: USERS,
    transport,
    parallel: 16,
    now: Date.now,
    onRefused: () => {},
    onProgress: () => {},
    ...more,
  });
}

export const load = (rows: number, transport: Transport, more?: Partial<LoadOptions>) =>
  loadOf(bytesOf(rows), transport, more);
