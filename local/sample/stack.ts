import type { LocalConfiguration } from '../configuration.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createWebSocketGateway } from '../gateway/websocket.ts';
import { type Addresses, startStack } from '../stack.ts';
import type { TableOptions } from '../table.ts';
import { createApis, createWebSocketApis, RESULT_CACHE } from './apis.ts';
import { createProvisioner } from './provision.ts';
import { createSampleWorld, type SampleWorld } from './world.ts';

export type SampleStack = Addresses & SampleWorld & { readonly stop: () => Promise<void> };

/** Starts the local stack with the sample world behind every kind of API. */
export const startSample = (
  configuration: LocalConfiguration,
  options: TableOptions = {},
): Promise<SampleStack> =>
  startStack(
    configuration,
    async ({ table: { provisioning }, authorizer }) => {
      const world = await createSampleWorld(createProvisioner((event) => provisioning(event)));
      const simple = authorizer({ RESULT_CACHE });
      const policy = authorizer({ RESULT_CACHE, HTTP_ANSWER: 'policy' });
      return {
        world,
        gateway: createGateway({ apis: createApis({ simple, policy }), clock: Date.now }),
        sockets: createWebSocketGateway({ apis: createWebSocketApis({ policy }), clock: Date.now }),
        findCaller: async (email) => {
          const answer = await provisioning({ command: 'user.read', input: { email } });
          return answer.ok ? { kind: 'user', id: String(answer.result.id), email } : undefined;
        },
        functions: { authorizer: simple, 'authorizer-policy': policy },
      };
    },
    options,
  );
