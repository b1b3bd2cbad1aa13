import { createHandlerFrom } from '../../authorizer/compose.ts';
import { sampleBackend } from '../../local/backend.ts';
import type { HttpApiV2 } from '../../local/gateway/api.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import { toListener } from '../../local/gateway/http.ts';
import { listen } from '../../local/server.ts';
import { processorMs } from '../harness/clocks.ts';
import { answerParent } from './child.ts';

export interface GatewayState {
  /** Of the API with the authorizer, and of the same one without. */
  readonly urls: { readonly with: string; readonly without: string };
  /** Milliseconds of the gateway's processor time. */
  readonly processorMs: number;
}

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
  routes: [{ key: 'GET /locations/{locationId}/pages/{page}', integration: sampleBackend }],
});

/** The gateway in a process of its own, with an authorizer by the environment. It answers with its state. */
const { port, serve } = await listen(0, 'PORT');
const url = `http://127.0.0.1:${port}`;
const authorizer = createHandlerFrom(process.env, { log: () => undefined });
const apis = [api('with', '', authorizer), api('without', '/without', async () => CONSTANT_ANSWER)];
serve(toListener(createGateway({ apis, clock: Date.now })));
answerParent(
  async (): Promise<GatewayState> => ({
    urls: { with: url, without: `${url}/without` },
    processorMs: processorMs(),
  }),
);
