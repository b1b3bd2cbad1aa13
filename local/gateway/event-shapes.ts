import type {
  APIGatewayEventRequestContextWithAuthorizer,
  APIGatewayProxyEventBase,
  APIGatewayProxyEventV2WithLambdaAuthorizer,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayRequestAuthorizerEventV2,
  APIGatewayTokenAuthorizerEvent,
} from 'aws-lambda';

/** JSON values: events and answers pass to and from Lambda as text. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The `context` of an authorizer's answer. */
export type AuthorizerContext = Readonly<Record<string, JsonValue>>;

/** HTTP API, format 2.0, to the authorizer. AWS leaves out `cookies` when the request has none. */
export type HttpAuthorizerEventV2 = Omit<APIGatewayRequestAuthorizerEventV2, 'cookies'> & {
  cookies?: string[];
};

/**
 * HTTP API, format 2.0, to the backend. `lambda` is null when the authorizer answered without a context,
 * so the presence of the key does not prove that there is a caller.
 */
export type HttpProxyEventV2 = APIGatewayProxyEventV2WithLambdaAuthorizer<AuthorizerContext | null>;

interface HttpRequestContextV1 {
  path: string;
  accountId: string;
  resourceId: null;
  stage: string;
  requestId: string;
  identity: { sourceIp: string; userAgent: string | null };
  resourcePath: string;
  httpMethod: string;
  apiId: string;
}

/** HTTP API, format 1.0, to the authorizer. */
export interface HttpAuthorizerEventV1 {
  version: '1.0';
  type: 'REQUEST';
  methodArn: string;
  identitySource: string;
  authorizationToken: string;
  resource: string;
  path: string;
  httpMethod: string;
  headers: Record<string, string>;
  queryStringParameters: Record<string, string>;
  pathParameters: Record<string, string>;
  stageVariables: Record<string, string>;
  requestContext: HttpRequestContextV1;
}

/** `requestContext.authorizer` of format 1.0 and of REST: the context flattened beside `principalId`. */
type FlatAuthorizer<Value> = Record<string, Value | undefined> & { principalId?: string };

type ProxyContextV1<Value, ResourceId> = Omit<
  APIGatewayEventRequestContextWithAuthorizer<FlatAuthorizer<Value>>,
  'resourceId'
> & { resourceId: ResourceId };

/** HTTP API, format 1.0, to the backend; context values keep their types. */
export type HttpProxyEventV1 = Omit<APIGatewayProxyEventBase<unknown>, 'requestContext'> & {
  version: '1.0';
  requestContext: ProxyContextV1<JsonValue, null>;
};

/** REST API to a REQUEST authorizer. */
export type RestAuthorizerEvent = APIGatewayRequestAuthorizerEvent;

/** REST API to a TOKEN authorizer: these three fields and nothing else. */
export type TokenAuthorizerEvent = APIGatewayTokenAuthorizerEvent;

/** REST API to the backend; context values arrive as strings. */
export type RestProxyEvent = Omit<APIGatewayProxyEventBase<unknown>, 'requestContext'> & {
  requestContext: ProxyContextV1<string, string>;
};

interface WebSocketContext {
  routeKey: string;
  eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT';
  extendedRequestId: string;
  requestTime: string;
  messageDirection: 'IN';
  stage: string;
  connectedAt: number;
  requestTimeEpoch: number;
  identity: { sourceIp: string; userAgent: string | null };
  requestId: string;
  domainName: string;
  connectionId: string;
  apiId: string;
}

interface WebSocketRequestFields {
  headers: Record<string, string>;
  multiValueHeaders: Record<string, string[]>;
  queryStringParameters: Record<string, string>;
  multiValueQueryStringParameters: Record<string, string[]>;
}

/** WebSocket API to the authorizer of its `$connect`: no verb, no path. */
export type WebSocketAuthorizerEvent = WebSocketRequestFields & {
  type: 'REQUEST';
  methodArn: string;
  stageVariables: Record<string, string>;
  requestContext: WebSocketContext;
};

/**
 * WebSocket API to the backend; headers and query come with `$connect` alone, the authorizer's context with
 * all.
 */
export type WebSocketEvent = Partial<WebSocketRequestFields> & {
  stageVariables?: Record<string, string>;
  requestContext: WebSocketContext & {
    authorizer: FlatAuthorizer<string>;
    messageId?: string;
    disconnectStatusCode?: number;
    disconnectReason?: string;
  };
  body?: string;
  isBase64Encoded: boolean;
};
