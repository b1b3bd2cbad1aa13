import type { Item } from '../../table/item.ts';
import type { Operation } from '../proof/oracle/operations.ts';
import { asState, isRecord, type LedgerWorld } from './support.ts';

/** `transaction.write`: several commands in one transaction, each as if those before it were done. */
export type Part = Pick<Operation, 'command' | 'input'>;
export const together = (world: LedgerWorld, commands: readonly Part[]) =>
  world.provision({
    command: 'transaction.write',
    input: { commands: commands.map(({ command, input }) => ({ command, input })) },
  });

/** All but records of what happened, and which write it was. */
export const stateOf = async (world: LedgerWorld) =>
  asState(
    (await world.everything())
      .filter((item) => !isRecord(item))
      .map(({ writeId: _, ...item }) => item as Item),
  );
