import { createLog } from '../../engine/log.ts';
import type { Log } from '../../table/log.ts';

/** A log that is thrown away. */
export const NO_LOG: Log = { error: () => {}, warn: () => {}, info: () => {} };

/** A log as the functions have it, and the lines that were written. */
export function createLogged(service = 'test'): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ service, write: (line) => lines.push(line) }), lines };
}
