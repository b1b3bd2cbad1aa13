import type { CheckOptions } from '../../engine/engine.ts';
import { longAgo, openNewTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { DEPARTMENT, decisionItems, writeItems } from '../model/table.ts';
import type { Question, World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
/** Questions that are asked together. */
const AHEAD = 500;

const STORED = `subject.properties.department == '${DEPARTMENT}'`;
const CONTEXT = "context.ip.startsWith('192.0.2.') && context.method == 'GET'";

/**
 * Gatehouse on three tables: nothing has a condition; everything one over a stored property; over the context, which is given
 * for every question. One bundle and one loop serve the three, and no other candidate: V8 optimises a check by who calls it,
 * and takes 7 µs in place of 5 where others share them.
 */
export async function createConditions(world: World, questions: readonly Question[], endpoint: string) {
  const { createEngine } = await loadDeployed();

  async function loopOf(table: string, when: string | undefined, options?: CheckOptions) {
    const { client, reader } = await openNewTable(endpoint, table);
    await writeItems(client, table, decisionItems(world, longAgo(), when));
    const engine = createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS });
    const loop = async (asked: readonly Question[]): Promise<number> => {
      for (const { subject, permission, scope, allowed } of asked) {
        const decision = await engine.check(subject, permission, scope, options);
        if (decision.allowed !== allowed) throw wrongAnswer(table, { subject, permission, scope });
      }
      return asked.length;
    };
    for (let at = 0; at < questions.length; at += AHEAD)
      await engine.checkMany(questions.slice(at, at + AHEAD), options);
    await loop(questions);
    return { asked: questions, loop };
  }

  const request = { ip: '192.0.2.17', method: 'GET', path: '/reports' };
  return {
    unconditional: await loopOf('unconditional', undefined),
    'condition-stored': await loopOf('stored', STORED),
    'condition-context': await loopOf('context', CONTEXT, { context: request }),
  };
}
