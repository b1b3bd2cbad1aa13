import { callerOf, domainName, requestTime, valueFields } from './event-parts.ts';
import type { WebSocketAuthorizerEvent, WebSocketEvent } from './event-shapes.ts';
import type { MatchedRequest } from './request.ts';

/** A request for a connection, with the id of the connection. */
export interface ConnectRequest extends MatchedRequest {
  readonly connectionId: string;
}

/** The route, request id and time of an event. */
interface Moment {
  readonly routeKey: string;
  readonly requestId: string;
  readonly at: number;
}

/** An open connection: the request that opened it, and the authorizer's context. */
export interface Connection {
  readonly request: ConnectRequest;
  readonly authorizer: WebSocketEvent['requestContext']['authorizer'];
}

function contextOf<Type extends string>(request: ConnectRequest, moment: Moment, eventType: Type) {
  const { settings } = request;
  return {
    routeKey: moment.routeKey,
    eventType,
    extendedRequestId: moment.requestId,
    requestTime: requestTime(moment.at),
    messageDirection: 'IN' as const,
    stage: settings.stage,
    connectedAt: request.receivedAt,
    requestTimeEpoch: moment.at,
    identity: callerOf(request),
    requestId: moment.requestId,
    domainName: domainName(settings),
    connectionId: request.connectionId,
    apiId: settings.apiId,
  };
}

const connecting = (request: ConnectRequest) =>
  contextOf(
    request,
    { routeKey: request.routeKey, requestId: request.requestId, at: request.receivedAt },
    'CONNECT',
  );

/** The event of a WebSocket API's REQUEST authorizer (AG apigateway-websocket-api-lambda-auth). */
export const webSocketAuthorizerEvent = (request: ConnectRequest): WebSocketAuthorizerEvent => ({
  type: 'REQUEST',
  methodArn: request.arn,
  ...valueFields(request),
  stageVariables: { ...request.settings.stageVariables },
  requestContext: connecting(request),
});

const stageVariablesOf = ({ settings: { stageVariables } }: ConnectRequest) =>
  stageVariables && { stageVariables: { ...stageVariables } };

/** The event of the `$connect` route. */
export const connectEvent = ({ request, authorizer }: Connection): WebSocketEvent => ({
  ...valueFields(request),
  ...stageVariablesOf(request),
  requestContext: { ...connecting(request), authorizer },
  isBase64Encoded: false,
});

/** The event of a message; a binary one is base64. */
export const messageEvent = (
  { request, authorizer }: Connection,
  moment: Moment,
  message: { readonly body: string; readonly isBase64Encoded: boolean },
): WebSocketEvent => ({
  ...stageVariablesOf(request),
  requestContext: { ...contextOf(request, moment, 'MESSAGE'), messageId: moment.requestId, authorizer },
  ...message,
});

/** The event of the `$disconnect` route. */
export const disconnectEvent = (
  { request, authorizer }: Connection,
  moment: Moment,
  disconnectStatusCode: number,
  disconnectReason: string,
): WebSocketEvent => ({
  ...stageVariablesOf(request),
  requestContext: {
    ...contextOf(request, moment, 'DISCONNECT'),
    disconnectStatusCode,
    disconnectReason,
    authorizer,
  },
  isBase64Encoded: false,
});
