import { createEngine, type Engine } from '../../engine/index.ts';
import type { Reader } from '../../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';

/** The engine on a state that does not change any more, such as a side of a copy. `at`: epoch milliseconds. */
export const engineOn = (reader: Reader, at: number): Engine =>
  // All of it is older than the margin, and stays current.
  createEngine({ reader, clock: { now: () => at + 2 * COHERENCE_MARGIN_MS }, random: () => 0 });
