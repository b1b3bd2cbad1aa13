import { createEngine, DEFAULT_TTL_MS } from '../../engine/index.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { countRequests, type Spent } from '../harness/counted.ts';
import { type Latency, logNormal } from '../harness/draws.ts';
import { longAgo, openNewTable, openTable } from '../harness/engine.ts';
import { createGroupWorld, type GroupWorld, type Shape } from '../model/group-world.ts';
import { decisionItems, writeItems } from '../model/table.ts';
import { chainOf, type Question } from '../model/world.ts';
import { type Ask, createSeedFlow, seedItems } from './seeds.ts';

/** A candidate that decides with an empty or partly filled cache. */
export interface ColdCandidate {
  readonly ask: Ask;
  /** Before each question, untimed and not counted. */
  readonly prepare?: (question: Question) => Promise<void>;
  readonly reset: () => void;
  readonly spent: () => Spent;
}

export const COLD_TITLES = {
  gatehouse: 'Gatehouse',
  'new-user': 'Gatehouse, new user, the rest cached',
  expired: 'Gatehouse, all cached, but expired',
  named: 'Gatehouse, the path names the ancestors',
  seeds: "seeds' flow",
} as const;
export type ColdName = keyof typeof COLD_TITLES;

export interface ColdOptions {
  readonly endpoint: string;
  readonly shape: Shape;
  readonly latency: Latency;
}

export const coldTableOf = (shape: Shape): string => `cold-${shape}`;
const tablesOf = (shape: Shape) => ({ own: coldTableOf(shape), seeds: `cold-${shape}-seeds` });

/** Writes the model of a shape: decision items for Gatehouse, edges for the seeds' flow. */
export async function writeColdTables(endpoint: string, shape: Shape, users?: number): Promise<GroupWorld> {
  const world = createGroupWorld(shape, users);
  const { own, seeds } = tablesOf(shape);
  const { client } = await openNewTable(endpoint, own);
  await writeItems(client, own, decisionItems(world, longAgo()));
  await openNewTable(endpoint, seeds);
  await writeItems(client, seeds, seedItems(world));
  return world;
}

/** Each candidate has its own client and its own series of latencies from the same distribution. */
export function createColdCandidates(
  { endpoint, shape, latency }: ColdOptions,
  world: GroupWorld,
): Readonly<Record<ColdName, ColdCandidate>> {
  const { own, seeds } = tablesOf(shape);
  const above = new Map(world.places.map(({ ref }) => [ref, chainOf(world.places, ref).slice(1)]));
  let seed = 100;

  function connect(table: string) {
    const { client, reader } = openTable(endpoint, table);
    const counter = countRequests(client, logNormal(createRandom(seed++), latency));
    return { client, reader, counter };
  }

  function gatehouse({ isNamed, before }: GatehouseOptions = {}) {
    const { reader, counter } = connect(own);
    let skippedMs = 0;
    const newEngine = () =>
      createEngine({ reader, clock: { now: () => Date.now() + skippedMs }, random: () => 0 });
    let engine = newEngine();
    const aboveOf = (scope: string) => (isNamed ? above.get(scope) : undefined);
    const check: Ask = async ({ subject, permission, scope }) =>
      (await engine.check(subject, permission, scope, { prefetch: aboveOf(scope) })).allowed;
    return {
      ...counter,
      prepare: async (question: Question) => {
        engine = newEngine();
        if (before === 'by-another')
          await check({ ...question, subject: otherThan(world, question.subject) });
        if (before === 'long-ago') {
          await check(question);
          skippedMs += DEFAULT_TTL_MS + 1;
        }
      },
      ask: check,
    };
  }

  function seedFlow(): ColdCandidate {
    const { client, counter } = connect(seeds);
    return { ...counter, ask: createSeedFlow(client, seeds, shape === 'nested') };
  }

  return {
    gatehouse: gatehouse(),
    'new-user': gatehouse({ before: 'by-another' }),
    expired: gatehouse({ before: 'long-ago' }),
    seeds: seedFlow(),
    named: gatehouse({ isNamed: true }),
  };
}

interface GatehouseOptions {
  /** Whether the request names the scope's ancestors, as a path can. */
  readonly isNamed?: boolean;
  /** An earlier check of the same at the same place; none when left out. */
  readonly before?: 'by-another' | 'long-ago';
}

const otherThan = ({ users }: GroupWorld, subject: string): string =>
  (users.find(({ ref }) => ref !== subject) as { ref: string }).ref;
