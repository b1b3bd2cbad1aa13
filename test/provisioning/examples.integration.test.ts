import { expect, test } from 'vitest';
import { EXAMPLES } from '../../provisioning/documents/examples.ts';
import { resultOf } from '../../provisioning/documents/results.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { createLightWorld } from '../support/world.ts';
import { createInputs, OF_OPERATORS } from './kinds.ts';
import { createLightLedgerWorld } from './support.ts';

/** What is wrong with a result by its schema; `undefined` is no field of JSON. */
const unlike = (command: string, result: unknown): readonly unknown[] => {
  const { error } = resultOf(command).safeParse(JSON.parse(JSON.stringify(result)));
  return (error?.issues ?? []).map(({ path, message }) => `${command} ${path.join('.')}: ${message}`);
};

/** The examples of docs/commands.md: one of each command, and as one story all succeed. */
test('there is one of each command', () => {
  expect([...EXAMPLES.keys()].sort()).toEqual([...COMMANDS.keys()].sort());
});

test('in their order each succeeds, a dry run before it says so, and the result is as described', async () => {
  const world = await createLightWorld();
  const wrong: unknown[] = [];
  for (const [command, input] of EXAMPLES) {
    if (OF_OPERATORS.has(command)) continue;
    const dry = await world.provision({ command, input, dryRun: true });
    const answer = await world.provision({ command, input });
    if (!answer.ok || !dry.ok) wrong.push([command, dry.ok || dry.error, answer.ok || answer.error]);
    else wrong.push(...unlike(command, dry.result), ...unlike(command, answer.result));
  }
  expect(wrong).toEqual([]);
});

test('so is the result of each command with all its fields', async () => {
  const world = await createLightLedgerWorld();
  const inputOf = createInputs(world);
  const wrong: unknown[] = [];
  for (const command of COMMANDS.keys())
    if (!OF_OPERATORS.has(command))
      wrong.push(...unlike(command, await world.run(command, await inputOf(command))));
  expect(wrong).toEqual([]);
});
