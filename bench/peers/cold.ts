import { createEngine, DEFAULT_TTL_MS } from '../../engine/index.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { countRequests } from '../harness/counted.ts';
import { DYNAMODB, logNormal } from '../harness/draws.ts';
import { longAgo, openNewTable, openTable } from '../harness/engine.ts';
import { createGroupWorld, type GroupWorld, type Shape } from '../model/group-world.ts';
import { decisionItems, writeItems } from '../model/table.ts';
import { chainOf, type Question } from '../model/world.ts';
import { createSeedFlow, seedItems } from './seeds.ts';

export const coldTableOf = (shape: Shape): string => `cold-${shape}`;
const seedTableOf = (shape: Shape): string => `${coldTableOf(shape)}-seeds`;

/** Writes the model of a shape: decision items for Gatehouse, edges for the seeds' flow. */
export async function writeColdTables(endpoint: string, shape: Shape): Promise<GroupWorld> {
  const world = createGroupWorld(shape);
  for (const [table, items] of [
    [coldTableOf(shape), decisionItems(world, longAgo())],
    [seedTableOf(shape), seedItems(world)],
  ] as const) {
    const { client } = await openNewTable(endpoint, table);
    await writeItems(client, table, items);
  }
  return world;
}

interface GatehouseOptions {
  /** Whether the request names the scope's ancestors, as a path can. */
  readonly isNamed?: boolean;
  /** An earlier check of the same at the same place; none when left out. */
  readonly before?: 'by-another' | 'long-ago';
}

/**
 * What decides with an empty or partly filled cache. Each has its own client, which counts, and its own series of
 * latencies from the same distribution. `prepare` comes before each question, and is not counted.
 */
export function createColdCandidates(endpoint: string, shape: Shape, world: GroupWorld) {
  const above = new Map(world.places.map(({ ref }) => [ref, chainOf(world.places, ref).slice(1)]));
  let seed = 100;

  function connect(table: string) {
    const { client, reader } = openTable(endpoint, table);
    return { client, reader, ...countRequests(client, logNormal(createRandom(seed++), DYNAMODB)) };
  }

  function gatehouse({ isNamed, before }: GatehouseOptions = {}) {
    const { reader, ...counter } = connect(coldTableOf(shape));
    let skippedMs = 0;
    const newEngine = () =>
      createEngine({ reader, clock: { now: () => Date.now() + skippedMs }, random: () => 0 });
    let engine = newEngine();
    const ask = async ({ subject, permission, scope }: Question): Promise<boolean> => {
      const prefetch = isNamed ? above.get(scope) : undefined;
      return (await engine.check(subject, permission, scope, { prefetch })).allowed;
    };
    const prepare = async (question: Question): Promise<void> => {
      engine = newEngine();
      const other = world.users.find(({ ref }) => ref !== question.subject)?.ref as string;
      if (before) await ask(before === 'by-another' ? { ...question, subject: other } : question);
      if (before === 'long-ago') skippedMs += DEFAULT_TTL_MS + 1;
    };
    return { ...counter, prepare, ask };
  }

  function seedFlow() {
    const { client, ...counter } = connect(seedTableOf(shape));
    const ask = createSeedFlow(client, seedTableOf(shape), shape === 'nested');
    return { ...counter, prepare: async () => undefined, ask };
  }

  return {
    gatehouse: gatehouse(),
    'new-user': gatehouse({ before: 'by-another' }),
    expired: gatehouse({ before: 'long-ago' }),
    seeds: seedFlow(),
    named: gatehouse({ isNamed: true }),
  };
}
