/**
 * Public entry point of the authorizer: the policy enforcement point. The Lambda function itself is
 * handler.ts.
 */
export type { Answer, AppSyncAnswer, Context, PolicyAnswer, SimpleAnswer, Verdict } from './answer.ts';
export { type Authorizer, type AuthorizerParts, createAuthorizer, type Invocation } from './authorizer.ts';
export { createHandlerFrom } from './compose.ts';
export {
  type Configuration,
  type HttpAnswer,
  parseConfiguration,
  type SubjectSource,
} from './configuration.ts';
export {
  type Authenticate,
  type AuthenticationOptions,
  createAuthentication,
  createVerifiedTokens,
} from './credentials/authentication.ts';
export { type CredentialSources, createReadCredentials } from './credentials/credentials.ts';
export { createIdentify, type Identify } from './credentials/identity.ts';
export {
  candidatesIn,
  createKeySet,
  createKeySets,
  createRemoteKeys,
  type KeySource,
  type RemoteKeysOptions,
} from './credentials/keys.ts';
export type { TrustedIssuer, Verified, VerifiedClaims } from './credentials/verify.ts';
export type { Overrides } from './decision-point.ts';
export type { RouteRule } from './routes/rule.ts';
export { createSubjectOf } from './subject.ts';
