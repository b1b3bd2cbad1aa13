import type { LocalConfiguration } from '../configuration.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createWebSocketGateway } from '../gateway/websocket.ts';
import { type Addresses, type StackOptions, startStack } from '../stack.ts';
import { createApis, createWebSocketApis, RESULT_CACHE } from './apis.ts';
import { createSampleWorld, type SampleWorld } from './world.ts';

export type SampleStack = Addresses & SampleWorld & { readonly stop: () => Promise<void> };

/** Starts the local stack with the sample world behind every kind of API. */
export const startSample = (
  configuration: LocalConfiguration,
  options: StackOptions = {},
): Promise<SampleStack> =>
  startStack(
    configuration,
    async ({ table, authorizer, observation, liveRevocation }) => {
      const world = await createSampleWorld(table.provisioning);
      const simple = authorizer({ RESULT_CACHE }, 'Lambda');
      const policy = authorizer({ RESULT_CACHE, HTTP_ANSWER: 'policy' }, 'Lambda');
      const shared = { ...observation, clock: Date.now };
      return {
        world,
        gateway: createGateway({ ...shared, apis: createApis({ simple, policy }) }),
        sockets: createWebSocketGateway({
          ...shared,
          apis: createWebSocketApis({ policy }, await liveRevocation?.('/ws')),
        }),
        findCaller: async (email) => {
          const answer = await table.provisioning({ command: 'user.read', input: { email } });
          return answer.ok ? { kind: 'user', id: String(answer.result.id), email } : undefined;
        },
        functions: { authorizer: simple, 'authorizer-policy': policy },
      };
    },
    options,
  );
