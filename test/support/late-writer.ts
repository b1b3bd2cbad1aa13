import { ulid } from 'ulid';
import { createProvisioning } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Writer } from '../../table/writer.ts';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

/** Provisioning whose transaction reaches the table only when the test says so; its writer gives up before. */
export function createLateWriter(world: World) {
  let commit: (() => Promise<void>) | undefined;
  let giveUp = (): void => undefined;
  const send: Writer['send'] = (actions) =>
    new Promise((_, reject) => {
      commit = () => world.writer.send(actions);
      giveUp = () => reject(new GatehouseError('transient', 'the table did not answer in time'));
    });
  return {
    provision: createProvisioning({ ...world, writer: { send }, newId: () => ulid() }),
    /** Waits until the write has left. */
    sent: () =>
      eventually(() => {
        if (!commit) throw new Error('nothing was sent');
      }),
    giveUp: () => giveUp(),
    commit: async () => commit?.(),
  };
}
