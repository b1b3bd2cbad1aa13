import { isDeepStrictEqual } from 'node:util';
import type { Answer, Failure } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import type { Pacing } from '../../table/read/pacing.ts';
import { type BatchedCommand, type BatchTransport, TransportError } from '../transport.ts';
import { keysOf, operationAfter, operationOf, type RowKind, type Values } from './kinds.ts';
import type { Refusal } from './rows.ts';

/** What became of a row. */
export type Outcome =
  | { readonly state: 'created' | 'present' }
  | { readonly state: 'refused'; readonly refusal: Omit<Refusal, 'line'> };

/** Of a row that could not be written: nothing is known about it. */
export interface Lost {
  readonly state: 'lost';
  readonly error: TransportError;
}

export interface RowsWriter {
  readonly send: BatchTransport;
  readonly pacing: Pacing;
  readonly kind: RowKind;
  readonly actor: string | undefined;
  readonly isDryRun: boolean;
  readonly now: () => number;
}

type Settle = (position: number, outcome: Outcome | Lost) => void;

/** A row on its way. */
interface Row {
  readonly values: Values;
  readonly position: number;
  /** The operation of a row that nothing in the table makes unique. */
  operationId: string | undefined;
  /** Whether an attempt got no answer: it may have been carried out. */
  isDoubtful: boolean;
}

/**
 * Sends rows, many commands in one event. What is unique in the table recognises a row that an earlier run, or an
 * attempt whose answer was lost, has created: the two are compared, and equal counts as present. A row with nothing
 * unique has an operation id, made of its content. Rows without a final answer are sent again, half as many at a
 * time, until the deadline passes.
 *
 * @param settle called once for each row
 */
export async function writeRows(writer: RowsWriter, rows: readonly Values[], settle: Settle): Promise<void> {
  const { pacing, kind } = writer;
  const begun = writer.now();
  let signal = pacing.deadline();
  let left: readonly Row[] = rows.map((values, position) => ({
    values,
    position,
    isDoubtful: false,
    operationId: keysOf(kind, values).length > 0 ? undefined : operationOf(kind, values),
  }));
  let most = left.length;
  for (let attempt = 1; left.length > 0; ) {
    const sent = left.slice(0, most);
    const { again, error } = await attemptOf(writer, sent, begun, settle, signal);
    left = [...again, ...left.slice(most)];
    if (again.length < sent.length) [attempt, signal] = [1, pacing.deadline()];
    if (error === undefined) continue;
    most = Math.max(1, Math.floor(sent.length / 2));
    if (error.retryable && !signal.aborted) await pacing.pause(attempt++, signal);
    if (error.retryable && !signal.aborted) continue;
    for (const { position } of left) settle(position, { state: 'lost', error });
    return;
  }
}

/** What an attempt left: rows to be sent again, and the error of the first that got no answer. */
interface Left {
  readonly again: readonly Row[];
  readonly error: TransportError | undefined;
}

