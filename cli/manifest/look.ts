import type { Answer } from '../../provisioning/index.ts';

/** Provisioning as manifests use it: from event to answer, wherever it runs, tried as often as it takes. */
export type Provision = (event: unknown) => Promise<Answer>;

export type Row = Readonly<Record<string, unknown>>;

/** Reading by commands alone. */
export interface Look {
  /** What a read command answers; undefined for what is not there. */
  readonly read: (command: string, input: Row) => Promise<Row | undefined>;
  /** Every row of a list, page after page. */
  readonly list: (command: string, by: Row) => Promise<readonly Row[]>;
}

/** Something that provisioning could not answer. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

const PAGE = 1_000;

export function lookWith(provision: Provision): Look {
  const ask = async (command: string, input: Row): Promise<Row | undefined> => {
    const answer = await provision({ command, input });
    if (answer.ok) return answer.result;
    if (answer.error.code === 'not_found') return undefined;
    throw new AnswerError(`${command}: ${answer.error.message}`);
  };
  return {
    read: ask,
    list: async (command, by) => {
      const rows: Row[] = [];
      let cursor: unknown;
      do {
        const page = await ask(command, { ...by, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
        rows.push(...((page?.items ?? []) as readonly Row[]));
        cursor = page?.cursor;
      } while (cursor !== undefined);
      return rows;
    },
  };
}

const AT_ONCE = 12;

/** Does a piece of work for each, a few at a time; results in the order of the input. */
export async function inTurns<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length) {
      const position = next++;
      results[position] = await work(all[position] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, worker));
  return results;
}
