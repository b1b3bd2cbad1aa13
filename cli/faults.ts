/** What the errors of the AWS SDK mean, and the sentence of each: for DynamoDB, Lambda and S3 alike. */
type SdkFault =
  /** Nothing listens, or the name leads nowhere: no retry helps soon. */
  | 'unreachable'
  /** Something answers that is another service. */
  | 'foreign'
  | 'no_region'
  | 'no_credentials'
  | 'forbidden'
  /** The table, the function or the bucket. */
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
  ['missing', /^(?:ResourceNotFoundException|NoSuchBucket)$/],
  ['forbidden', /^AccessDenied(?:Exception)?$/],
  [
    'no_credentials',
    /^(?:CredentialsProviderError|TokenProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredToken(?:Exception)?|MissingAuthenticationToken(?:Exception)?|IncompleteSignature(?:Exception)?|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch)$/,
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

/** What was called, as the sentences name it. */
export interface Called {
  readonly service: 'DynamoDB' | 'Lambda' | 'S3';
  readonly endpoint: string | undefined;
  /** The options for another endpoint. */
  readonly endpointOption: string;
  /** What else to give where the service of AWS is not meant. */
  readonly orLocal?: string;
  /** That what was asked for does not exist. */
  readonly missing: string;
  /** Undefined where it is no fault yet. */
  readonly forbidden?: string;
  /** That it gave no answer in time; undefined where that means that nothing answers. */
  readonly slow?: string;
}

/** A fault of what was called as a sentence that says what to do; undefined where the table has none. */
export function sentenceOf(error: unknown, called: Called): string | undefined {
  const { service, endpoint, orLocal = '', missing, forbidden, slow } = called;
  const detail = detailOf(error);
  const where = endpoint ?? service;
  const check = endpoint === undefined ? '--region and the network' : called.endpointOption;
  const silent = `${where} does not answer${detail}: check ${check}`;
  const sentences: Readonly<Record<SdkFault, string | undefined>> = {
    no_region: `no AWS region is set: give --region or set AWS_REGION${endpoint === undefined ? orLocal : ''}`,
    no_credentials: `${NO_CREDENTIALS}${endpoint === undefined ? orLocal : ''}`,
    missing,
    forbidden,
    foreign: `${where} is not ${service}${detail}: check ${check}`,
    unreachable: silent,
    transient: slow === undefined ? silent : `${slow}${detail}`,
    other: undefined,
  };
  return sentences[sdkFaultOf(error)];
}

const NO_CREDENTIALS = 'no valid AWS credentials: set AWS_PROFILE, or log in (aws sso login)';

/** Those that arise during the work, of which only the SDK's name is known. */
const AT_WORK: Partial<Record<SdkFault, string>> = {
  missing: 'the table does not exist: check --table, --endpoint and --region',
  no_credentials: NO_CREDENTIALS,
  forbidden: 'these AWS credentials are not allowed to do this on the table',
};
const NO_ANSWER = /did not get an answer in time$/;

/** The message of an error during the work with what to do about it, if that is known. */
export function withAdvice(message: string, cause?: Error): string {
  const names = [message, cause?.name ?? '', cause?.message ?? ''].map(
    (text) => /\w*$/.exec(text)?.[0] ?? '',
  );
  const [advice] = names.flatMap((name) => AT_WORK[sdkFaultOf({ name })] ?? []);
  const found =
    advice ?? (NO_ANSWER.test(message) ? 'check --endpoint, --region and the network' : undefined);
  return found === undefined ? message : `${message}: ${found}`;
}

/** A code of the network, a status of HTTP or the name of the error, in brackets. */
function detailOf(error: unknown): string {
  const { name = '', code = '', $metadata, $response } = (error ?? {}) as Thrown;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const detail = code || (status === undefined ? name : `HTTP ${status}`);
  return detail === '' || detail === 'Error' ? '' : ` (${detail})`;
}
