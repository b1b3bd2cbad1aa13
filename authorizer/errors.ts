/**
 * Why credentials were refused. Stable: operators count and match on it. The caller sees none of it, only 401.
 */
export type CredentialsCode =
  | 'credentials_missing'
  | 'credentials_ambiguous'
  | 'credentials_malformed'
  | 'token_too_long'
  | 'token_malformed'
  | 'token_refused'
  | 'header_refused'
  | 'algorithm_refused'
  | 'key_unknown'
  | 'signature_invalid'
  | 'token_expired'
  | 'issuer_refused'
  | 'audience_refused'
  | 'claim_refused';

/**
 * Bad or missing credentials: the caller's fault, 401. It carries a code and nothing else: no token, no
 * claim and no `cause`, because the Lambda runtime prints whatever an error holds.
 */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  readonly code: CredentialsCode;

  constructor(code: CredentialsCode) {
    super(code);
    this.code = code;
  }
}

export type FaultCode = 'event_malformed' | 'event_unsupported' | 'keys_unavailable' | 'verification_failed';

/**
 * Our own fault, or that of something we stand on: 500 and never an Allow. The message is fixed text, it
 * quotes nothing of the request; the cause is looked at for its code only (log.ts).
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
