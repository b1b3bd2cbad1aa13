import { createLog, type LogOptions } from '../../engine/log.ts';
import type { Log } from '../../table/log.ts';

/** A log that is thrown away. */
export const NO_LOG: Log = { error: () => {}, warn: () => {}, info: () => {} };

/** A log as the functions have it, and the lines that were written: by it, or by whatever else has its `write`. */
export function createLogged(service = 'test', options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  /** The lines so far, which are forgotten. */
  const take = () => lines.splice(0).map((line) => JSON.parse(line));
  return { log: createLog({ service, write, ...options }), lines, write, take };
}
