import { expect, test } from 'vitest';
import { EXAMPLES } from '../../provisioning/documents/examples.ts';
import { resultOf } from '../../provisioning/documents/results.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { createLightWorld } from '../support/world.ts';
import { createInputs, OF_OPERATORS, WRITE_COMMANDS } from './kinds.ts';
import { createLightLedgerWorld } from './support.ts';

/** What is wrong with a result by its schema; `undefined` is no field of JSON. */
const unlike = (command: string, result: unknown): readonly unknown[] => {
  const { error } = resultOf(command).safeParse(JSON.parse(JSON.stringify(result)));
  return (error?.issues ?? []).map(({ path, message }) => `${command} ${path.join('.')}: ${message}`);
};

/** A fresh id, or a secret, is another one each time. */
const withoutIds = (result: unknown): unknown =>
  JSON.parse(JSON.stringify(result).replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b|gh1_[\w.-]+/g, 'ID'));

/** The examples of docs/commands.md: one of each command, and as one story all succeed. */
test('there is one of each command', () => {
  expect([...EXAMPLES.keys()].sort()).toEqual([...COMMANDS.keys()].sort());
});

test('in their order each succeeds, a dry run before it says the same, and the result is as described', async () => {
  const world = await createLightWorld();
  const wrong: unknown[] = [];
  for (const [command, input] of EXAMPLES) {
    if (OF_OPERATORS.has(command)) continue;
    const dry = await world.provision({ command, input, dryRun: true });
    const answer = await world.provision({ command, input });
    if (!answer.ok || !dry.ok) wrong.push([command, dry.ok || dry.error, answer.ok || answer.error]);
    else {
      // What was not written needs no reader to wait for it: no token.
      const marked = WRITE_COMMANDS.includes(command) ? { dryRun: true } : {};
      expect(dry, command).toEqual({ ok: true, result: expect.anything(), ...marked });
      expect(withoutIds(dry.result), command).toEqual(withoutIds(answer.result));
      wrong.push(...unlike(command, answer.result));
    }
  }
  expect(wrong).toEqual([]);
});

test('so is the result of each command with all its fields; a dry run tries one transaction, and writes nothing', async () => {
  const world = await createLightLedgerWorld();
  const inputOf = createInputs(world);
  const wrong: unknown[] = [];
  for (const command of COMMANDS.keys()) {
    if (OF_OPERATORS.has(command)) continue;
    const input = await inputOf(command);
    if (WRITE_COMMANDS.includes(command)) {
      const before = world.transactions.length;
      await world.provision({ command, input, dryRun: true });
      const tried = world.transactions.slice(before);
      expect(tried, command).toHaveLength(1);
      expect(tried.flat().filter(({ kind }) => kind !== 'check')).toEqual([]);
    }
    wrong.push(...unlike(command, await world.run(command, input)));
  }
  expect(wrong).toEqual([]);
});
