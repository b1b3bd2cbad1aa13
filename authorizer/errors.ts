import { defined } from '../table/defined.ts';
import { codesOf } from '../table/errors.ts';

/**
 * Why credentials were refused. The codes are stable: operators count and match them. The caller sees only
 * 401.
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
 * Invalid or missing credentials: 401. It carries only a code and the name of a claim, no token, value or `cause`,
 * because the Lambda runtime logs all properties of an error.
 */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  readonly code: CredentialsCode;
  /** Of `claim_refused`: the claim that is missing or has a wrong value. */
  readonly claim: string | undefined;

  constructor(code: CredentialsCode, claim?: string) {
    super(code);
    this.code = code;
    this.claim = claim;
  }
}

/** What a log line says of refused credentials: the code, and the name of a claim. */
export const codeOf = ({ code, claim }: { readonly code: string; readonly claim: string | undefined }) => ({
  code,
  ...defined({ claim }),
});

export type FaultCode = 'event_malformed' | 'event_unsupported' | 'keys_unavailable' | 'verification_failed';

/**
 * A fault of the authorizer or of a service that it uses: 500, never an Allow. The message is fixed text
 * without data of the request; only the code of the cause is logged.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Our own errors, whose messages quote no values: by class or, for the engine and the table, by name. */
const isOurs = (error: unknown): error is Error =>
  error instanceof Fault || (error instanceof Error && error.name === 'GatehouseError');

/**
 * What metrics and spans say of a fault: its code, if it is ours. A foreign error may be named after anything.
 */
export const faultCodeOf = (error: unknown): string =>
  isOurs(error) ? (error as unknown as { readonly code: string }).code : 'internal';

/**
 * What a log line says of a fault: codes and, of our own errors, the message. A message of a foreign error may quote
 * the request.
 */
export const fieldsOfFault = (error: unknown) => ({
  ...codesOf(error),
  reason: isOurs(error) ? error.message : undefined,
});
