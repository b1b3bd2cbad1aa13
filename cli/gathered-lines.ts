/** Milliseconds for which lines wait for others. */
const GATHER_MS = 20;

/**
 * Writes lines together, each at most 20 ms late: a write for each line takes as long as a decision. When the process
 * ends, whatever ends it but a signal that cannot be caught, the rest is written.
 *
 * @param write writes at once, before it returns
 * @param onExit calls its argument when the process ends
 * @returns writes one line, which is given without its end
 */
export function gatherLines(
  write: (text: string) => void,
  onExit: (flush: () => void) => void,
): (line: string) => void {
  let gathered = '';
  const flush = (): void => {
    const text = gathered;
    gathered = '';
    if (text !== '') write(text);
  };
  onExit(flush);
  return (line) => {
    if (gathered === '') setTimeout(flush, GATHER_MS).unref();
    gathered += `${line}\n`;
  };
}
