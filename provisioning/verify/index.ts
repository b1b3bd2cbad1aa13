export type { Finding } from './finding.ts';
export type { Checkpoint, Verified, VerifyOptions } from './options.ts';
export { verify } from './verify.ts';