async function attemptOf(
  { send, kind, actor, isDryRun }: RowsWriter,
  rows: readonly Row[],
  begun: number,
  settle: Settle,
  signal: AbortSignal,
): Promise<Left> {
  const by = defined({ actor, dryRun: isDryRun || undefined });
  const create = rows.map(
    ({ values, operationId }): BatchedCommand => ({
      command: `${kind.type}.create`,
      input: values,
      ...defined({ operationId }),
    }),
  );
  const again: Row[] = [];
  let failure: TransportError | undefined;
  const lose = (row: Row, error: TransportError): void => {
    row.isDoubtful = true;
    failure ??= error;
    again.push(row);
  };
  /** Rows whose item may be there already, and how it is found. */
  const found: (Compared & { readonly row: Row })[] = [];
  for (const [position, answer] of (await send({ ...by, batch: create }, signal)).entries()) {
    const row = rows[position] as Row;
    if (answer.ok) {
      const { createdAt } = answer.result;
      if (row.operationId === undefined || !(Date.parse(String(createdAt)) < begun))
        settle(row.position, { state: 'created' });
      // An earlier run created it. It may have been changed or deleted since.
      else found.push({ row, by: pick(kind.readBy, answer.result), createdAt });
    } else if (isFault(answer.error)) lose(row, faultOf(answer.error));
    else {
      const holder = answer.error.code === 'conflict' ? holderOf(kind, row.values, answer.error) : undefined;
      if (holder) found.push({ row, by: holder, error: answer.error });
      else settle(row.position, refuse(answer.error));
    }
  }
  if (found.length === 0) return { again, error: failure };
  const read = found.map(
    ({ by: each }): BatchedCommand => ({ command: `${kind.type}.read`, input: kind.toName(each) }),
  );
  for (const [position, answer] of (await send({ batch: read }, signal)).entries()) {
    const { row, error, createdAt } = found[position] as (typeof found)[number];
    if (answer.ok) settle(row.position, compare(kind, row, answer.result, begun, error));
    else if (answer.error.code !== 'not_found') lose(row, faultOf(answer.error));
    else if (error) settle(row.position, refuse(error));
    else {
      row.operationId = operationAfter(kind, row.operationId ?? '', createdAt);
      again.push(row);
    }
  }
  return { again, error: failure };
}

/** How an item is read with which a row is compared. */
interface Compared {
  readonly by: Values;
  /** Of a row that conflicts with it. */
  readonly error?: Failure['error'];
  /** Of a row that an operation before has created. */
  readonly createdAt?: unknown;
}

const pick = (names: readonly string[], values: Values): Values =>
  Object.fromEntries(names.map((name) => [name, values[name]]));

/** The input that reads the item with which a row conflicts; undefined when the answer does not say. */
function holderOf(kind: RowKind, values: Values, { field, holder }: Failure['error']): Values | undefined {
  const [first = ''] = kind.readBy;
  if (kind.readBy.length > 1) return pick(kind.readBy, values);
  if (holder !== undefined) return { [first]: holder.slice(holder.indexOf(':') + 1) };
  return field === first ? pick([first], values) : undefined;
}

/** Compares a row with the item; fields that the row leaves out are not compared. */
function compare(
  kind: RowKind,
  { values, isDoubtful }: Row,
  item: Values,
  begun: number,
  error?: Failure['error'],
): Outcome {
  const differs = Object.keys(values).find(
    (name) => !kind.secret.includes(name) && !isDeepStrictEqual(values[name], item[name]),
  );
  const isDeleting = item.deletingSince !== undefined;
  if (differs === undefined && !isDeleting)
    return { state: isDoubtful && Date.parse(String(item.createdAt)) >= begun ? 'created' : 'present' };
  const name = error?.holder ?? kind.type;
  const why = isDeleting ? `${name} is being deleted` : `${name} already exists with another ${differs}`;
  const field = (error?.holder === undefined ? undefined : error.field) ?? differs;
  return {
    state: 'refused',
    refusal: {
      code: 'conflict',
      ...defined({ field }),
      message: error?.holder === undefined ? why : `${error.message}: ${why}`,
    },
  };
}

const isFault = ({ retryable, code }: Failure['error']): boolean => retryable || code === 'internal';
const faultOf = ({ message, retryable }: Failure['error']) => new TransportError(message, retryable);

function refuse({ code, field, message, holder }: Failure['error']): Outcome {
  return {
    state: 'refused',
    refusal: {
      code,
      ...defined({ field }),
      message: holder === undefined ? message : `${message} (${holder})`,
    },
  };
}

/** The answers to the commands of a batch: that to the whole, where it has none of its own. */
export const answersIn = (answer: Answer, count: number): readonly Answer[] =>
  answer.ok ? (answer.result.answers as readonly Answer[]) : Array.from({ length: count }, () => answer);
