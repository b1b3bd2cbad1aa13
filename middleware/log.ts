import { createLog } from '../engine/log.ts';

/** Where faults go that the application does not take itself: lines of JSON on standard error. */
export const log = () => createLog({ service: 'middleware', write: (line) => console.error(line) });
