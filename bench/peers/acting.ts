import { Attribute } from '../../table/decision/attributes.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { decisionItem, decisionItems } from '../model/table.ts';
import { idOf } from '../model/visits.ts';
import type { Question, World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';
import { openEngines, readAhead } from './engines.ts';

/** Room for the decisions of both, as `check` has it for those of one. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Gatehouse, asked with an agent and a mandate of each user: the agent may do everything, the mandate as well. */
export async function createActing(world: World, questions: readonly Question[], endpoint: string) {
  /** At most 20 places without one above. */
  const roots = world.places.flatMap(({ ref, parent }) => (parent === undefined ? [ref] : [])).slice(0, 20);
  const acting = world.users.flatMap(({ ref: subject }) => [
    decisionItem(decisionKey(parseSubjectRef(`agent:${idOf(subject)}`, 'actor')), {
      status: 'active',
      [Attribute.isAdmin]: true,
    }),
    decisionItem(decisionKey(parseRef(`mandate:${idOf(subject)}`, 'mandate')), {
      status: 'active',
      [Attribute.subject]: subject,
      [Attribute.actor]: `agent:${idOf(subject)}`,
      [Attribute.endsAt]: '2100-01-01T00:00:00.000Z',
      [Attribute.permissions]: ['*:*:*'],
      [Attribute.scopes]: roots,
    }),
  ]);
  const items = [...decisionItems(world), ...acting];
  const newEngine = await openEngines(await loadDeployed(), endpoint, 'acting', items);
  const engine = newEngine({ maxBytes: MAX_BYTES });
  const asked = questions.map((question) => {
    const id = idOf(question.subject);
    return { ...question, options: { actor: { subject: `agent:${id}`, mandate: `mandate:${id}` } } };
  });
  const loop = async (some: readonly (typeof asked)[number][]): Promise<number> => {
    for (const { subject, permission, scope, options, allowed } of some) {
      const decision = await engine.check(subject, permission, scope, options);
      if (decision.allowed !== allowed) throw wrongAnswer('acting', { subject, permission, scope });
    }
    return some.length;
  };
  await readAhead(engine, asked);
  await loop(asked);
  return { asked, loop };
}
