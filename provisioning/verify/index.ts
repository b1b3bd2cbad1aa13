export type { Finding, FindingCode } from './finding.ts';
export { type Progress, type Verified, type VerifyOptions, verify } from './verify.ts';
