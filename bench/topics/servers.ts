import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { startParts } from '../../local/parts.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import type { Topic, TopicContext } from '../harness/topic.ts';
import { type Child, startChild } from '../load/child.ts';
import type { ClosedLoopPlan } from '../load/closed-loop.ts';
import { createBenchWorld, drawQuestions, type Question, times, type World } from '../model/world.ts';
import { startBare } from '../peers/bare-server.ts';
import { startCerbos } from '../peers/cerbos.ts';
import { questionOf, startGatehouse } from '../peers/gatehouse-server.ts';
import { startOpenFga } from '../peers/openfga.ts';
import type { PeerServer } from '../peers/peer.ts';
import { processorMsOf } from '../peers/server-process.ts';
import { startSpiceDb } from '../peers/spicedb.ts';

const TITLES = {
  gatehouse: 'gatehouse serve',
  openfga: 'OpenFGA, in memory',
  spicedb: 'SpiceDB, in memory',
  cerbos: 'Cerbos',
  bare: 'a Node server that answers a constant',
} as const;
type Name = keyof typeof TITLES;
const NAMES = Object.keys(TITLES) as readonly Name[];

type Start = (world: World, ttlSeconds: number, endpoint: string) => Promise<PeerServer>;
const STARTS: Readonly<Record<Name, Start>> = {
  gatehouse: startGatehouse,
  openfga: startOpenFga,
  spicedb: startSpiceDb,
  cerbos: startCerbos,
  bare: () => startBare(questionOf),
};

/** A quick run leaves out what is not told where it is: it takes less to see that nothing has become slow. */
const isAsked = (name: Name, quick: boolean): boolean =>
  !quick || name === 'gatehouse' || name === 'bare' || process.env[name.toUpperCase()] !== undefined;

/** How stale an answer of any server may be: our default. */
const TTL_SECONDS = 60;

/**
 * `hot` questions are asked again and again; a `distinct` one only once, with the caches on; `uncached` ones where the
 * caches are off.
 */
const KINDS = ['hot', 'distinct', 'uncached'] as const;
type Kind = (typeof KINDS)[number];
const CONNECTIONS = [1, 16] as const;
const HOT = 1_000;
const DISTINCT = 200_000;

const FULL = { rounds: 5, seconds: 2.5 };
const QUICK: typeof FULL = { rounds: 2, seconds: 0.5 };

/** The world of the other topics with permissions of the form that buildings have by default. */
function createWorld(): World {
  const world = createBenchWorld();
  const permissionOf = (page: string): string => `building:${page}:building`;
  return {
    ...world,
    pages: world.pages.map(permissionOf),
    roles: world.roles.map(({ id, pages }) => ({ id, pages: pages.map(permissionOf) })),
  };
}

/** Distinct questions, half of them allowed. */
function drawDistinct(world: World, count: number): readonly Question[] {
  const drawn = new Map(
    drawQuestions(world, Math.ceil(count * 0.7) * 2).map((question) => [JSON.stringify(question), question]),
  );
  const questions = [...drawn.values()].slice(0, count);
  if (questions.length < count) throw new Error('too few questions');
  return questions;
}

/** What is measured of a server, per second and per answer. */
const MEASURES = { rate: ['throughput', '/s'], processor: ['processor time of the server', 'µs'] } as const;
type Measure = keyof typeof MEASURES;

/** As many questions as take a server some seconds: first a guess, then by its last rate. */
const FIRST_COUNT = 200;
const WARM_UPS = 3;

