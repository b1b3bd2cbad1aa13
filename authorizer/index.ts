/** Door of the authorizer: the policy enforcement point. The Lambda function itself is handler.ts. */
export type { Answer, AppSyncAnswer, PolicyAnswer, SimpleAnswer } from './answers/answer.ts';
export type { Context, Refusal, Verdict } from './answers/verdict.ts';
export { type Authorizer, type AuthorizerParts, createAuthorizer, type Invocation } from './authorizer.ts';
export { createHandlerFrom, type Overrides } from './compose.ts';
export {
  type Configuration,
  type HttpAnswer,
  parseConfiguration,
  type SubjectSource,
} from './configuration.ts';
export { createRouteTable, type RouteTable, type RouteTableOptions } from './routes/route-table.ts';
export type { RouteRule, Segment, TemplatePart } from './routes/rule.ts';
export { createSubjectOf, type SubjectOf, type SubjectOptions } from './subject.ts';
export {
  type Authenticate,
  type AuthenticationOptions,
  createAuthentication,
  type TokenUse,
  type TrustedIssuer,
  type VerifiedClaims,
} from './token/authentication.ts';
export type { IssuerConfiguration, TokenConfiguration } from './token/configuration.ts';
export {
  type ApiKind,
  type CredentialPlace,
  type CredentialSources,
  createReadCredentials,
  type ReadCredentials,
} from './token/credentials.ts';
export { createKeySet, type KeySet, type VerificationKey } from './token/key-set.ts';
export { createRemoteKeys, type KeySource, type RemoteKeysOptions } from './token/keys.ts';
export { createVerifiedTokens, type Verified, type VerifiedTokens } from './token/verified.ts';
