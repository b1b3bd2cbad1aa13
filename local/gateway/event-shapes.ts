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

/** `requestContext.authorizer` of format 1.0 and of REST: the context flattened beside `principalId`. */
export type FlatAuthorizer<Value> = Record<string, Value | undefined> & { principalId?: string };

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
