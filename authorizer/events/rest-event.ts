import { Fault } from '../errors.ts';
import { calledIn } from './arn.ts';
import { type Fields, field } from './fields.ts';
import type { GatewayRequest } from './request.ts';
import { NO_VALUES, readCookies, readHeaders, readQuery } from './values.ts';

/**
 * REST API, REQUEST authorizer (AG api-gateway-lambda-authorizer-input), and HTTP API, format 1.0 (AG
 * http-api-lambda-authorizer), which has the same fields but for the lists of several values.
 */
export function readRequestEvent(event: Fields, kind: 'rest-request' | 'http-1.0'): GatewayRequest {
  const header = readHeaders(event);
  return {
    kind,
    ...calledIn(event),
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
  };
}

/** REST API, TOKEN authorizer: type, token and ARN, and nothing else for a route to ask for. */
export function readRestTokenEvent(event: Fields): GatewayRequest {
  const token = field(event, 'authorizationToken') ?? '';
  if (typeof token !== 'string') {
    throw new Fault('event_malformed', "the event's authorizationToken is not a text");
  }
  return {
    kind: 'rest-token',
    ...calledIn(event),
    authorization: [token],
    header: NO_VALUES,
    query: NO_VALUES,
    cookies: NO_VALUES,
  };
}
