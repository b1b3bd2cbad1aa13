import { Fault } from '../errors.ts';
import { CONNECT } from '../routes/rule.ts';
import { parseConnectArn } from './arn.ts';
import { type Fields, field, fieldsIn, isFields, textIn } from './fields.ts';
import type { GatewayRequest } from './request.ts';
import { readCookies, readHeaders, readQuery } from './values.ts';

/** How rules name the one route of a WebSocket API that has an authorizer. */
const CONNECT_PATH = '/$connect';

const OWN_FIELDS = ['eventType', 'connectionId', 'routeKey'] as const;

/** Whether any part of an event says that it is of a WebSocket API; then all of them must. */
export function isWebSocketEvent(event: Fields): boolean {
  const arn = field(event, 'methodArn');
  if (typeof arn === 'string' && parseConnectArn(arn) !== undefined) return true;
  const context = field(event, 'requestContext');
  if (!isFields(context)) return false;
  for (const name of OWN_FIELDS) if (Object.hasOwn(context, name)) return true;
  return false;
}

/**
 * WebSocket API, `$connect` (AG apigateway-websocket-api-lambda-auth): no verb, no path and no parameters in it.
 * Where the scope comes from a request, it comes from the query or a header.
 */
export function readWebSocketEvent(event: Fields): GatewayRequest {
  const arn = textIn(event, 'methodArn');
  const context = fieldsIn(event, 'requestContext');
  textIn(context, 'connectionId');
  if (
    parseConnectArn(arn) === undefined ||
    textIn(context, 'eventType') !== 'CONNECT' ||
    textIn(context, 'routeKey') !== '$connect'
  ) {
    throw new Fault('event_malformed', 'the event is of a WebSocket API and not of its $connect');
  }
  const header = readHeaders(event);
  return {
    kind: 'websocket',
    arn,
    method: CONNECT,
    path: CONNECT_PATH,
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
  };
}
