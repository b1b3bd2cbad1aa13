import { Fault } from '../errors.ts';
import { readAppSyncEvent } from './appsync-event.ts';
import { field, isFields } from './fields.ts';
import { readHttpEvent } from './http-event.ts';
import type { GatewayRequest } from './request.ts';
import { readRequestEvent, readRestTokenEvent } from './rest-event.ts';
import { isWebSocketEvent, readWebSocketEvent } from './websocket-event.ts';

/**
 * Reads an authorizer event: HTTP API 2.0 and 1.0, REST REQUEST and TOKEN, WebSocket `$connect`, AppSync.
 *
 * @throws Fault `event_unsupported` for any other kind, `event_malformed` for one that AWS does not send
 */
export function readEvent(event: unknown): GatewayRequest {
  if (!isFields(event)) throw new Fault('event_malformed', 'the event is not an object');
  const type = field(event, 'type');
  const version = field(event, 'version');
  if (type === 'REQUEST' && version === '2.0') return readHttpEvent(event);
  if (type === 'REQUEST' && version === '1.0') return readRequestEvent(event, 'http-1.0');
  if (type === 'REQUEST' && version === undefined) {
    return isWebSocketEvent(event) ? readWebSocketEvent(event) : readRequestEvent(event, 'rest-request');
  }
  if (type === 'TOKEN' && version === undefined) return readRestTokenEvent(event);
  if (type === undefined && version === undefined && Object.hasOwn(event, 'authorizationToken')) {
    return readAppSyncEvent(event);
  }
  throw new Fault('event_unsupported', 'the event is of no kind of API that is served here');
}

/** API Gateway's id of the request, for the log. Reads events that are malformed as well. */
export function requestIdOf(event: unknown): string | undefined {
  const context = isFields(event) ? field(event, 'requestContext') : undefined;
  const id = isFields(context) ? field(context, 'requestId') : undefined;
  return typeof id === 'string' && /^[\w=+/-]{1,64}$/.test(id) ? id : undefined;
}
