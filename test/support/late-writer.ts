import { ulid } from 'ulid';
import { vi } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import type { Pacing } from '../../table/read/pacing.ts';
import type { World } from './world.ts';

/**
 * Provisioning whose TransactWriteItems reaches the table only when the test says so; the client gives up before. The
 * deadline bounds how long the client asks, not when the service commits.
 */
export function createLateWriter(world: World) {
  let commit: (() => Promise<unknown>) | undefined;
  const deadline = new AbortController();
  const client = {
    send: (command: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
      commit = () => world.client.send(command as never);
      return new Promise((_, reject) => {
        abortSignal.addEventListener('abort', () =>
          reject(Object.assign(new Error('aborted'), { name: 'AbortError' })),
        );
      });
    },
  };
  const pacing: Pacing = { deadline: () => deadline.signal, pause: async () => {} };
  const writer = createWriter({ client: client as never, table: world.table, pacing });
  return {
    provision: createProvisioning({ ...world, writer, newId: () => ulid() }),
    /** Waits until the write has left. */
    sent: () => vi.waitUntil(() => commit !== undefined, { timeout: 30_000 }),
    giveUp: () => deadline.abort(),
    commit: async () => commit?.(),
  };
}
