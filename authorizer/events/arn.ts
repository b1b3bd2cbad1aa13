import { Fault } from '../errors.ts';
import { isVerb } from '../routes/rule.ts';
import { type Fields, textIn } from './fields.ts';

/** The parts of `arn:partition:execute-api:region:account:api/stage/VERB/path`. */
export interface MethodArn {
  /** The id of the API. */
  readonly api: string;
  /** Everything up to and including the slash after the stage. */
  readonly base: string;
  readonly stage: string;
  readonly verb: string;
  /** As in the ARN, with its leading slash; `/` if there is none. */
  readonly path: string;
}

const SERVICE = 'execute-api:';

/** The index of the API id, after the fifth colon; -1 for a text that is not the ARN of an API. */
function apiAt(arn: string): number {
  if (!arn.startsWith('arn:')) return -1;
  const partitionEnd = arn.indexOf(':', 4);
  if (partitionEnd <= 4 || !arn.startsWith(SERVICE, partitionEnd + 1)) return -1;
  const regionEnd = arn.indexOf(':', partitionEnd + 1 + SERVICE.length);
  const accountEnd = regionEnd < 0 ? -1 : arn.indexOf(':', regionEnd + 1);
  return accountEnd < 0 ? -1 : accountEnd + 1;
}

/**
 * Parses the ARN of a method or route; undefined for any other text. The path may be empty; API, stage and
 * verb may not. Without a regular expression, because it runs for every request.
 */
export function parseMethodArn(arn: string): MethodArn | undefined {
  const api = apiAt(arn);
  const apiEnd = api < 0 ? -1 : arn.indexOf('/', api);
  const stageEnd = apiEnd <= api ? -1 : arn.indexOf('/', apiEnd + 1);
  if (stageEnd <= apiEnd + 1) return undefined;
  const slash = arn.indexOf('/', stageEnd + 1);
  const verbEnd = slash < 0 ? arn.length : slash;
  if (verbEnd === stageEnd + 1) return undefined;
  return {
    api: arn.slice(api, apiEnd),
    base: arn.slice(0, stageEnd + 1),
    stage: arn.slice(apiEnd + 1, stageEnd),
    verb: arn.slice(stageEnd + 1, verbEnd),
    path: slash < 0 ? '/' : arn.slice(slash),
  };
}

/** `arn:partition:execute-api:region:account:api/stage/$connect`, the ARN in events of a WebSocket API. */
const CONNECT_ARN = /^arn:[^:]+:execute-api:[^:]*:[^:]*:[^/]+\/([^/]+)\/\$connect$/su;

/** The stage in the ARN of a WebSocket API's `$connect`; undefined for any other text. */
export const parseConnectArn = (arn: string): string | undefined =>
  arn.endsWith('/$connect') ? CONNECT_ARN.exec(arn)?.[1] : undefined;

/**
 * A verb that a rule may name; empty for any other text. CONNECT over HTTP is not the `$connect` of a
 * WebSocket API.
 */
export const verbOf = (text: string): string => (isVerb(text) ? text : '');

/**
 * Verb and path of a request, from the ARN: it names what API Gateway will call, and policies are evaluated
 * against it. `httpMethod` is the verb on the wire, which X-HTTP-Method-Override overrides in REST APIs.
 */
export function calledIn(event: Fields): { arn: string; method: string; path: string } {
  const arn = textIn(event, 'methodArn');
  const parts = parseMethodArn(arn);
  if (parts === undefined) throw new Fault('event_malformed', "the event's methodArn is not an ARN");
  return { arn, method: verbOf(parts.verb), path: parts.path };
}
