import type { CheckRequest } from '../../engine/engine.ts';
import { Attribute } from '../../table/decision/attributes.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { longAgo, openNewTable } from '../harness/engine.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { decisionItems, itemsAt, writeItems } from '../model/table.ts';
import { idOf } from '../model/visits.ts';
import type { Question, World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
/** Room for the decisions of both, as `check` has it for those of one. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Gatehouse, asked with an agent and a mandate of each user: the agent may do everything, the mandate as well. */
export async function createActing(world: World, questions: readonly Question[], endpoint: string) {
  const { client, reader } = await openNewTable(endpoint, 'acting');
  const writtenAt = longAgo();
  const item = itemsAt(writtenAt);
  const acting = world.users.flatMap(({ ref: subject }) => [
    item(decisionKey(parseSubjectRef(`agent:${idOf(subject)}`, 'actor')), {
      status: 'active',
      [Attribute.isAdmin]: true,
    }),
    item(decisionKey(parseRef(`mandate:${idOf(subject)}`, 'mandate')), {
      status: 'active',
      [Attribute.subject]: subject,
      [Attribute.actor]: `agent:${idOf(subject)}`,
      [Attribute.endsAt]: '2100-01-01T00:00:00.000Z',
      [Attribute.permissions]: ['*:*:*'],
      [Attribute.scopes]: roots(world),
    }),
  ]);
  await writeItems(client, 'acting', [...decisionItems(world, writtenAt), ...acting]);
  const { createEngine } = await loadDeployed();
  const engine = createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS, maxBytes: MAX_BYTES });
  const asked = questions.map((question) => ({
    ...question,
    actor: { subject: `agent:${idOf(question.subject)}`, mandate: `mandate:${idOf(question.subject)}` },
  }));
  for (let at = 0; at < asked.length; at += 500)
    await engine.checkMany(asked.slice(at, at + 500).map(requestOf));
  const loop = async (some: readonly (typeof asked)[number][]): Promise<number> => {
    for (const { subject, permission, scope, allowed, actor } of some) {
      const decision = await engine.check(subject, permission, scope, { actor });
      if (decision.allowed !== allowed) throw wrongAnswer('acting', { subject, permission, scope });
    }
    return some.length;
  };
  await loop(asked);
  return { asked, loop };
}

const requestOf = ({ subject, permission, scope, actor }: CheckRequest): CheckRequest => ({
  subject,
  permission,
  scope,
  actor,
});

/** At most 20 places without one above. */
const roots = (world: World): readonly string[] =>
  world.places.flatMap(({ ref, parent }) => (parent === undefined ? [ref] : [])).slice(0, 20);
