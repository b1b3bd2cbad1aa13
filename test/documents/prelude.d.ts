import type { Engine } from '../../engine/index.ts';
import type { Reader } from '../../table/index.ts';

/** What samples of the documents take for granted. */
declare global {
  const reader: Reader;
  const engine: Engine;
  const userId: string;
  const locationId: string;
  const buildingId: string;
  /** References: `user:…`, `location:…`. */
  const user: string;
  const school: string;
  /** Of the answer to a write. */
  const token: string;
  const drawGrades: () => void;
  /** Of a driver: a text with its parameters. */
  const query: (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;
}
