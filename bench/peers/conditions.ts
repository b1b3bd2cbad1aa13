import { longAgo } from '../harness/engine.ts';
import { DEPARTMENT, decisionItems } from '../model/table.ts';
import type { Question, World } from '../model/world.ts';
import { type Asked, openEngines } from './engines.ts';

const STORED = `subject.properties.department == '${DEPARTMENT}'`;
const CONTEXT = "context.ip.startsWith('192.0.2.') && context.method == 'GET'";

/**
 * Gatehouse on three tables with the same model: without conditions, and with one on every effect that holds
 * for every question.
 */
export async function createConditions(world: World, questions: readonly Question[], endpoint: string) {
  const onTable = async (table: string, asked: readonly Asked[], when?: string) => {
    const { newEngine, newLoop } = await openEngines(endpoint, table, decisionItems(world, longAgo(), when));
    return { asked, loop: await newLoop(newEngine(), asked) };
  };
  const options = { context: { ip: '192.0.2.17', method: 'GET', path: '/reports' } };
  const withContext = questions.map((question) => ({ ...question, options }));
  return {
    unconditional: await onTable('unconditional', questions),
    'condition-stored': await onTable('stored', questions, STORED),
    'condition-context': await onTable('context', withContext, CONTEXT),
  };
}
