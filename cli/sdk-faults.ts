/** What an error of the AWS SDK means: for DynamoDB and for Lambda alike. */
export type SdkFault =
  /** Nothing listens, or the name leads nowhere: no retry helps soon. */
  | 'unreachable'
  /** Something answers that is another service. */
  | 'foreign'
  | 'no_region'
  | 'no_credentials'
  | 'forbidden'
  /** The table, or the function. */
  | 'missing'
  /** No answer in time, a lost connection, a fault of the service: a retry may help. */
  | 'transient'
  | 'other';

interface Thrown {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
}

const NAMES: readonly (readonly [SdkFault, RegExp])[] = [
  ['missing', /^ResourceNotFoundException$/],
  ['forbidden', /^AccessDenied(?:Exception)?$/],
  [
    'no_credentials',
    /^(?:CredentialsProviderError|TokenProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredToken(?:Exception)?|MissingAuthenticationToken(?:Exception)?|IncompleteSignature(?:Exception)?|InvalidClientTokenId)$/,
  ],
  ['transient', /^(?:AbortError|TimeoutError|RequestTimeout(?:Exception)?)$/],
  // What no error of the service came with, or not in its format.
  ['foreign', /^(?:SyntaxError|Unknown|UnknownError|UnknownOperationException)$/],
];
const CODES: readonly (readonly [SdkFault, RegExp])[] = [
  ['unreachable', /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/],
  ['transient', /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EAI_AGAIN)$/],
  // Not HTTP, or not TLS.
  ['foreign', /^(?:HPE_\w+|EPROTO|ERR_SSL_\w+)$/],
];

/** Sorts an error of the SDK. */
export function sdkFaultOf(error: unknown): SdkFault {
  const { name = '', code = '', message = '', $metadata, $response } = (error ?? {}) as Thrown;
  if (/\bRegion is missing\b/.test(message)) return 'no_region';
  if (($metadata?.httpStatusCode ?? $response?.statusCode ?? 0) >= 500) return 'transient';
  return CODES.find(([, of]) => of.test(code))?.[0] ?? NAMES.find(([, of]) => of.test(name))?.[0] ?? 'other';
}

export const NO_REGION = 'no AWS region is set: give --region or set AWS_REGION';
export const NO_CREDENTIALS = 'no valid AWS credentials: set AWS_PROFILE, or log in (aws sso login)';

/** A code of the network, a status of HTTP or the name of the error, in brackets. */
export function detailOf(error: unknown): string {
  const { name = '', code = '', $metadata, $response } = (error ?? {}) as Thrown;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const detail = code || (status === undefined ? name : `HTTP ${status}`);
  return detail === '' || detail === 'Error' ? '' : ` (${detail})`;
}
