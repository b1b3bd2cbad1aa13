import { longAgo, openNewTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { decisionItems, writeItems } from '../model/table.ts';
import { isAllowed, type Question, type World } from '../model/world.ts';
import { loadDeployed, readAhead } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
const SESSIONS = 200;
/** Of `checkMany`: subjects, and questions of each together. */
export const SUBJECTS = 10;
const QUESTIONS = 1_000;

/**
 * Gatehouse, bundled as it is deployed, on a table of the embedded engine: with expiry, the bound on memory,
 * the coherence test and the chain of scopes. Only the time-to-live is longer than the default.
 */
export async function createGatehouse(world: World, questions: readonly Question[], endpoint: string) {
  const table = 'bench';
  const { client, reader } = await openNewTable(endpoint, table);
  await writeItems(client, table, decisionItems(world, longAgo()));
  const { createEngine } = await loadDeployed();
  const newEngine = (options: { readonly observe?: () => void } = {}) =>
    createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS, ...options });

  /** A loop over an engine of its own, which has answered all questions before. */
  async function newLoop(engine: ReturnType<typeof newEngine>) {
    await readAhead(engine, questions);
    for (const { subject, permission, scope } of questions) await engine.check(subject, permission, scope);
    return async (asked: readonly Question[]): Promise<number> => {
      for (const question of asked) {
        const decision = await engine.check(question.subject, question.permission, question.scope);
        if (decision.allowed !== question.allowed) throw wrongAnswer('Gatehouse', question);
      }
      return asked.length;
    };
  }
  const checkLoop = await newLoop(newEngine());
  const observedLoop = await newLoop(newEngine({ observe: () => undefined }));
  const anew = newEngine();
  const anewLoop = await newLoop(anew);
  /** Reads the global item anew, with what a single question looks at: no decision that is kept holds any more. */
  const forget = async (): Promise<void> => {
    const { subject, scope } = questions[0] as Question;
    await anew.effectiveRoles(subject, scope, { consistency: 'strong' });
  };

  // Many questions of one subject at once, whose decisions are kept.
  const asker = newEngine();
  const places = world.places.map(({ ref }) => ref);
  const manyOf = world.users.slice(0, SUBJECTS).map(({ ref: subject }) =>
    places
      .flatMap((scope) => world.pages.map((permission) => ({ subject, permission, scope })))
      .slice(0, QUESTIONS)
      .map((question) => ({
        question,
        allowed: isAllowed(world, subject, question.permission, question.scope),
      })),
  );
  const batches = manyOf.map((many) => many.map(({ question }) => question));
  const manyLoop = async (positions: readonly number[]): Promise<number> => {
    for (const position of positions) {
      const { decisions } = await asker.checkMany(batches[position] as (typeof batches)[number]);
      const expected = manyOf[position] as (typeof manyOf)[number];
      for (let at = 0; at < expected.length; at++)
        if (decisions[at]?.allowed !== expected[at]?.allowed)
          throw wrongAnswer('checkMany', { position, at });
    }
    return positions.length * QUESTIONS;
  };

  // Their decisions are kept, too: in an engine of their own they displace no others.
  const opener = newEngine();
  const sessions = await Promise.all(
    questions.slice(0, SESSIONS).map(async ({ subject, scope }) => ({
      session: await opener.session(subject, scope, { permissions: world.pages }),
      answers: world.pages.map((page) => isAllowed(world, subject, page, scope)),
    })),
  );
  const sessionLoop = (): number => {
    for (const { session, answers } of sessions)
      for (let page = 0; page < answers.length; page++)
        if (session.can(world.pages[page] as string) !== answers[page])
          throw wrongAnswer('a session', { permission: world.pages[page] });
    return SESSIONS * world.pages.length;
  };

  return { checkLoop, observedLoop, anewLoop, forget, manyLoop, sessionLoop };
}
