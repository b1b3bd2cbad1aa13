import type { Statement } from '../../authorizer/policies/iam.ts';
import type { ApiKind } from './api.ts';
import type { Grant } from './event-parts.ts';
import type { AuthorizerContext, JsonValue } from './event-shapes.ts';

/** A well-formed answer: a policy to evaluate, or a simple verdict. */
export type AuthorizerAnswer = Grant &
  (
    | { readonly form: 'policy'; readonly statements: readonly Statement[] }
    | { readonly form: 'simple'; readonly isAuthorized: boolean }
  );

export interface AnswerRules {
  readonly kind: ApiKind;
  readonly simpleResponses: boolean;
}

/** "The Resource ARN … is limited to 512 characters" (AG api-gateway-lambda-authorizer-output). */
export const MAX_RESOURCE_LENGTH = 512;

/**
 * "AWS Lambda authorizer result size" of WebSocket APIs (AG
 * apigateway-execution-service-websocket-limits-table).
 */
const MAX_WEBSOCKET_ANSWER_BYTES = 8 * 1024;

const VERSIONS: readonly unknown[] = ['2012-10-17', '2008-10-17'];
const STATEMENT_KEYS: ReadonlySet<string> = new Set(['Sid', 'Effect', 'Action', 'Resource']);

type JsonObject = { readonly [key: string]: JsonValue };

const malformed = (problem: string): Error => new Error(`malformed answer: ${problem}`);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readStrings(value: unknown, at: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw malformed(`${at} is empty`);
  return list.map((entry) => {
    if (typeof entry !== 'string' || entry === '')
      throw malformed(`${at} is not a string or a list of strings`);
    return entry;
  });
}

function readResources(value: unknown, at: string): readonly string[] {
  const resources = readStrings(value, at);
  for (const resource of resources) {
    if (resource !== '*' && !resource.startsWith('arn:')) throw malformed(`${at} is neither "*" nor an ARN`);
    if (resource.length > MAX_RESOURCE_LENGTH)
      throw malformed(`${at} is longer than ${MAX_RESOURCE_LENGTH} characters`);
  }
  return resources;
}

function readStatement(value: unknown, at: string): Statement {
  if (!isObject(value)) throw malformed(`${at} is not an object`);
  // Ignoring a Condition or a NotResource would widen an Allow.
  const foreign = Object.keys(value).find((key) => !STATEMENT_KEYS.has(key));
  if (foreign) throw malformed(`${at}.${foreign} is not supported by this gateway`);
  const effect = value.Effect;
  if (effect !== 'Allow' && effect !== 'Deny') throw malformed(`${at}.Effect is neither "Allow" nor "Deny"`);
  return {
    effect,
    actions: readStrings(value.Action, `${at}.Action`),
    resources: readResources(value.Resource, `${at}.Resource`),
  };
}

function readPolicy(document: unknown): readonly Statement[] {
  if (!isObject(document)) throw malformed('policyDocument is not an object');
  if (!VERSIONS.includes(document.Version)) throw malformed('policyDocument.Version is not a policy version');
  const statement = document.Statement;
  const list: readonly unknown[] = Array.isArray(statement) ? statement : [statement];
  if (list.length === 0) throw malformed('policyDocument.Statement is empty');
  return list.map((entry, index) => readStatement(entry, `policyDocument.Statement[${index}]`));
}

/**
 * Only format 2.0 takes lists and maps. `claims` is reserved for Cognito's and JWT's claims; AWS says so for
 * REST, and it is refused everywhere here, so that an answer that works locally works in any API.
 */
function readContext(value: JsonValue | undefined, kind: ApiKind): AuthorizerContext | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw malformed('context is not an object');
  if (Object.hasOwn(value, 'claims')) throw malformed('context.claims is reserved');
  const nested = Object.keys(value).find(
    (key) => !['string', 'number', 'boolean'].includes(typeof value[key]),
  );
  if (kind !== 'http-2.0' && nested !== undefined) {
    throw malformed(`context.${nested} is not a string, a number or a boolean`);
  }
  return value;
}

function readPrincipal(value: JsonValue | undefined, kind: ApiKind): string | undefined {
  // AWS says "must include the principal identifier" for REST, of which WebSockets' is said to be no
  // different; HTTP APIs only show it in examples.
  if (value === undefined && kind !== 'rest' && kind !== 'websocket') return undefined;
  if (typeof value !== 'string' || value === '') throw malformed('principalId is not a string');
  return value;
}

/**
 * Checks an authorizer's answer against what its API expects (AG api-gateway-lambda-authorizer-output,
 * http-api-lambda-authorizer). With simple responses on, a policy is malformed, and the other way round:
 * AWS leaves open whether it would be taken.
 *
 * @throws Error naming the field that is wrong; the gateway then answers 500
 */
export function readAnswer(answer: unknown, { kind, simpleResponses }: AnswerRules): AuthorizerAnswer {
  if (!isObject(answer)) throw malformed('it is not an object');
  if (kind === 'websocket' && Buffer.byteLength(JSON.stringify(answer)) > MAX_WEBSOCKET_ANSWER_BYTES)
    throw malformed(`it is longer than ${MAX_WEBSOCKET_ANSWER_BYTES} bytes`);
  const context = readContext(answer.context, kind);
  if (simpleResponses) {
    const isAuthorized = answer.isAuthorized;
    if (typeof isAuthorized !== 'boolean') throw malformed('isAuthorized is not a boolean');
    return { form: 'simple', isAuthorized, principalId: undefined, context };
  }
  const principalId = readPrincipal(answer.principalId, kind);
  return { form: 'policy', statements: readPolicy(answer.policyDocument), principalId, context };
}
