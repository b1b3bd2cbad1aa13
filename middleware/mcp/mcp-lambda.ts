import { inAnyCase, type LambdaAnswer, type LambdaEvent, toLambda } from '../lambda.ts';
import { problem } from '../problem.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';

/**
 * A Lambda handler for an endpoint behind API Gateway, a function URL or a load balancer. An answer is whole: a
 * stream that a client opens to be told of changes is refused (405).
 */
export const mcpLambda =
  (endpoint: McpEndpoint) =>
  async (event: LambdaEvent): Promise<LambdaAnswer> => {
    const { headers, multiValueHeaders, requestContext, httpMethod, body, isBase64Encoded } = event;
    const method = requestContext?.http?.method ?? httpMethod ?? 'GET';
    const path = event.rawPath ?? event.path ?? '/';
    const named = new Headers();
    for (const name of new Set(
      Object.keys({ ...headers, ...multiValueHeaders }).map((each) => each.toLowerCase()),
    ))
      for (const value of new Set([...inAnyCase(multiValueHeaders, name), ...inAnyCase(headers, name)]))
        named.append(name, value);
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && !path.startsWith('/.well-known/'))
      return toLambda(problem(405, { detail: 'this server streams nothing' }, { Allow: 'POST' }), event);
    const sent =
      isRead || typeof body !== 'string' ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    const response = await endpoint(
      new Request(`https://lambda/${path.replace(/^\/+/, '')}`, { method, headers: named, body: sent }),
    );
    const answered = Object.fromEntries(response.headers);
    return toLambda({ status: response.status, headers: answered, body: await response.text() }, event);
  };
