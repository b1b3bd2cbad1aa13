import type { Writer } from '../../table/writer.ts';

type Actions = Parameters<Writer['send']>[0];
type Act = (number: number, actions: Actions) => unknown;

/**
 * A writer that waits for `before` and `after` each transaction, which know its number, from 1 on: to count, to fail, or to
 * act between what was read and what is written.
 */
export function watchWrites(writer: Writer, before: Act, after: Act = () => {}): Writer {
  let sent = 0;
  return {
    send: async (actions, notes) => {
      const number = ++sent;
      await before(number, actions);
      await writer.send(actions, notes);
      await after(number, actions);
    },
  };
}

/** The same that acts after each alone. */
export const afterWrites = (writer: Writer, after: Act): Writer => watchWrites(writer, () => {}, after);
