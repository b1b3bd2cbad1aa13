export type { Finding } from './finding.ts';
export { type Migrated, migrate } from './migrate.ts';
export type { Checkpoint, Verified, VerifyOptions } from './options.ts';
export { verify } from './verify.ts';
