import { ulid } from 'ulid';
import { expect } from 'vitest';
import { COMMANDS, createProvisioning } from '../../provisioning/index.ts';
import type { Writer } from '../../table/writer.ts';
import { watchReads } from '../support/watched-reader.ts';
import type { Event } from './stepwise.ts';
import type { LedgerWorld } from './support.ts';

/** Copies of one command that run at the same time. */

/** Commands that answer what they found to do. */
const COMPARING = ['tenant.apply', 'scim-user.update', 'scim-group.members'];

/**
 * The commands that may take several transactions. An approval carries out one of the others, for operators who are
 * verified: approvals.test.ts.
 */
export const IN_STEPS: readonly string[] = [...COMMANDS.values()]
  .filter((command) => command.kind === 'write' && command.inSteps && command.name !== 'approval.approve')
  .map(({ name }) => name);

/** Whether the copies have one `operationId` or one each. */
export type Naming = 'the same operationId' | 'an operationId each';

/** Lets all pass once `count` have arrived. */
function gate(count: number) {
  let left = count;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    arrive: (): Promise<void> => {
      left -= 1;
      if (left === 0) open();
      return all;
    },
  };
}

/**
 * Runs `count` copies of a command at once. Expects that one copy succeeds
 * and that each of the others ends in the same success or in an answer that can be retried; an apply may also find
 * that another one is under way.
 *
 * @param turn what each call to the table waits for
 */
export async function expectAgreement(
  world: LedgerWorld,
  { command, input }: Event,
  count: number,
  naming: Naming,
  turn: () => Promise<unknown> = async () => {},
): Promise<void> {
  const reader = watchReads(world.reader, turn);
  const all = gate(count);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, copy) => {
      let planned: Promise<void> | undefined;
      const send: Writer['send'] = async (actions) => {
        // A copy that begins after another one has ended is none: it finds nothing to delete, and says so.
        planned ??= naming === 'an operationId each' ? all.arrive() : Promise.resolve();
        await planned;
        await turn();
        return world.writer.send(actions);
      };
      const provision = createProvisioning({
        ...world,
        reader,
        writer: { send },
        newId: () => ulid(),
      });
      return provision({
        command,
        input,
        operationId: naming === 'an operationId each' ? `copy-${copy}` : 'one',
      });
    }),
  );
  const results = answers.flatMap((answer) => (answer.ok ? [answer.result] : []));
  const final = answers.flatMap((answer) =>
    answer.ok || answer.error.retryable || answer.error.code === 'apply_running' ? [] : [answer.error],
  );
  expect(final, `${command}, ${count} copies with ${naming}`).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
  // How much a comparison finds to do depends on what the other copies have done by then.
  if (!COMPARING.includes(command) || naming === 'the same operationId')
    for (const result of results) expect(result).toEqual(results[0]);
}
