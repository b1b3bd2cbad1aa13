import { callerOf, domainName, requestTime, valueFields } from './event-parts.ts';
import type { FlatAuthorizer } from './event-shapes.ts';
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
  readonly authorizer: FlatAuthorizer<string>;
}

type EventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

/** What every event says of its connection. */
function contextOf(request: ConnectRequest, moment: Moment, eventType: EventType) {
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

export type WebSocketAuthorizerEvent = ReturnType<typeof webSocketAuthorizerEvent>;

/** The event of a WebSocket API's REQUEST authorizer (AG apigateway-websocket-api-lambda-auth). */
export const webSocketAuthorizerEvent = (request: ConnectRequest) => ({
  type: 'REQUEST' as const,
  methodArn: request.arn,
  ...valueFields(request),
  stageVariables: { ...request.settings.stageVariables },
  requestContext: connecting(request),
});

/**
 * WebSocket API to the backend; headers and query come with `$connect` alone, the authorizer's context with
 * all.
 */
export type WebSocketEvent = Partial<ReturnType<typeof valueFields>> & {
  stageVariables?: Record<string, string>;
  requestContext: ReturnType<typeof contextOf> & {
    authorizer: FlatAuthorizer<string>;
    messageId?: string;
    disconnectStatusCode?: number;
    disconnectReason?: string;
  };
  body?: string;
  isBase64Encoded: boolean;
};

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
  requestContext: {
    ...contextOf(request, moment, 'MESSAGE'),
    messageId: moment.requestId,
    authorizer,
  },
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
