import type { CheckOptions } from '../../engine/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { DEPARTMENT, decisionItems } from '../model/table.ts';
import type { Question, World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';
import { openEngines, readAhead } from './engines.ts';

const STORED = `subject.properties.department == '${DEPARTMENT}'`;
const CONTEXT = "context.ip.startsWith('192.0.2.') && context.method == 'GET'";

/**
 * Gatehouse on three tables: nothing has a condition; everything one over a stored property; over the context, which is given
 * for every question. One bundle serves the three.
 */
export async function createConditions(world: World, questions: readonly Question[], endpoint: string) {
  const deployed = await loadDeployed();

  async function candidate(table: string, when?: string, options?: CheckOptions) {
    const items = decisionItems(world, when);
    const engine = (await openEngines(deployed, endpoint, table, items))();
    const loop = async (asked: readonly Question[]): Promise<number> => {
      for (const { subject, permission, scope, allowed } of asked) {
        const decision = await engine.check(subject, permission, scope, options);
        if (decision.allowed !== allowed) throw wrongAnswer(table, { subject, permission, scope });
      }
      return asked.length;
    };
    await readAhead(
      engine,
      questions.map((question) => ({ ...question, ...(options && { options }) })),
    );
    await loop(questions);
    return { asked: questions, loop };
  }

  const context = { ip: '192.0.2.17', method: 'GET', path: '/reports' };
  return {
    unconditional: await candidate('unconditional'),
    'condition-stored': await candidate('stored', STORED),
    'condition-context': await candidate('context', CONTEXT, { context }),
  };
}
