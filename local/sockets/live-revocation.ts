import { CreateTableCommand, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { createHandlerFrom } from '../../authorizer/sockets/compose.ts';
import { createServiceClient } from '../../table/dynamodb/client.ts';
import type { IntegrationResponse } from '../gateway/api.ts';
import type { WebSocketEvent } from '../gateway/websocket-events.ts';
import { writeLog } from '../log.ts';
import { followChanges } from './change-feed.ts';

/** The integration of `$connect` and `$disconnect`. */
export type SocketIntegration = (event: WebSocketEvent) => Promise<IntegrationResponse>;

export interface LiveRevocationOptions {
  readonly table: string;
  readonly endpoint: string;
  /** The base URL of the WebSocket API, `http://127.0.0.1:3000/ws`. */
  readonly url: string;
}

/** The function `sockets` of the stack, with the table that it keeps connections in, behind the local change feed. */
export async function startLiveRevocation({ table, endpoint, url }: LiveRevocationOptions): Promise<{
  readonly integration: SocketIntegration;
  readonly stop: () => Promise<void>;
}> {
  const connections = `${table}-connections`;
  await createConnectionsTable(endpoint, connections);
  const sockets = createHandlerFrom(
    {
      TABLE_NAME: table,
      DYNAMODB_ENDPOINT: endpoint,
      CONNECTIONS_TABLE: connections,
      CONNECTIONS_URL: url,
    },
    writeLog,
  );
  const stop = await followChanges(endpoint, table, async (records) => {
    const answer = await sockets({ Records: records });
    return 'batchItemFailures' in answer && answer.batchItemFailures.length === 0;
  });
  return {
    integration: async (event) => {
      const answer = await sockets(event);
      return { statusCode: 'statusCode' in answer ? answer.statusCode : 500 };
    },
    stop,
  };
}

async function createConnectionsTable(endpoint: string, TableName: string): Promise<void> {
  const service = createServiceClient({ endpoint, requestTimeoutMs: 10_000 });
  const attributes = ['found', 'connection'] as const;
  try {
    await service.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: attributes.map((AttributeName, at) => ({
          AttributeName,
          KeyType: at === 0 ? 'HASH' : 'RANGE',
        })),
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}
