/** Milliseconds for which lines wait for others. */
const GATHER_MS = 20;

/**
 * Writes lines together, each at most 20 ms late: a write for each line takes as long as a decision. When the process
 * ends, whatever ends it but a signal that cannot be caught, the rest is written.
 *
 * @param write writes at once, before it returns
 * @param onExit calls its argument when the process ends
 * @returns writes one line, which is given without its end: as text, or as a function that makes it when it is written
 */
export function gatherLines(
  write: (text: string) => void,
  onExit: (flush: () => void) => void,
): (line: Line) => void {
  const gathered: Line[] = [];
  const flush = (): void => {
    const lines = gathered.splice(0);
    if (lines.length > 0) write(lines.map((line) => `${textOf(line)}\n`).join(''));
  };
  onExit(flush);
  return (line) => {
    if (gathered.length === 0) setTimeout(flush, GATHER_MS).unref();
    gathered.push(line);
  };
}

export type Line = string | (() => string);

export const textOf = (line: Line): string => (typeof line === 'string' ? line : line());
