import { Fault } from '../errors.ts';
import { parseMethodArn } from './arn.ts';
import { type Fields, field, textIn } from './fields.ts';
import { readHeaders } from './headers.ts';
import type { GatewayRequest } from './request.ts';

/**
 * Verb and path of a REST request come from the ARN: it names what API Gateway will call and what a policy is
 * held against. `httpMethod` is the verb on the wire, which X-HTTP-Method-Override overrules.
 */
function called(event: Fields): Pick<GatewayRequest, 'arn' | 'method' | 'path'> {
  const arn = textIn(event, 'methodArn');
  const parts = parseMethodArn(arn);
  if (parts === undefined) throw new Fault('event_malformed', "the event's methodArn is not an ARN");
  return { arn, method: parts.verb, path: parts.path };
}

/** REST API, REQUEST authorizer (AG api-gateway-lambda-authorizer-input). */
export function readRestRequestEvent(event: Fields): GatewayRequest {
  const header = readHeaders(event);
  return { kind: 'rest-request', ...called(event), authorization: header('authorization'), header };
}

/** REST API, TOKEN authorizer: type, token and ARN, and no headers for a route to ask for. */
export function readRestTokenEvent(event: Fields): GatewayRequest {
  const token = field(event, 'authorizationToken') ?? '';
  if (typeof token !== 'string') {
    throw new Fault('event_malformed', "the event's authorizationToken is not a text");
  }
  return { kind: 'rest-token', ...called(event), authorization: [token], header: () => [] };
}
