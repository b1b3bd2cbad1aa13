import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import type { createRequestHandler } from '../../table/dynamodb/request-handler.ts';
import { GatehouseError } from '../../table/errors.ts';
import { isLoopback, LOCAL_CREDENTIALS } from '../../table/loopback.ts';
import type { Connection } from './connection.ts';

/**
 * DELETE @connections/{id}; `gone` where API Gateway knows no such connection.
 *
 * @throws GatehouseError whose `retryable` says whether it may work later: a time-out, 429 or 5xx, but not an API or a
 *   stage that is gone
 */
export type Close = (connection: Connection) => Promise<'closed' | 'gone'>;

export interface CloseOptions {
  /** The base URL of the API, where it is not that of AWS. */
  readonly url: string | undefined;
  readonly region: string | undefined;
  /** Sends requests, and bounds an attempt. */
  readonly requestHandler: ReturnType<typeof createRequestHandler>;
}

/** Closes connections through the management API of their APIs (AG apigateway-how-to-call-websocket-api-connections). */
export function createClose({ url, region = 'eu-central-1', requestHandler }: CloseOptions): Close {
  const clients = new Map<string, ApiGatewayManagementApiClient>();
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const clientFor = ({ api, stage }: Connection): ApiGatewayManagementApiClient => {
    const endpoint = url ?? `https://${api}.execute-api.${region}.${suffix}/${stage}`;
    const known = clients.get(endpoint);
    if (known) return known;
    const isLocal = isLoopback(new URL(endpoint).hostname);
    const made = new ApiGatewayManagementApiClient({
      endpoint,
      region,
      maxAttempts: 2,
      credentials: isLocal ? LOCAL_CREDENTIALS : fromEnv(),
      requestHandler,
    });
    clients.set(endpoint, made);
    return made;
  };
  return async (connection) => {
    try {
      await clientFor(connection).send(new DeleteConnectionCommand({ ConnectionId: connection.id }));
      return 'closed';
    } catch (error) {
      // By its status: its type is in a header that a proxy may leave out.
      if (statusOf(error as Thrown) === 410) return 'gone';
      throw toCloseError(error);
    }
  };
}

interface Thrown {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Where the body is not what the SDK expects. */
  readonly $response?: { readonly statusCode?: number };
}

/** Undefined where nothing answered. */
const statusOf = ({ $metadata, $response }: Thrown): number | undefined =>
  $metadata?.httpStatusCode ?? $response?.statusCode;

function toCloseError(error: unknown): GatehouseError {
  const status = statusOf(error as Thrown);
  const sort = (code: 'not_found' | 'throttled' | 'transient' | 'internal') =>
    new GatehouseError(code, `DeleteConnection failed: ${status ?? 'no answer'}`, { cause: error });
  // The name of an API ends with it. A resolver that is down is EAI_AGAIN.
  if (status === undefined) return sort((error as Thrown).code === 'ENOTFOUND' ? 'not_found' : 'transient');
  if (status === 429) return sort('throttled');
  return sort(status >= 500 ? 'transient' : 'internal');
}
