import type { RequestListener } from 'node:http';
import { createHandlerFrom as createAuthorizer } from '../authorizer/compose.ts';
import { createHandleFrom as createAuthzen } from '../authzen/compose.ts';
import { createHandlerFrom as createProvisioning } from '../provisioning/compose.ts';
import { createServiceClient } from '../table/dynamodb/client.ts';
import { createTable } from '../table/dynamodb/definition.ts';
import { createApis, createWebSocketApis, RESULT_CACHE } from './apis.ts';
import { withAuthzen } from './authzen.ts';
import type { LocalConfiguration } from './configuration.ts';
import { startEmbeddedEngine } from './embedded-engine.ts';
import { createGateway } from './gateway/gateway.ts';
import { toListener } from './gateway/http.ts';
import { createWebSocketGateway, type WebSocketGateway } from './gateway/websocket.ts';
import { createIdentityProvider } from './identity/identity-provider.ts';
import { createLambdaEndpoint } from './lambda/endpoint.ts';
import { type OnStarted, startParts } from './parts.ts';
import { createProvisioner } from './sample/provision.ts';
import { createSampleWorld, type SampleWorld } from './sample/world.ts';
import { listen } from './server.ts';

export interface Stack extends SampleWorld {
  /** Origin of the gateway and, under /_dev, of the identity provider. */
  readonly url: string;
  /** Endpoint of the Lambda Invoke API. */
  readonly lambdaUrl: string;
  readonly dynamodb: string;
  readonly table: string;
  readonly stop: () => Promise<void>;
}

const AUDIENCE = 'gatehouse-local';

/** The SDK's notice about Node 20 is for maintainers (README), not for this screen. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/**
 * Starts everything on this machine: DynamoDB, identity provider, gateway and Lambda endpoint, and provisions
 * the sample world through the provisioning function. Stops the parts again when a later one fails.
 */
export const startStack = (configuration: LocalConfiguration): Promise<Stack> =>
  startParts((onStarted) => start(configuration, onStarted));

async function start(configuration: LocalConfiguration, onStarted: OnStarted): Promise<Omit<Stack, 'stop'>> {
  const front = await listen(configuration.PORT, 'PORT');
  onStarted(front.stop);
  const back = await listen(configuration.LAMBDA_PORT, 'LAMBDA_PORT');
  onStarted(back.stop);

  const dynamodb = configuration.DYNAMODB_ENDPOINT ?? (await startEngine(configuration, onStarted));
  const table = configuration.TABLE_NAME;
  await createTable(createServiceClient({ endpoint: dynamodb, requestTimeoutMs: 10_000 }), table);

  const url = `http://127.0.0.1:${front.port}`;
  const store = { TABLE_NAME: table, DYNAMODB_ENDPOINT: dynamodb };
  const provisioning = createProvisioning(store);
  const world = await createSampleWorld(createProvisioner(provisioning));

  const issuer = `${url}/_dev`;
  const environment = {
    ...store,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: AUDIENCE,
    RESULT_CACHE,
    CACHE_TTL_SECONDS: String(configuration.CACHE_TTL_SECONDS),
  };
  const simple = createAuthorizer(environment);
  const policy = createAuthorizer({ ...environment, HTTP_ANSWER: 'policy' });
  const identityProvider = await createIdentityProvider({
    issuer,
    audience: AUDIENCE,
    clock: Date.now,
    resolveUser: async (email) => {
      const answer = await provisioning({ command: 'user.read', input: { email } });
      return answer.ok ? { id: String(answer.result.id) } : undefined;
    },
  });
  const gateway = toListener(createGateway({ apis: createApis({ simple, policy }), clock: Date.now }));
  const sockets = createWebSocketGateway({ apis: createWebSocketApis({ policy }), clock: Date.now });
  onStarted(async () => sockets.stop());
  const { RESULT_CACHE: _, ...callers } = environment;
  const authzen = createAuthzen({ ...callers, PUBLIC_URL: url });
  front.serve(
    withAuthzen(authzen, Date.now, withIdentityProvider(identityProvider, withConnections(sockets, gateway))),
    sockets.upgrade,
  );
  back.serve(
    createLambdaEndpoint({
      functions: { provisioning, authorizer: simple, 'authorizer-policy': policy },
      clock: Date.now,
    }),
  );
  return { url, lambdaUrl: `http://127.0.0.1:${back.port}`, dynamodb, table, ...world };
}

async function startEngine(
  { DATA, DYNAMODB_PORT }: LocalConfiguration,
  onStarted: OnStarted,
): Promise<string> {
  // The engine would only say that it did not start.
  const port = await listen(DYNAMODB_PORT, 'DYNAMODB_PORT');
  await port.stop();
  const engine = await startEmbeddedEngine({
    port: port.port,
    ...(DATA === undefined ? {} : { file: DATA }),
  });
  onStarted(engine.stop);
  return engine.endpoint;
}

const withIdentityProvider =
  (identityProvider: RequestListener, gateway: RequestListener): RequestListener =>
  (request, response) =>
    (request.url?.startsWith('/_dev/') ? identityProvider : gateway)(request, response);

const withConnections =
  (sockets: WebSocketGateway, gateway: RequestListener): RequestListener =>
  (request, response) => {
    if (!sockets.manage(request, response)) gateway(request, response);
  };
