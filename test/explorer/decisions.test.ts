import { expect, test } from 'vitest';
import { decide } from '../../cli/commands/check.ts';
import { readGiven } from '../../cli/given.ts';
import type { Decision } from '../../engine/index.ts';
import { createService } from '../../explorer/service/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { ask, change, furnish, giveOtherwise, type Names } from '../proof/oracle/generate.ts';
import { emptyModel, type Question } from '../proof/oracle/model.ts';
import type { Operation } from '../proof/oracle/operations.ts';
import * as does from '../proof/oracle/operations.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createStage, isRefusal } from '../proof/oracle/stage.ts';
import { again, SEED } from '../support/seed.ts';

/**
 * What the page decides is what `gatehouse check` decides: the same random questions go to both, in one process, each
 * on its own way from text to decision.
 */
const QUESTIONS = 1_000;
const ROUNDS = 5;
const CHANGES = 15;
const MOVES = 5;

const BY_EFFECTS = /denied_by_role|condition_failed/;

const textOf = ({ allowed, reason }: Decision): string => `${allowed ? 'allow' : 'deny'} ${reason}`;

/** Moves of places to where another of the same type is, in their tenant. */
const movesOf = ({ places }: Names): readonly Operation[] => {
  const typeOf = (ref: string) => ref.slice(0, ref.indexOf(':'));
  return places.flatMap(({ ref, parent, root }) =>
    places
      .filter((other) => typeOf(other.ref) === typeOf(ref) && other.root === root && other.parent !== parent)
      .flatMap((other) => (other.parent === undefined ? [] : [does.moveScope(ref, other.parent)])),
  );
};

/** A world that changes, with both ways to a decision. */
async function openWorld() {
  const open = await createStage('').open();
  const { reader, writer, clock, newId, newSecret, carryOut } = open;
  const service = createService({
    reader,
    clock,
    provisioning: createProvisioning({ reader, writer, clock, newId, newSecret }),
    about: { place: 'a test', canWrite: false, isLive: false },
  });
  const model = emptyModel();
  const done: Operation[] = [];
  const write = async (operations: readonly Operation[]): Promise<void> => {
    for (const operation of operations) {
      const outcome = await carryOut(operation.command, operation.input);
      if (outcome.ok) {
        operation.apply(model);
        done.push(operation);
      } else if (!isRefusal(outcome.code)) throw new Error(`${operation.command}: ${outcome.message}`);
    }
    clock.advance(60_000);
  };
  /** As the page sends it: through JSON. */
  const onPage = async (question: Question): Promise<string> => {
    const reply = await service('check', JSON.parse(JSON.stringify(question)));
    return reply.ok ? textOf(reply.result as Decision) : `fault ${reply.error.message}`;
  };
  /** As somebody types it. */
  const onCommandLine = async ({ given, ...question }: Question): Promise<string> => {
    const typed = given && readGiven(JSON.stringify(given));
    return textOf(await decide(reader, clock.now, question, { given: typed }));
  };
  return { done, write, onPage, onCommandLine };
}

test('the page and the command line decide the same', async () => {
  const random = createRandom(SEED);
  const { done, write, onPage, onCommandLine } = await openWorld();
  const { names, operations } = furnish(random, true);
  const reasons = new Map<string, number>();
  /** Questions that get as far as the effects of roles are few: they are asked again, otherwise. */
  const [allowed, byEffects]: [Question[], Question[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const moves = Array.from({ length: MOVES }, () => random.pick(movesOf(names)));
    const changes = Array.from({ length: CHANGES }, () => change(random, names));
    await write(round === 0 ? operations : [...moves, ...changes]);
    for (let number = 0; number < QUESTIONS / ROUNDS; number += 1) {
      const known = random.pick([allowed, byEffects]);
      const isAgain = known.length > 0 && !random.oneIn(3);
      // Both ask about subjects, not about tokens.
      const { groups: _, ...question } = isAgain
        ? giveOtherwise(random, names, random.pick(known))
        : ask(random, names);
      const [page, commandLine] = [await onPage(question), await onCommandLine(question)];
      expect(page, `${again()}: ${JSON.stringify(question)}`).toBe(commandLine);
      if (page.startsWith('allow')) allowed.push(question);
      else if (BY_EFFECTS.test(page)) byEffects.push(question);
      reasons.set(page, (reasons.get(page) ?? 0) + 1);
    }
  }
  const count = (pattern: RegExp) =>
    [...reasons].reduce((sum, [text, times]) => sum + (pattern.test(text) ? times : 0), 0);
  expect(count(/./)).toBe(QUESTIONS);
  // Agreement says little unless there was something to agree about.
  expect(count(/^allow/), [...reasons].join(' ')).toBeGreaterThan(QUESTIONS / 50);
  expect(count(/^deny/)).toBeGreaterThan(QUESTIONS / 4);
  expect(reasons.size).toBeGreaterThan(6);
  const written = JSON.stringify(done.map(({ command, input }) => ({ command, input })));
  for (const what of ['"when":', '"DENY"', '"startDate":', '"scope.move"'])
    expect(written.includes(what), what).toBe(true);
});
