import { createColumns } from '../../../cli/bulk/columns.ts';
import { ROW_KINDS, type RowKind } from '../../../cli/bulk/kinds.ts';
import { type LoadOptions, startLoad } from '../../../cli/bulk/load.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import type { BatchEvent, BatchedCommand, Transport } from '../../../cli/transport.ts';
import type { Answer } from '../../../provisioning/index.ts';

/** Loads of users over a stub transport. */
export const USERS = ROW_KINDS[0] as RowKind;
export const done = (): Answer => ({
  ok: true,
  result: { id: 'x', createdAt: '9999-01-01T00:00:00.000Z' },
});
/** A transport that answers each command of a batch. */
export const answering =
  (answer: (command: BatchedCommand) => Answer | Promise<Answer>): Transport =>
  async (event) => ({
    ok: true,
    result: { answers: await Promise.all((event as BatchEvent).batch.map(answer)) },
  });
/** An id as Gatehouse gives it: in a row it is not looked up. */
export const idOf = (number: number): string => `01J8Z0E2Z8D2A3J7A7Y2${String(number).padStart(6, '0')}`;
const LINE = (n: number) => `user-${n}@example.com,The user of number ${n}\n`;

export async function* bytesOf(rows: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('email,displayName\n');
  for (let n = 0; n < rows; n += 500)
    yield encoder.encode(Array.from({ length: Math.min(500, rows - n) }, (_, m) => LINE(n + m)).join(''));
}

export async function load(rows: number, transport: Transport, more: Partial<LoadOptions> = {}) {
  const { rows: source } = await readSource(bytesOf(rows), createColumns(USERS.fields));
  return startLoad(source, {
    kind: USERS,
    transport,
    parallel: 16,
    now: Date.now,
    onRefused: () => {},
    onProgress: () => {},
    ...more,
  });
}
