import { createHandlerFrom } from '../../authorizer/compose.ts';
import type { Authorizer } from '../../authorizer/index.ts';
import { sampleBackend } from '../../local/backend.ts';
import type { HttpApiV2 } from '../../local/gateway/api.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import { toListener } from '../../local/gateway/http.ts';
import { type LocalServer, listen } from '../../local/server.ts';
import { processorMs } from '../harness/clocks.ts';
import { answerParent } from './child.ts';

/** Starts the gateway when there is an environment; always answers with its state. */
export interface GatewayRequest {
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GatewayState {
  /** URL of the API with the authorizer; the API without it is at the path `WITHOUT`. */
  readonly url: string;
  /** Milliseconds of the gateway's processor time. */
  readonly processorMs: number;
  /** Lines that the authorizer logged (faults and refused tokens), and the last of them. */
  readonly faults: number;
  readonly lastFault: string | undefined;
}

export const WITHOUT = '/without';

const ROUTE = 'GET /locations/{locationId}/pages/{page}';
/** A constant answer for everybody: the same work for the gateway, none for an authorizer. */
const CONSTANT_ANSWER = {
  isAuthorized: true,
  context: {
    subject: 'user:anybody',
    permission: 'any',
    scope: 'any',
    tenant: '',
    roles: '',
    reason: 'open',
  },
};

const api = (name: string, basePath: string, invoke: (event: unknown) => Promise<unknown>): HttpApiV2 => ({
  name,
  basePath,
  kind: 'http-2.0',
  stage: '$default',
  apiId: name,
  accountId: '000000000000',
  region: 'eu-central-1',
  authorizer: {
    kind: 'REQUEST',
    invoke,
    simpleResponses: true,
    resultTtlSeconds: 0,
    identitySources: ['$request.header.Authorization'],
  },
  routes: [{ key: ROUTE, integration: sampleBackend }],
});

let server: LocalServer | undefined;
let faults = 0;
let lastFault: string | undefined;

const authorizerOf = (environment: Readonly<Record<string, string>>): Authorizer =>
  createHandlerFrom(environment, {
    log: (line) => {
      faults += 1;
      lastFault = line;
    },
  });

answerParent(
  async ({ environment }: GatewayRequest): Promise<GatewayState> => {
    if (environment) {
      server = await listen(0, 'PORT');
      const apis = [
        api('with', '', authorizerOf(environment)),
        api('without', WITHOUT, async () => CONSTANT_ANSWER),
      ];
      server.serve(toListener(createGateway({ apis, clock: Date.now })));
    }
    return { url: `http://127.0.0.1:${server?.port}`, faults, lastFault, processorMs: processorMs() };
  },
  async () => server?.stop(),
);
