import { Fault } from '../errors.ts';
import { isVerb } from '../routes/rule.ts';
import { type Fields, textIn } from './fields.ts';

/** The parts of `arn:partition:execute-api:region:account:api/stage/VERB/path`. */
export interface MethodArn {
  readonly stage: string;
  readonly verb: string;
  /** As it stands in the ARN; `/` when there is none. */
  readonly path: string;
}

/** Only the first five colons part an ARN: a path may hold more. The path may be empty, all else may not. */
const METHOD_ARN = /^arn:[^:]+:execute-api:[^:]*:[^:]*:[^/]+\/([^/]+)\/([^/]+)(\/.*)?$/su;

/** The ARN up to the slash behind its stage: all methods and paths of the API begin with it. */
export const apiOf = (arn: string): string | undefined => /^(?:[^:]*:){5}[^/]+\/[^/]+\//su.exec(arn)?.[0];

/** Reads the ARN of a method or route; undefined when it is none. */
export function parseMethodArn(arn: string): MethodArn | undefined {
  const [, stage, verb, path = '/'] = METHOD_ARN.exec(arn) ?? [];
  return stage === undefined || verb === undefined ? undefined : { stage, verb, path };
}

/** `arn:partition:execute-api:region:account:api/stage/$connect`, the one that a WebSocket API asks about. */
const CONNECT_ARN = /^arn:[^:]+:execute-api:[^:]*:[^:]*:[^/]+\/([^/]+)\/\$connect$/su;

/** The stage of a WebSocket API whose `$connect` the ARN names; undefined when it names anything else. */
export const parseConnectArn = (arn: string): string | undefined => CONNECT_ARN.exec(arn)?.[1];

/**
 * A verb as a rule may name it. Anything else that a client wrote on the wire is none: CONNECT over HTTP is not
 * the `$connect` of a WebSocket.
 */
export const verbOf = (text: string): string => (isVerb(text) ? text : '');

/**
 * Verb and path of a request come from the ARN: it names what API Gateway will call and what a policy is held
 * against. `httpMethod` is the verb on the wire, which X-HTTP-Method-Override overrules in REST APIs.
 */
export function calledIn(event: Fields): { arn: string; method: string; path: string } {
  const arn = textIn(event, 'methodArn');
  const parts = parseMethodArn(arn);
  if (parts === undefined) throw new Fault('event_malformed', "the event's methodArn is not an ARN");
  return { arn, method: verbOf(parts.verb), path: parts.path };
}
