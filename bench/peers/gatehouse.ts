import { longAgo, openNewTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { decisionItems, writeItems } from '../model/table.ts';
import { isAllowed, type Question, type World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
const SESSIONS = 200;

/**
 * Gatehouse, bundled as it is deployed, on a table of the embedded engine: with expiry, the bound on memory,
 * the coherence test and the chain of scopes. Only the time-to-live is longer than the default.
 */
export async function createGatehouse(world: World, questions: readonly Question[], endpoint: string) {
  const table = 'bench';
  const { client, reader } = await openNewTable(endpoint, table);
  await writeItems(client, table, decisionItems(world, longAgo()));
  const { createEngine } = await loadDeployed();
  const newEngine = () => createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS });
  const engine = newEngine();

  for (const { subject, permission, scope } of questions) await engine.check(subject, permission, scope);
  const checkLoop = async (asked: readonly Question[]): Promise<number> => {
    for (const question of asked) {
      const decision = await engine.check(question.subject, question.permission, question.scope);
      if (decision.allowed !== question.allowed) throw wrongAnswer('Gatehouse', question);
    }
    return asked.length;
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

  return { checkLoop, sessionLoop };
}
