import { defined } from '../table/defined.ts';
import type { IntegrationResponse } from './gateway/api.ts';
import type { HttpProxyEventV1, HttpProxyEventV2, RestProxyEvent } from './gateway/event-shapes.ts';
import { json, unauthorized } from './gateway/responses.ts';
import type { WebSocketEvent } from './gateway/websocket-events.ts';

type Event = HttpProxyEventV2 | HttpProxyEventV1 | RestProxyEvent;

/** The authorizer's context, wherever this kind of API puts it. */
function callerOf(event: Event | WebSocketEvent): Readonly<Record<string, unknown>> | undefined {
  const authorizer = event.requestContext.authorizer as Readonly<Record<string, unknown>> | undefined;
  const context = authorizer && 'lambda' in authorizer ? authorizer.lambda : authorizer;
  if (typeof context !== 'object' || context === null) return undefined;
  const { subject, reason } = context as Readonly<Record<string, unknown>>;
  return typeof subject === 'string' && typeof reason === 'string'
    ? (context as Readonly<Record<string, unknown>>)
    : undefined;
}

/**
 * The sample application behind the gateway: answers every route with the authorized permission and the caller. It trusts
 * the authorizer's context only: a request without one is refused, so that a gateway without its authorizer lets nobody in.
 */
export async function sampleBackend(event: Event | WebSocketEvent): Promise<IntegrationResponse> {
  const caller = callerOf(event);
  if (!caller) return unauthorized();
  const { subject, tenant, scope, permission, roles, reason, coverage } = caller;
  return json(200, {
    // A policy for the whole API names the caller, but no permission.
    message: permission === undefined ? 'here you are' : `here is ${String(permission)} at ${String(scope)}`,
    you: {
      subject,
      tenant,
      roles: String(roles ?? '')
        .split(',')
        .filter(Boolean),
      allowedBy: reason,
      coverage,
    },
  });
}

/** Answers with what a service would get of a request: for those who have none yet. */
export async function echoBackend(event: HttpProxyEventV2): Promise<IntegrationResponse> {
  const caller = callerOf(event);
  if (!caller) return unauthorized();
  const { rawPath: path, rawQueryString: query, pathParameters, body, requestContext } = event;
  const { method } = requestContext.http;
  return json(200, {
    request: {
      method,
      path,
      ...(query === '' ? {} : { query }),
      ...(pathParameters ? { pathParameters } : {}),
      ...defined({ body }),
    },
    authorizer: caller,
  });
}

/** Answers every message on a connection with its route and the caller who opened the connection. */
export async function sampleMessages(event: WebSocketEvent): Promise<IntegrationResponse> {
  const answer = await sampleBackend(event);
  return {
    ...answer,
    body: JSON.stringify({ route: event.requestContext.routeKey, ...JSON.parse(answer.body ?? '{}') }),
  };
}
