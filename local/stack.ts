import type { RequestListener } from 'node:http';
import type { Authorizer } from '../authorizer/authorizer.ts';
import { createHandlerFrom as createAuthorizer } from '../authorizer/compose.ts';
import { createHandleFrom as createAuthzen } from '../authzen/compose.ts';
import { createAuthzenListener } from './authzen.ts';
import type { LocalConfiguration } from './configuration.ts';
import { createFeed } from './explorer/live/feed.ts';
import { showingUses } from './explorer/live/uses.ts';
import { createStackExplorer } from './explorer/stack.ts';
import type { Gateway, GatewayObservation } from './gateway/gateway.ts';
import { toListener } from './gateway/http.ts';
import type { WebSocketGateway } from './gateway/websocket.ts';
import { createIdentityProvider, type FindCaller, GROUPS_CLAIM } from './identity/identity-provider.ts';
import { createLambdaEndpoint } from './lambda/endpoint.ts';
import type { LambdaFunction } from './lambda/invocation.ts';
import { writeLog } from './log.ts';
import { startParts } from './parts.ts';
import { createPermissionsListener } from './permissions.ts';
import { listen } from './server.ts';
import { type SocketIntegration, startLiveRevocation } from './sockets/live-revocation.ts';
import { type LocalTable, openTable, type TableOptions } from './table.ts';

/** Where the local stack is found. */
export interface Addresses {
  /** Origin of the gateway and, under /_dev, of the identity provider. */
  readonly url: string;
  /** Endpoint of the Lambda Invoke API. */
  readonly lambdaUrl: string;
  /** Endpoint of DynamoDB; undefined where the table is in memory. */
  readonly dynamodb: string | undefined;
  readonly table: string;
  /** As authorizers verify tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** The one-time link to the explorer. */
  readonly explorer: string;
}

export interface StackOptions extends TableOptions {
  /** Takes a line for the person at the screen; nobody unless given. */
  readonly say?: (line: string) => void;
}

/** What an application is put together from. */
export interface Foundation {
  readonly table: LocalTable;
  readonly url: string;
  /**
   * An authorizer of this stack, with more variables of its configuration.
   *
   * @param source its name among live decisions where no gateway is asked; without one, only a gateway's are shown
   */
  readonly authorizer: (variables: Readonly<Record<string, string>>, source?: string) => Authorizer;
  /** The integration of `$connect` and `$disconnect` of a WebSocket API at this path, where live revocation is on. */
  readonly liveRevocation: ((path: string) => Promise<SocketIntegration>) | undefined;
  /** For gateways whose requests are shown as they happen. */
  readonly observation: Required<GatewayObservation>;
}

/** What is behind the addresses. */
export interface Application<World> {
  readonly world: World;
  readonly gateway: Gateway;
  readonly sockets?: WebSocketGateway;
  readonly findCaller: FindCaller;
  /** Functions of the Lambda Invoke API beside `provisioning`. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** The names of the APIs that have routes now. */
  readonly apis?: () => readonly string[];
}

const AUDIENCE = 'gatehouse-local';

/** The SDK's notice about Node 20 is for maintainers (README), not for this screen. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/**
 * Starts everything on this machine: the table, identity provider, gateway, AuthZEN API and Lambda endpoint. Stops the
 * parts again when a later one fails.
 *
 * @param compose provisions the table and puts the application together
 * @throws Error that says what to change, for a port in use or an endpoint without an answer
 */
export const startStack = <World>(
  configuration: LocalConfiguration,
  compose: (foundation: Foundation) => Promise<Application<World>>,
  { say = () => undefined, ...options }: StackOptions = {},
): Promise<Addresses & World & { readonly stop: () => Promise<void> }> =>
  startParts(async (onStarted) => {
    const front = await listen(configuration.PORT, '--port (or PORT)');
    onStarted(front.stop);
    const back = await listen(configuration.LAMBDA_PORT, '--lambda-port (or LAMBDA_PORT)');
    onStarted(back.stop);
    const feed = createFeed(Date.now);
    const opened = await openTable(configuration, onStarted, options);
    const provisioning = showingUses(opened.provisioning, feed.events, Date.now);
    const table: LocalTable = { ...opened, provisioning };
    const { reader } = table;

    const url = `http://127.0.0.1:${front.port}`;
    const issuer = `${url}/_dev`;
    const environment = {
      TABLE_NAME: table.name,
      TOKEN_ISSUERS: JSON.stringify([{ issuer, audience: AUDIENCE, groupsFrom: GROUPS_CLAIM }]),
      CACHE_TTL_SECONDS: String(configuration.CACHE_TTL_SECONDS),
    };
    const authorizer: Foundation['authorizer'] = (variables, source) =>
      createAuthorizer(
        { ...environment, ...variables },
        { reader, observe: feed.observer(source), log: writeLog },
      );
    const liveRevocation = configuration.LIVE_REVOCATION
      ? async (path: string) => {
          if (table.endpoint === undefined)
            throw new Error(
              'LIVE_REVOCATION follows the change feed of a DynamoDB engine, and the table is in memory',
            );
          const started = await startLiveRevocation({
            table: table.name,
            endpoint: table.endpoint,
            url: `${url}${path}`,
          });
          onStarted(started.stop);
          return started.integration;
        }
      : undefined;
    const application = await compose({ table, url, authorizer, observation: feed, liveRevocation });
    const { world, gateway, sockets, findCaller, functions, apis } = application;
    if (sockets) onStarted(async () => sockets.stop());

    const identityProvider = await createIdentityProvider({
      issuer,
      findCaller,
      audience: AUDIENCE,
      clock: Date.now,
    });
    const authzen = createAuthzen(
      { ...environment, PUBLIC_URL: url },
      { reader, observe: feed.observer('AuthZEN'), log: writeLog },
    );
    const explorer = createStackExplorer({ table, url, events: feed.events, say, apis });
    const permissions = createPermissionsListener({
      reader,
      issuer,
      audience: AUDIENCE,
      ttlSeconds: configuration.CACHE_TTL_SECONDS,
      observe: feed.observer('permissions'),
    });
    /** By path, the first that fits; all else is for the gateway. */
    const served: readonly (readonly [RegExp, RequestListener])[] = [
      [/^\/(?:access\/v1\/|\.well-known\/authzen-configuration)/, createAuthzenListener(authzen)],
      [/^\/_dev\/permissions(?:\?|$)/, permissions],
      [/^\/_dev\/explorer(?:[/?]|$)/, explorer.listener],
      [/^\/_dev\//, identityProvider],
    ];
    const behind = withConnections(sockets, toListener(gateway));
    front.serve((incoming, outgoing) => {
      const [, serve = behind] = served.find(([paths]) => paths.test(incoming.url ?? '')) ?? [];
      serve(incoming, outgoing);
    }, sockets?.upgrade);
    back.serve(
      createLambdaEndpoint({
        // Lambda gives its context as well, which is none of provisioning's hooks.
        functions: { provisioning: (event) => provisioning(event), ...functions },
        clock: Date.now,
      }),
    );
    const lambdaUrl = `http://127.0.0.1:${back.port}`;
    return {
      url,
      lambdaUrl,
      dynamodb: table.endpoint,
      table: table.name,
      issuer,
      audience: AUDIENCE,
      explorer: explorer.newLink(),
      ...world,
    };
  });

const withConnections =
  (sockets: WebSocketGateway | undefined, gateway: RequestListener): RequestListener =>
  (request, response) => {
    if (!sockets?.manage(request, response)) gateway(request, response);
  };
