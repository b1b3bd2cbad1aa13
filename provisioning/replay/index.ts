export { type Line, readLine } from './record.ts';
export { createCollection, type Gap, gapsOf, MAX_RECORDS, type Replayed, replay } from './replay.ts';
export type { Sent } from './rules.ts';
