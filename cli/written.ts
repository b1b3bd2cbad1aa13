import type { Writer } from '../table/writer.ts';
import { count } from './print.ts';

/** A signal ended a subcommand that does not listen to signals itself. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly code = 'incomplete';
  readonly retryable = true;
  readonly hasWritten: boolean;
  /** Of a command that had no answer yet. */
  readonly operationId: string | undefined;
  constructor(done: number, open: number, operationId: string | undefined) {
    const unknown = open === 0 ? '' : `, and of ${count(open, 'more', 'more')} it is not known`;
    super(
      `interrupted: ${done + open === 0 ? 'nothing was written' : `${count(done, 'write')} done${unknown}`}`,
    );
    this.hasWritten = done + open > 0;
    this.operationId = operationId;
  }
}

/** What a subcommand writes, for whoever interrupts it. */
export interface Written {
  /** Notes a write from the time it is sent until its answer; `isDone` tells a refusal that is an answer. */
  readonly note: <T>(
    write: () => Promise<T>,
    about?: { readonly operationId?: string; readonly isDone?: (answer: T) => boolean },
  ) => Promise<T>;
  readonly interrupted: () => InterruptedError;
}

export function createWritten(): Written {
  let done = 0;
  const open = new Set<{ readonly operationId?: string }>();
  return {
    note: async (write, about = {}) => {
      open.add(about);
      try {
        const answer = await write();
        if (about.isDone?.(answer) !== false) done += 1;
        return answer;
      } finally {
        open.delete(about);
      }
    },
    interrupted: () => {
      const [first] = open;
      return new InterruptedError(done, open.size, first?.operationId);
    },
  };
}

/** A writer whose transactions are noted. */
export const notedWriter = (writer: Writer, written: Written): Writer => ({
  send: (actions, notes) => written.note(() => writer.send(actions, notes)),
});
