import { wrongAnswer } from '../harness/rounds.ts';
import { decisionItems } from '../model/table.ts';
import { isAllowed, type Question, type World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';
import { openEngines, readAhead } from './engines.ts';

const SESSIONS = 200;
/** Of `checkMany`: subjects, and questions of each together. */
export const SUBJECTS = 10;
const QUESTIONS = 1_000;

/** The loops of Gatehouse over cached items: plain checks, observed ones, decisions made anew, many at once, sessions. */
export async function createGatehouse(world: World, questions: readonly Question[], endpoint: string) {
  const items = decisionItems(world);
  const newEngine = await openEngines(await loadDeployed(), endpoint, 'bench', items);

  /** A loop over an engine, which has answered all questions before. */
  async function newLoop(engine: ReturnType<typeof newEngine>) {
    const loop = async (asked: readonly Question[]): Promise<number> => {
      for (const { subject, permission, scope, allowed } of asked) {
        const decision = await engine.check(subject, permission, scope);
        if (decision.allowed !== allowed) throw wrongAnswer('Gatehouse', { subject, permission, scope });
      }
      return asked.length;
    };
    await readAhead(engine, questions);
    await loop(questions);
    return loop;
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
  const batches = world.users.slice(0, SUBJECTS).map(({ ref: subject }) => {
    const all = world.places.flatMap(({ ref: scope }) =>
      world.pages.map((permission) => ({ subject, permission, scope })),
    );
    const asked = all.slice(0, QUESTIONS);
    const right = asked.map(({ permission, scope }) => isAllowed(world, subject, permission, scope));
    return { asked, right };
  });
  const manyLoop = async (positions: readonly number[]): Promise<number> => {
    for (const position of positions) {
      const { asked, right } = batches[position] as (typeof batches)[number];
      const { decisions } = await asker.checkMany(asked);
      for (let at = 0; at < right.length; at++)
        if (decisions[at]?.allowed !== right[at]) throw wrongAnswer('checkMany', { position, at });
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
