/** Door of the authorizer: the policy enforcement point. The Lambda function itself is handler.ts. */
export type {
  Answer,
  AppSyncAnswer,
  Context,
  PolicyAnswer,
  Refusal,
  SimpleAnswer,
  Verdict,
} from './answer.ts';
export { type Authorizer, type AuthorizerParts, createAuthorizer, type Invocation } from './authorizer.ts';
export { createHandlerFrom, type Overrides } from './compose.ts';
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
  type VerifiedTokens,
} from './credentials/authentication.ts';
export type { IssuerConfiguration, TokenConfiguration } from './credentials/configuration.ts';
export {
  type ApiKind,
  type CredentialPlace,
  type CredentialSources,
  createReadCredentials,
  type ReadCredentials,
} from './credentials/credentials.ts';
export {
  createIdentify,
  type Identify,
  type Identity,
  type IdentityOptions,
  type RevocationSource,
} from './credentials/identity.ts';
export {
  candidatesIn,
  createKeySet,
  createKeySets,
  createRemoteKeys,
  type KeySet,
  type KeySets,
  type KeySource,
  type RemoteKeysOptions,
  type VerificationKey,
} from './credentials/keys.ts';
export type { TokenUse, TrustedIssuer, Verified, VerifiedClaims } from './credentials/verify.ts';
export { createOutsideKey, type OutsideKey } from './outside-key.ts';
export type { ResultCache, ResultCaches } from './routes/cache-key.ts';
export type { RouteRule, Segment, TemplatePart } from './routes/rule.ts';
export { createSubjectOf, type SubjectOf } from './subject.ts';
