import { isDeepStrictEqual } from 'node:util';
import type { Answer, Failure } from '../../provisioning/index.ts';
import { operationAfter, operationOf, type RowKind, type Values } from './kinds.ts';
import type { Refusal } from './rows.ts';

/** Where commands go: provisioning in this process, or its Lambda. */
export type Provision = (event: unknown) => Promise<Answer>;

/** What became of a row. */
export type Decision =
  | { readonly state: 'created' | 'present' }
  | { readonly state: 'refused'; readonly refusal: Omit<Refusal, 'line'> };
/** Nothing is decided: the same again may go well, or never will. */
interface Undecided {
  readonly state: 'again' | 'fault';
  readonly error: Failure['error'];
}
export type Outcome = Decision | Undecided;

export interface Settling {
  readonly provision: Provision;
  readonly kind: RowKind;
  readonly actor: string | undefined;
  readonly isDryRun: boolean;
  readonly now: () => number;
}

const FAULTS: ReadonlySet<string> = new Set(['internal', 'operation_mismatch']);

/**
 * Sends one row. Its operation recognises what an earlier run, or an attempt whose answer was lost, has done; and
 * where something with the same key is there by another way, it is compared: equal is as good as done.
 *
 * @param begun when the row was first sent: what was made before is not of this attempt
 */
export async function settle(
  { provision, kind, actor, isDryRun, now }: Settling,
  values: Values,
  begun = now(),
): Promise<Outcome> {
  for (let operationId = operationOf(kind, values); ; ) {
    const answer = await provision({
      ...{ command: kind.create, input: values, operationId, dryRun: isDryRun },
      ...(actor === undefined ? {} : { actor }),
    });
    if (!answer.ok) return answer.error.code === 'conflict' ? compared(answer.error) : failed(answer.error);
    const madeAt = answer.result.createdAt;
    if (!(Date.parse(String(madeAt)) < begun)) return { state: 'created' };
    // An earlier run made it. Whether it still is as it was made is another question.
    const there = await read(
      provision,
      kind,
      Object.fromEntries(kind.readBy.map((name) => [name, answer.result[name]])),
    );
    if (there === 'gone') operationId = operationAfter(kind, operationId, madeAt);
    else return 'state' in there ? there : judged(kind, values, there.item);
  }

  async function compared(error: Failure['error']): Promise<Outcome> {
    const by = pointsTo(kind, values, error);
    const there = by && (await read(provision, kind, by));
    if (!there || there === 'gone') return failed(error);
    return 'state' in there ? there : judged(kind, values, there.item, error);
  }
}

/** By what the thing can be read that stands in the way. */
function pointsTo(kind: RowKind, values: Values, { field, holder }: Failure['error']): Values | undefined {
  if (kind.readBy.length > 1) return Object.fromEntries(kind.readBy.map((name) => [name, values[name]]));
  const [id = ''] = kind.readBy;
  if (holder !== undefined) return { [id]: holder.slice(holder.indexOf(':') + 1) };
  return field === id ? { [id]: values[id] } : undefined;
}

async function read(
  provision: Provision,
  kind: RowKind,
  by: Values,
): Promise<Outcome | 'gone' | { item: Values }> {
  const answer = await provision({ command: kind.read, input: by });
  if (answer.ok) return { item: answer.result };
  return answer.error.code === 'not_found' ? 'gone' : failed(answer.error);
}

/** The same, as far as the row says anything. */
function judged(kind: RowKind, values: Values, item: Values, error?: Failure['error']): Outcome {
  const differs = Object.keys(values).find(
    (name) => !kind.unseen.includes(name) && !isDeepStrictEqual(values[name], item[name]),
  );
  if (differs === undefined && item.deletingSince === undefined) return { state: 'present' };
  const name = error?.holder ?? kind.create.replace(/\.create$/, '');
  const is =
    item.deletingSince === undefined
      ? `${name} is there already, with another ${differs}`
      : `${name} is being deleted`;
  return {
    state: 'refused',
    refusal:
      error?.holder === undefined
        ? { code: 'conflict', ...at(differs), message: is }
        : { code: 'conflict', ...at(error.field ?? differs), message: `${error.message}: ${is}` },
  };
}

const at = (field: string | undefined) => (field === undefined ? {} : { field });

function failed(error: Failure['error']): Outcome {
  if (error.retryable) return { state: 'again', error };
  if (FAULTS.has(error.code)) return { state: 'fault', error };
  const { code, field, message, holder } = error;
  const refusal = { code, message: holder === undefined ? message : `${message} (${holder})` };
  return { state: 'refused', refusal: field === undefined ? refusal : { ...refusal, field } };
}
