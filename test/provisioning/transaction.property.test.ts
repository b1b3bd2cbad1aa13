import { describe, expect, test } from 'vitest';
import type { Answer } from '../../provisioning/index.ts';
import { changeInOneWrite, furnishSmall } from '../proof/oracle/generate.ts';
import type { Operation } from '../proof/oracle/operations.ts';
import { createRandom } from '../proof/oracle/random.ts';
import * as fc from '../support/fast-check.ts';
import { outcomeOf } from '../support/world.ts';
import { findingsIn } from './findings.ts';
import { type Part, stateOf, together } from './put-together.ts';
import { createLightLedgerWorld, type LedgerWorld } from './support.ts';

/** With an id of its own for what would get any. */
const withId = (operation: Operation, number: number): Operation =>
  /^(?:assignment|grant)\.create$/.test(operation.command)
    ? {
        ...operation,
        input: { ...operation.input, id: `01J8Z0E2Z8D2A3J7A7Y2H9Q${String(number).padStart(3, '0')}` },
      }
    : operation;

/** The same, but for which transaction wrote it: one wrote here what several wrote there. */
const contentOf = async (world: LedgerWorld) =>
  Object.fromEntries(
    Object.entries(await stateOf(world)).map(([key, { writeId: _, ...item }]) => [
      key,
      // Each token is of chance.
      'hash' in item ? { ...item, hash: 'of a token' } : item,
    ]),
  );

/** What is said of commands that are each fine, and not in one transaction. */
const APART = /send it alone|asked for twice|one transaction holds/;

/** What a batch answers to each of its commands. */
async function codesOfBatch(world: LedgerWorld, commands: readonly Part[]): Promise<readonly string[]> {
  const batch = commands.map(({ command, input }) => ({ command, input }));
  const answer = await world.provision({ batch });
  const answers = answer.ok ? (answer.result.answers as readonly Answer[]) : [];
  return answers.map(outcomeOf);
}

describe('whatever is put together', () => {
  test('comes to the same as one command after the other, in one transaction or none, and in a batch', async () => {
    let written = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => {
        const random = createRandom(seed);
        const [alone, whole, batched] = [
          await createLightLedgerWorld(),
          await createLightLedgerWorld(),
          await createLightLedgerWorld(),
        ];
        const { names, operations } = furnishSmall(random);
        let drawn = 0;
        const draw = () =>
          Array.from({ length: random.between(2, 9) }, () =>
            withId(changeInOneWrite(random, names), ++drawn),
          );
        const lists = [];
        for (let start = 0; start < operations.length; start += 7)
          lists.push(operations.slice(start, start + 7));
        for (let n = 0; n < 14; n++) lists.push(draw());
        for (const list of lists) {
          const before = await stateOf(whole);
          const done: Operation[] = [];
          const codes: string[] = [];
          for (const operation of list) {
            const { command, input } = operation;
            const answer = await alone.provision({ command, input });
            codes.push(outcomeOf(answer));
            if (answer.ok) {
              done.push(operation);
              continue;
            }
            // With what is refused by itself, all of it is, and nothing is written.
            const both = await together(whole, [...done, operation]);
            expect(both.ok, `${command} ${JSON.stringify(input)}`).toBe(false);
            if (both.ok) continue;
            // One before it may be none to be put together with others.
            if (!APART.test(both.error.message))
              expect(both.error.field).toMatch(new RegExp(`^commands\\.${done.length}\\.`));
            if (both.error.code !== 'invalid') expect(both.error.code).toBe(answer.error.code);
            expect(await stateOf(whole)).toEqual(before);
            refused += 1;
          }
          expect(await codesOfBatch(batched, list)).toEqual(codes);
          const first = whole.transactions.length;
          const answer = await together(whole, done.length > 0 ? done : [operations[0] as Operation]);
          if (answer.ok) {
            expect(whole.transactions.length).toBe(first + 1);
            const records = (await whole.touchedSince(first)).filter(({ Type }) => Type === 'AuditLog');
            expect(records.map(({ action }) => action).sort()).toEqual(
              done.map(({ command }) => command).sort(),
            );
            if (done.length > 1) written += 1;
          } else if (done.length > 0) {
            expect(answer.error.message).toMatch(APART);
            for (const { command, input } of done) await whole.run(command, { ...input });
          }
          expect(await contentOf(whole)).toEqual(await contentOf(alone));
          expect(await contentOf(batched)).toEqual(await contentOf(alone));
        }
        expect(await findingsIn(await whole.everything(), whole.clock)).toEqual([]);
      }),
      { numRuns: 1 },
    );
    expect(written).toBeGreaterThan(5);
    expect(refused).toBeGreaterThan(10);
  });
});
