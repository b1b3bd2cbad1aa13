export type { Sent } from '../plan.ts';
export type { Gap } from './counts.ts';
export { type Line, readLine } from './record.ts';
export { createCollection, gapsOf, MAX_RECORDS, type Replayed, replay } from './replay.ts';