/** Asks all servers, in the order of {@link TITLES}, questions of some kinds. */
async function askAll(
  client: Child<ClosedLoopPlan, number>,
  all: ReadonlyMap<Name, PeerServer>,
  pools: Readonly<Record<'hot' | 'distinct', readonly Question[]>>,
  kinds: readonly Kind[],
  { quick, log }: TopicContext,
): Promise<readonly Figure[]> {
  const { rounds, seconds } = quick ? QUICK : FULL;
  const names = [...all.keys()];
  /** By kind, connections and server: one of each round. */
  const trials = new Map<string, Readonly<Record<Measure, number>>[]>();
  const trialsOf = (...key: readonly [Name, Kind, number]) => {
    const name = key.join('-');
    const known = trials.get(name) ?? [];
    trials.set(name, known);
    return known;
  };
  /** How many distinct questions each server was asked. */
  const asked = new Map<Name, number>();
  /** Seconds from the first question to the last answer. */
  const ask = (name: Name, connections: number, questions: readonly Question[]): Promise<number> => {
    const { target, bodyOf, isConstant = false } = all.get(name) as PeerServer;
    const prepared = questions.map((each) => ({ body: bodyOf(each), allowed: isConstant || each.allowed }));
    return client.ask({ target, connections, questions: prepared });
  };
  const attempt = async (name: Name, kind: Kind, connections: number): Promise<void> => {
    const { pid } = all.get(name) as PeerServer;
    const done = trialsOf(name, kind, connections);
    const count = Math.ceil((done.at(-1)?.rate ?? FIRST_COUNT / seconds) * seconds);
    // Where all have been asked, the first ones come again: after far more than a cache's time-to-live.
    const [pool, from] = kind === 'hot' ? [pools.hot, 0] : [pools.distinct, asked.get(name) ?? 0];
    if (kind !== 'hot') asked.set(name, from + count);
    // What was cached may have run out while other servers were asked.
    if (kind !== 'uncached') await ask(name, 16, pools.hot);
    const before = processorMsOf(pid);
    const questions = times(count, (n) => pool[(from + n) % pool.length] as Question);
    const rate = count / (await ask(name, connections, questions));
    done.push({ rate, processor: ((processorMsOf(pid) - before) * 1_000) / count });
  };
  for (let round = -WARM_UPS; round < rounds; round++) {
    // The order alternates.
    for (const kind of kinds)
      for (const connections of CONNECTIONS)
        for (const name of round % 2 === 0 ? names : names.toReversed())
          await attempt(name, kind, connections);
    log(`${kinds.join(', ')}: round ${round + 1} of ${rounds}`);
  }
  const figuresOf = (kind: Kind, connections: number, measure: Measure): readonly Figure[] => {
    const [what, unit] = MEASURES[measure];
    const idOf = (name: Name): string => `${measure}-${name}-${kind}-${connections}`;
    const values = (name: Name): readonly number[] =>
      trialsOf(name, kind, connections)
        .slice(WARM_UPS)
        .map((trial) => trial[measure]);
    return names.map((name) => {
      const title = `${TITLES[name]}, ${kind} questions, ${connections} at once: ${what}`;
      // Ours stands beside the others.
      const others = name === 'gatehouse' ? names.filter((other) => other !== name) : [];
      const against = Object.fromEntries(others.map((other) => [idOf(other), values(other)]));
      return toFigure(idOf(name), title, unit, values(name), against);
    });
  };
  return kinds.flatMap((kind) =>
    CONNECTIONS.flatMap((connections) =>
      (['rate', 'processor'] as const).flatMap((measure) => figuresOf(kind, connections, measure)),
    ),
  );
}

export const topic: Topic = {
  title: 'the AuthZEN API, beside the servers of OpenFGA, SpiceDB and Cerbos',
  run: async (context) => {
    const { quick, log } = context;
    const world = createWorld();
    const drawn = drawDistinct(world, HOT + (quick ? 10_000 : DISTINCT));
    // One of each user: who has asked them all has everything in its cache that a distinct question rests on.
    const hot = world.users.flatMap(
      ({ ref }, n) =>
        drawn.find(({ subject, allowed }) => subject === ref && allowed === (n % 2 === 0)) ?? [],
    );
    const again = new Set(hot);
    const distinct = drawn.filter((question) => !again.has(question));
    const names = NAMES.filter((name) => isAsked(name, quick));
    log(`${names.map((name) => TITLES[name]).join('; ')}`);
    log(`${distinct.length} distinct questions; each answer is compared with the model`);
    const measure = (ttlSeconds: number, kinds: readonly Kind[]) =>
      startParts(async (onStarted) => {
        const { endpoint, stop } = await startEmbeddedEngine();
        onStarted(stop);
        const client = startChild<ClosedLoopPlan, number>(new URL('../load/closed-loop.ts', import.meta.url));
        onStarted(client.stop);
        const all = new Map<Name, PeerServer>();
        for (const name of names) {
          const server = await STARTS[name](world, ttlSeconds, endpoint);
          onStarted(server.stop);
          all.set(name, server);
        }
        return { figures: await askAll(client, all, { hot, distinct }, kinds, context) };
      });
    const cached = await measure(TTL_SECONDS, ['hot', 'distinct']);
    await cached.stop();
    const uncached = await measure(0, ['uncached']);
    await uncached.stop();
    return [...cached.figures, ...uncached.figures];
  },
};
