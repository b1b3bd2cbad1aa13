import type { Context } from './context.ts';
import { CLEAR_LINE } from './print.ts';

/** Shows on a terminal how far something is, in a line that changes, at most so often; `undefined` clears it. */
export function changingLine(
  { isErrorTerminal, error, now }: Pick<Context, 'isErrorTerminal' | 'error' | 'now'>,
  everyMs = 1_000,
): (line: string | undefined) => void {
  let shownAt = now();
  return (line) => {
    if (!isErrorTerminal || (line !== undefined && now() - shownAt < everyMs)) return;
    shownAt = now();
    error(`${CLEAR_LINE}${line ?? ''}`);
  };
}
