export type { Finding, FindingCode } from './finding.ts';
export type { Progress, Verified, VerifyOptions } from './options.ts';
export { verify } from './verify.ts';
