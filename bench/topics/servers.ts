import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { percentile } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { type Child, startChild } from '../load/child.ts';
import type { ClosedLoopPlan, ClosedLoopResult } from '../load/closed-loop.ts';
import type { Asked } from '../load/connection.ts';
import { createBenchWorld, drawQuestions, type Question, type World } from '../model/world.ts';
import { startBare } from '../peers/bare-server.ts';
import { startCerbos } from '../peers/cerbos.ts';
import { questionOf, startGatehouse } from '../peers/gatehouse-server.ts';
import { startOpenFga } from '../peers/openfga.ts';
import type { PeerServer } from '../peers/peer.ts';
import { processorMsOf, residentBytesOf } from '../peers/server-process.ts';
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

/** The variables that hold the paths of the others' binaries. */
const BINARIES: Partial<Readonly<Record<Name, string>>> = {
  openfga: 'OPENFGA',
  spicedb: 'SPICEDB',
  cerbos: 'CERBOS',
};

/** A quick run leaves out what is not told where it is: it takes less to see that nothing has become slow. */
const isAsked = (name: Name, quick: boolean): boolean =>
  !quick || BINARIES[name] === undefined || process.env[BINARIES[name]] !== undefined;

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

interface Trial {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  /** Microseconds of the server's processor time per answer. */
  readonly processor: number;
}

type Client = Child<ClosedLoopPlan, ClosedLoopResult>;
/** In the order of {@link TITLES}. */
type Servers = ReadonlyMap<Name, PeerServer>;

export const servers: Topic = {
  name: 'servers',
  title: 'the AuthZEN API, beside the servers of OpenFGA, SpiceDB and Cerbos',
  run: async ({ quick, log }) => {
    const size = quick ? QUICK : FULL;
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
    return withEngine(async (endpoint) => {
      const client: Client = startChild(new URL('../load/closed-loop.ts', import.meta.url));
      try {
        const cached = await withServers(names, world, TTL_SECONDS, endpoint, async (all) => {
          const measure = createMeasure(client, all, { hot, distinct });
          return [
            ...figuresOfStart(all),
            ...(await closedLoop(measure, ['hot', 'distinct'], size, log)),
            ...figuresOfMemory(all),
          ];
        });
        const uncached = await withServers(names, world, 0, endpoint, (all) =>
          closedLoop(createMeasure(client, all, { hot, distinct }), ['uncached'], size, log),
        );
        return [...cached, ...uncached];
      } finally {
        await client.stop();
      }
    });
  },
};

