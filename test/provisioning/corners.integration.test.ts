import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeCommands } from '../../provisioning/documents/commands.ts';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Action } from '../../table/write/action.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { commandsOf, createClock, createWorld } from '../support/world.ts';
import { cornered } from './corners.ts';
import { createInputs } from './kinds.ts';
import type { Input } from './support.ts';

/**
 * Inputs from the corners of each command's own schema, in a dry run and then in earnest. Whatever is wrong with
 * one is the caller's mistake: one error with a field, the same in both, and nothing written.
 */
/** One of so many inputs is tried in a dry run first. */
const DRY_EACH = size(3, 1);
/** How often what a good input names is made anew, because it was changed or deleted. */
const RENEWALS = size(2, 5);
const MISTAKES: ReadonlySet<string> = new Set([
  ...['invalid', 'not_found', 'conflict', 'limit_exceeded', 'operation_mismatch'],
]);

/** Transactions that were written since it was emptied. */
const written: (readonly Action[])[] = [];

async function createMemoryWorld() {
  const parts = { ...createMemoryTable(), clock: createClock(), newSecret: () => 'a secret' };
  return { ...parts, ...commandsOf(parts) };
}

/** What is wrong with an answer; nothing mostly: to ask `expect` each time takes longer than the command. */
function wrongIn(answer: Answer): string | undefined {
  if (answer.ok) return undefined;
  const { code, field } = answer.error;
  if (written.length > 0) return 'it wrote something and answered an error';
  if (!MISTAKES.has(code)) return `${code} is no mistake of the caller`;
  return field ? undefined : 'the error names no field';
}

/** What a caller goes by. */
const essence = (answer: Answer): string => (answer.ok ? 'ok' : `${answer.error.code} ${answer.error.field}`);

const fail = (wrong: string, answer: Answer | undefined, n: number, given: unknown): void =>
  expect.fail(
    `${again()} number ${n}: ${wrong}: ${String(JSON.stringify(answer)).slice(0, 1_000)} to ${String(JSON.stringify(given)).slice(0, 2_000)}`,
  );

const ALL = describeCommands().map(({ name, kind, input }) => [name, kind, input] as const);
/** On the engine it is the form of what is written that may go wrong: the same in all commands. */
const SOME = ALL.filter((_, n) => n % size(10, 1) === SEED % size(10, 1));

describe.each([
  ['in memory', createMemoryWorld, ALL, size(6, 20_000)],
  ['on the engine', createWorld, SOME, size(2, 300)],
] as const)('%s', (_, createWorldHere, commands, inputs) => {
  let inputOf: (command: string) => Promise<Input>;
  let provision: ReturnType<typeof createProvisioning>;
  beforeAll(async () => {
    const world = await createWorldHere();
    inputOf = createInputs(world);
    const send = async (actions: readonly Action[]) => {
      await world.writer.send(actions);
      if (actions.some(({ kind }) => kind !== 'check')) written.push(actions);
    };
    provision = createProvisioning({ ...world, writer: { send }, newId: () => ulid() });
  });

  test.each(commands)(
    '%s answers each input with a result or with one error that names the field',
    async (command, kind, schema) => {
      const random = createRandom(SEED + command.length);
      let good = await inputOf(command);
      let renewals = 0;
      for (let n = 0; n < inputs; n++) {
        const input = cornered(random, schema, good);
        written.length = 0;
        // Of a read it would be the same.
        const isDry = kind === 'write' && n % DRY_EACH === 0;
        const dry = isDry ? await provision({ command, input, dryRun: true }) : undefined;
        if (written.length > 0) fail('the dry run wrote something', dry, n, input);
        const answer = await provision({ command, input });
        if (dry && essence(answer) !== essence(dry))
          fail(`the dry run said ${essence(dry)}`, answer, n, input);
        const wrong = wrongIn(answer);
        if (wrong !== undefined) fail(wrong, answer, n, input);
        if (answer.ok && kind === 'write' && renewals++ < RENEWALS) good = await inputOf(command);
      }
    },
  );

  test('so does each event around an input', async () => {
    const word = { type: 'string', maxLength: 128 };
    const metadata = { type: 'object' };
    const origin = {
      type: 'object',
      properties: { ipAddress: word, userAgent: word, sessionId: word, metadata },
    };
    const properties = { command: word, input: metadata, operationId: word, actor: word, origin };
    const good = {
      command: 'user.create',
      input: {},
      actor: 'pipeline',
      origin: { ipAddress: '::1', metadata: {} },
    };
    const random = createRandom(SEED);
    for (let n = 0; n < inputs; n++) {
      const event = cornered(random, { properties }, good);
      written.length = 0;
      const answer = await provision(event);
      const wrong = wrongIn(answer);
      if (wrong !== undefined) fail(wrong, answer, n, event);
    }
  });
});
