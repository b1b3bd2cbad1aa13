import { createJudgeByEngine } from '../oracle/outcomes.ts';
import { createRandom } from '../oracle/random.ts';
import { type Callers, createCallers } from './callers.ts';
import { drawHistory, type Features, type History } from './history.ts';
import { mix } from './network.ts';
import { PLANTS, type Plant, type PlantName } from './plants.ts';
import { type Played, type PlayOptions, play } from './play.ts';
import { newTally, type Tally } from './record.ts';
import { historyOf, SCENES, STORIES, stage } from './stories.ts';
import { drawSmallWorld, furnish, type SmallNames, type World } from './worlds.ts';

/** One history of a run, ready to be played. */
export interface Chosen {
  readonly title: string;
  readonly history: History;
  readonly world: World;
  /** Of a random world. */
  readonly names?: SmallNames | undefined;
}

/** So many histories begin with the same few worlds. */
export const BLOCK = 240;
const KINDS = 20;
const STORY_KINDS = 3;
const SCENE_KINDS = 2;

/** What the history with this number is like: of twenty, three are stories and two are scenes. */
const featuresOf = (number: number): Features => ({
  nodes: number % 2 === 0,
  outages: number % 5 === 1,
  conditions: number % 4 === 3,
  tree: number % 8 === 6,
  splits: number % 3 === 0,
});

/**
 * The histories of a run by their numbers. Which one a number means follows from the seed of the run alone.
 *
 * @returns what chooses one, and what plays it
 */
export function createCatalogue(seed: number, plant?: PlantName) {
  const judge = createJudgeByEngine();
  const furnished = new Map<string, Promise<World>>();
  const worldOf = (name: string, operations: Parameters<typeof furnish>[0]): Promise<World> => {
    const world = furnished.get(name) ?? furnish(operations);
    furnished.set(name, world);
    return world;
  };
  let block = -1;
  const small = new Map<string, Promise<{ readonly names: SmallNames; readonly world: World }>>();
  /** Worlds of the block. */
  function smallWorldOf({ conditions, tree }: Features) {
    const name = `${conditions} ${tree}`;
    const make = async () => {
      const { names, operations } = drawSmallWorld(createRandom(mix(seed, block)), { conditions, tree });
      return { names, world: await furnish(operations) };
    };
    const world = small.get(name) ?? make();
    small.set(name, world);
    return world;
  }
  let callers: Promise<Callers> | undefined;

  async function choose(number: number): Promise<Chosen> {
    const own = mix(seed, number);
    const kind = number % KINDS;
    if (kind < STORY_KINDS) return choosePart(STORIES, number, (story) => historyOf(own, story));
    if (kind < STORY_KINDS + SCENE_KINDS) return choosePart(SCENES, number, (scene) => stage(own, scene));
    if (Math.floor(number / BLOCK) !== block) {
      block = Math.floor(number / BLOCK);
      small.clear();
    }
    const features = featuresOf(number);
    const { names, world } = await smallWorldOf(features);
    const having = Object.entries(features).flatMap(([name, isThere]) => (isThere ? [name] : []));
    return {
      title: ['by chance', ...having].join(', '),
      history: drawHistory(own, names, world.model, features),
      world,
      names,
    };
  }

  async function choosePart<T extends { readonly operations: Parameters<typeof furnish>[0] }>(
    parts: Readonly<Record<string, T>>,
    number: number,
    historyOf: (part: T) => History,
  ): Promise<Chosen> {
    const names = Object.keys(parts);
    const title = names[Math.floor(number / KINDS) % names.length] as string;
    const part = parts[title] as T;
    return { title, history: historyOf(part), world: await worldOf(title, part.operations) };
  }

  async function playChosen(
    { history, world, names }: Chosen,
    tally: Tally = newTally(),
    more: Partial<PlayOptions> = {},
  ): Promise<Played> {
    callers ??= names && createCallers(names);
    const all = await callers;
    const planted: Plant | undefined = plant && PLANTS[plant];
    return play({
      history,
      world,
      judge,
      tally,
      plant: planted,
      callers: names && all && { all, names },
      ...more,
    });
  }

  return { choose, play: playChosen };
}

export type Catalogue = ReturnType<typeof createCatalogue>;
