import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createEngine, createLists } from '../../../engine/index.ts';
import { type AskThen, askThen } from '../../../provisioning/evidence/instant.ts';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import type { Item } from '../../../table/item.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import type { Reader } from '../../../table/reader.ts';
import { ask, change, furnish, START } from '../../proof/oracle/generate.ts';
import type { Question } from '../../proof/oracle/model.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { isRefusal } from '../../proof/oracle/stage.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { createMemoryWorld } from '../../support/world.ts';

/**
 * The table of now, rolled back, answers as an engine over the copy that was taken then: random histories of all commands
 * that change access, with conditions, groups in tokens, moves, trees that are deleted, and parts that stand apart.
 */
const HISTORIES = size(3, 60);
const CHANGES = 60;
const QUESTIONS = size(30, 60);
/** How often a question is drawn again that is refused. */
const DRAWS = 6;
const MINUTE = 60_000;

const decisionOn = async (reader: Reader, now: number, { subject, permission, scope, ...more }: Question) => {
  const { at, groups, given } = more;
  const { allowed, reason } = await createEngine({
    reader,
    clock: { now: () => now },
    random: () => 0,
  }).check(subject, permission, scope, { at, groups, ...given });
  return `${allowed} ${reason}`;
};

async function whoOn(reader: Reader, now: number, { permission, scope, at }: Question) {
  const clock = { now: () => now };
  const engine = createEngine({ reader, clock, random: () => 0 });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await createLists({ reader, engine, clock }).listSubjects(permission, scope, {
      at,
      cursor,
      limit: 50,
    });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found.sort();
}

/** What was there at an instant. */
interface Step {
  readonly at: number;
  readonly items: readonly Item[];
}

async function play(seed: number) {
  const random = createRandom(seed);
  const open = createMemoryWorld([], START);
  const { names, operations } = furnish(random, true);
  const steps: Step[] = [];
  const done: string[] = [];
  const carryOut = async (command: string, input: object) => {
    const answer = await open.provision({ command, input });
    if (answer.ok) done.push(`${command} ${JSON.stringify(input)}`);
    else if (!isRefusal(answer.error.code))
      throw new Error(`${again(seed)}: ${command}: ${answer.error.message}`);
    open.clock.advance(MINUTE);
    steps.push({ at: open.clock.now() - MINUTE / 2, items: open.items() });
  };
  for (const { command, input } of operations) await carryOut(command, input);
  for (let n = 0; n < CHANGES; n++) {
    const { command, input } = change(random, names);
    await carryOut(command, input);
    if (seed % 2 === 0 && n === CHANGES / 2) {
      const thresholds = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };
      await migrate({ ...open, newId: ulid, thresholds });
      open.clock.advance(MINUTE);
    }
  }
  return { random, open, names, steps, done };
}

test('the table of now, rolled back, answers as the table of then', async () => {
  const tally = { asked: 0, unknown: 0, allowed: 0, listed: 0 };
  for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
    const { random, open, names, steps, done } = await play(seed);
    const now = open.clock.now();
    await askThen({ reader: open.reader, since: steps[0]?.at ?? 0, now }, async (then: AskThen) => {
      for (let n = 0; n < QUESTIONS; n++) {
        const { at, items } = random.pick(steps);
        const copy = createMemoryTable({ items }).reader;
        // Few of all questions are allowed: of some, one that is.
        let question = ask(random, names);
        let wanted = await decisionOn(copy, now, question);
        for (let tries = 0; tries < DRAWS && !wanted.startsWith('true'); tries++) {
          question = ask(random, names);
          wanted = await decisionOn(copy, now, question);
        }
        const { answer, unknown } = await then(at, {
          ask: (reader) => decisionOn(reader, now, question),
          sameAs: String,
        });
        tally.asked += 1;
        if (wanted.startsWith('true')) tally.allowed += 1;
        if (unknown) tally.unknown += 1;
        else if (answer !== wanted)
          expect.fail(
            `${again(seed)} at ${new Date(at).toISOString()} ${JSON.stringify(question)}: ${answer}, was ${wanted}\n${done.join('\n')}`,
          );
        if (n % 6 > 0) continue;
        const list = await then(at, {
          ask: (reader) => whoOn(reader, now, question),
          sameAs: String,
          listsSubjects: true,
        });
        const who = await whoOn(copy, now, question);
        tally.listed += who.length;
        expect([list.unknown, list.doubtful?.size], again(seed)).toEqual([undefined, 0]);
        expect(list.answer, `${again(seed)} who at ${new Date(at).toISOString()}`).toEqual(who);
      }
    });
  }
  // Nothing is unknown: all records are of today, and none is near.
  expect(tally).toMatchObject({ asked: HISTORIES * QUESTIONS, unknown: 0 });
  expect(tally.allowed).toBeGreaterThan(tally.asked / 20);
  expect(tally.listed).toBeGreaterThan(tally.asked / 25);
});