async function withServers<T>(
  names: readonly Name[],
  world: World,
  ttlSeconds: number,
  endpoint: string,
  use: (all: Servers) => Promise<T>,
): Promise<T> {
  const stops: (() => Promise<void>)[] = [];
  const staleness = { ttlSeconds };
  const starts: Readonly<Record<Name, () => Promise<PeerServer>>> = {
    gatehouse: () => startGatehouse(world, staleness, endpoint),
    openfga: () => startOpenFga(world, staleness),
    spicedb: () => startSpiceDb(world, staleness),
    cerbos: () => startCerbos(world),
    bare: () => startBare(questionOf),
  };
  try {
    const all = new Map<Name, PeerServer>();
    // One after the other: each is timed while it starts.
    for (const name of names) {
      const server = await starts[name]();
      stops.unshift(server.stop);
      all.set(name, server);
    }
    return await use(all);
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Asks one server some questions of a kind. */
interface Measure {
  readonly names: readonly Name[];
  /** Asks all hot questions once: what was cached may have run out while other servers were asked. */
  readonly warm: (name: Name, kind: Kind) => Promise<void>;
  readonly closed: (name: Name, kind: Kind, connections: number, count: number) => Promise<Trial>;
}

interface Questions {
  readonly hot: readonly Question[];
  readonly distinct: readonly Question[];
}

function createMeasure(client: Client, all: Servers, { hot, distinct }: Questions): Measure {
  /** How many distinct questions each server was asked. */
  const asked = new Map<Name, number>();
  const serverOf = (name: Name): PeerServer => all.get(name) as PeerServer;
  const next = (name: Name, kind: Kind, count: number): readonly Asked[] => {
    const from = kind === 'hot' ? 0 : (asked.get(name) ?? 0);
    const pool = kind === 'hot' ? hot : distinct;
    if (kind !== 'hot') asked.set(name, from + count);
    // Where all have been asked, the first ones come again: after far more than a cache's time-to-live.
    const { bodyOf, isConstant = false } = serverOf(name);
    return Array.from({ length: count }, (_, n) => {
      const question = pool[(from + n) % pool.length] as Question;
      return { body: bodyOf(question), allowed: isConstant || question.allowed };
    });
  };
  return {
    names: [...all.keys()],
    warm: async (name, kind) => {
      if (kind === 'uncached') return;
      await client.ask({
        target: serverOf(name).target,
        connections: 16,
        questions: next(name, 'hot', hot.length),
      });
    },
    closed: async (name, kind, connections, count) => {
      const { target, pid } = serverOf(name);
      const questions = next(name, kind, count);
      const before = processorMsOf(pid);
      const { seconds, latencies } = await client.ask({ target, connections, questions });
      return {
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        rate: count / seconds,
        processor: ((processorMsOf(pid) - before) * 1_000) / count,
      };
    },
  };
}

/** As many questions as take a server some seconds: first a guess, then by its last rate. */
const FIRST_COUNT = 200;
const WARM_UPS = 3;

async function closedLoop(
  { names, warm, closed }: Measure,
  kinds: readonly Kind[],
  { rounds, seconds }: typeof FULL,
  log: (line: string) => void,
): Promise<readonly Figure[]> {
  const trials = new Map<string, Trial[]>();
  const rates = new Map<string, number>();
  const countOf = (key: string): number => Math.ceil((rates.get(key) ?? FIRST_COUNT / seconds) * seconds);
  const attempt = async (name: Name, kind: Kind, connections: number): Promise<Trial> => {
    const key = keyOf(name, kind, connections);
    await warm(name, kind);
    const trial = await closed(name, kind, connections, countOf(key));
    rates.set(key, trial.rate);
    return trial;
  };
  for (const kind of kinds)
    for (const connections of CONNECTIONS)
      for (const name of names)
        for (let turn = 0; turn < WARM_UPS; turn++) await attempt(name, kind, connections);
  for (let round = 0; round < rounds; round++) {
    // The order alternates.
    for (const kind of kinds)
      for (const connections of CONNECTIONS)
        for (const name of round % 2 === 0 ? names : names.toReversed()) {
          const key = keyOf(name, kind, connections);
          trials.set(key, [...(trials.get(key) ?? []), await attempt(name, kind, connections)]);
        }
    log(`${kinds.join(', ')}: round ${round + 1} of ${rounds}`);
  }
  return kinds.flatMap((kind) => CONNECTIONS.flatMap((connections) => figuresOf(trials, kind, connections)));
}

const keyOf = (name: Name, kind: Kind, connections: number): string => `${name}-${kind}-${connections}`;

const UNITS = { p50: 'ms', p99: 'ms', rate: '/s', processor: 'µs' } as const;
const MEASURES = { p50: 'p50', p99: 'p99', rate: 'throughput', processor: 'processor time of the server' };

const figuresOf = (
  trials: ReadonlyMap<string, readonly Trial[]>,
  kind: Kind,
  connections: number,
): readonly Figure[] =>
  (Object.keys(UNITS) as (keyof Trial)[]).flatMap((measure) => {
    const of = (name: Name): readonly number[] =>
      (trials.get(keyOf(name, kind, connections)) ?? []).map((trial) => trial[measure]);
    return besidePeers(
      (name) => `${measure}-${keyOf(name, kind, connections)}`,
      (name) => `${TITLES[name]}, ${kind} questions, ${connections} at once: ${MEASURES[measure]}`,
      UNITS[measure],
      of,
    );
  });

/** The same figure of all servers, ours with its ratios to the others. Without values a server has none. */
const besidePeers = (
  idOf: (name: Name) => string,
  titleOf: (name: Name) => string,
  unit: string,
  valuesOf: (name: Name) => readonly number[],
): readonly Figure[] => {
  // Nothing is a multiple of a rate that nobody kept.
  const isComparable = (name: Name): boolean => valuesOf(name).some((value) => value > 0);
  return NAMES.flatMap((name) => {
    const values = valuesOf(name);
    if (values.length === 0) return [];
    const isCompared = name === 'gatehouse' && isComparable(name);
    const peers = isCompared ? NAMES.filter((peer) => peer !== name && isComparable(peer)) : [];
    return [
      toFigure({
        id: `servers.${idOf(name)}`,
        title: titleOf(name),
        unit,
        values,
        against: Object.fromEntries(peers.map((peer) => [idOf(peer), valuesOf(peer)])),
      }),
    ];
  });
};

const valuesOf = (value: number | undefined): readonly number[] => (value === undefined ? [] : [value]);

const figuresOfStart = (all: Servers): readonly Figure[] => [
  ...besidePeers(
    (name) => `start-${name}`,
    (name) => `${TITLES[name]}: from the start of its process until it serves`,
    'ms',
    (name) => valuesOf(all.get(name)?.startedInMs),
  ),
  ...besidePeers(
    (name) => `loading-${name}`,
    (name) => `${TITLES[name]}: loading the world by its API`,
    'ms',
    (name) => valuesOf(all.get(name)?.loadedInMs),
  ),
];

const MEBIBYTE = 1_024 ** 2;

const figuresOfMemory = (all: Servers): readonly Figure[] =>
  besidePeers(
    (name) => `memory-${name}`,
    (name) => `${TITLES[name]}: memory of its process after all of it`,
    'MiB',
    (name) => {
      const server = all.get(name);
      return server ? [residentBytesOf(server.pid) / MEBIBYTE] : [];
    },
  );
