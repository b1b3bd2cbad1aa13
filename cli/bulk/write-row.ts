import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../provisioning/index.ts';
import { type Deliver, TransportError } from '../transport.ts';
import { operationAfter, operationOf, type RowKind, type Values } from './kinds.ts';
import type { Refusal } from './rows.ts';

/** What became of a row. */
export type Outcome =
  | { readonly state: 'created' | 'present' }
  | { readonly state: 'refused'; readonly refusal: Omit<Refusal, 'line'> };

export interface RowWriter {
  readonly deliver: Deliver;
  readonly kind: RowKind;
  readonly actor: string | undefined;
  readonly isDryRun: boolean;
  readonly now: () => number;
}

/**
 * Sends one row. Its operation id recognises what an earlier run, or an attempt whose answer was lost, has done.
 * Where another operation created an item with the same key, the two are compared: equal counts as present.
 * Throws {@link TransportError}
 * when the table or the connection failed, not the row: nothing is known about it.
 */
export async function writeRow(
  { deliver, kind, actor, isDryRun, now }: RowWriter,
  values: Values,
): Promise<Outcome> {
  const begun = now();
  for (let operationId = operationOf(kind, values); ; ) {
    const event = { command: `${kind.type}.create`, input: values, operationId, dryRun: isDryRun };
    const { answer } = await deliver({ ...event, ...(actor === undefined ? {} : { actor }) });
    if (!answer.ok) {
      const { error } = answer;
      const found =
        error.code === 'conflict' ? await read(deliver, kind, holderOf(kind, values, error)) : undefined;
      return found ? compare(kind, values, found, error) : refuse(error);
    }
    const { createdAt } = answer.result;
    if (!(Date.parse(String(createdAt)) < begun)) return { state: 'created' };
    // An earlier run created it. It may have been changed or deleted since.
    const found = await read(deliver, kind, pick(kind.readBy, answer.result));
    if (found) return compare(kind, values, found);
    operationId = operationAfter(kind, operationId, createdAt);
  }
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

async function read(deliver: Deliver, kind: RowKind, by: Values | undefined): Promise<Values | undefined> {
  if (!by) return undefined;
  const { answer } = await deliver({ command: `${kind.type}.read`, input: by });
  if (answer.ok) return answer.result;
  if (answer.error.code === 'not_found') return undefined;
  throw faultOf(answer.error);
}

/** Compares a row with the item; fields that the row leaves out are not compared. */
function compare(kind: RowKind, values: Values, item: Values, error?: Failure['error']): Outcome {
  const differs = Object.keys(values).find(
    (name) => !kind.secret.includes(name) && !isDeepStrictEqual(values[name], item[name]),
  );
  const isDeleting = item.deletingSince !== undefined;
  if (differs === undefined && !isDeleting) return { state: 'present' };
  const name = error?.holder ?? kind.type;
  const why = isDeleting ? `${name} is being deleted` : `${name} already exists with another ${differs}`;
  const field = (error?.holder === undefined ? undefined : error.field) ?? differs;
  return {
    state: 'refused',
    refusal: {
      code: 'conflict',
      ...(field === undefined ? {} : { field }),
      message: error?.holder === undefined ? why : `${error.message}: ${why}`,
    },
  };
}

const faultOf = ({ message, retryable }: Failure['error']) => new TransportError(message, retryable);

function refuse(error: Failure['error']): Outcome {
  if (error.retryable || error.code === 'internal') throw faultOf(error);
  const { code, field, message, holder } = error;
  return {
    state: 'refused',
    refusal: {
      code,
      ...(field === undefined ? {} : { field }),
      message: holder === undefined ? message : `${message} (${holder})`,
    },
  };
}
