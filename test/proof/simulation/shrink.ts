import { fewest } from '../fewest.ts';
import type { Catalogue, Chosen } from './catalogue.ts';
import type { History } from './history.ts';
import { newTally, type Violation } from './record.ts';

/** A violation, with as little of its history as shows it. */
export interface Shrunk {
  readonly chosen: Chosen;
  readonly violation: Violation;
  /** What happens, line by line. */
  readonly lines: readonly string[];
}

/** After so many plays it is enough. */
const MOST_PLAYS = 600;

/**
 * Leaves out steps, then faults of calls, then whatever makes processes differ, as long as a violation of the same kind
 * stays.
 */
export async function shrink(catalogue: Catalogue, chosen: Chosen): Promise<Shrunk | undefined> {
  let plays = 0;
  const playOf = (history: History, spared: ReadonlySet<string>) => {
    plays += 1;
    return catalogue.play({ ...chosen, history }, newTally(), { spared });
  };
  const first = await playOf(chosen.history, new Set());
  const [violation] = first.violations;
  if (!violation) return undefined;
  const violates = async (history: History, spared: ReadonlySet<string>): Promise<boolean> =>
    plays < MOST_PLAYS &&
    (await playOf(history, spared)).violations.some(({ kind }) => kind === violation.kind);

  let { history } = chosen;
  const none = new Set<string>();
  history = {
    ...history,
    steps: await fewest(history.steps, (steps) => violates({ ...history, steps }, none)),
  };
  const { faulty } = await playOf(history, none);
  const kept = await fewest([...new Set(faulty)], (some) => violates(history, without(faulty, some)));
  const spared = without(faulty, kept);
  for (const simpler of simplerThan(history)) if (await violates(simpler, spared)) history = simpler;

  const lines: string[] = [];
  const onEvent = (at: number, text: string): void =>
    void lines.push(`${at.toFixed(2).padStart(11)} ${text}`);
  const shrunk = { ...chosen, history };
  const [last = violation] = (await catalogue.play(shrunk, newTally(), { spared, onEvent })).violations;
  return { chosen: shrunk, violation: last, lines };
}

const without = (all: readonly string[], some: readonly string[]): ReadonlySet<string> =>
  new Set(all.filter((each) => !some.includes(each)));

/** Histories in which one thing is as it is anywhere. */
function simplerThan(history: History): readonly History[] {
  return [
    { ...history, network: { ...history.network, delayMs: 2 } },
    { ...history, processes: history.processes.map((each) => ({ ...each, aheadMs: 0 })) },
    { ...history, processes: history.processes.map((each) => ({ ...each, maxBytes: undefined })) },
    { ...history, doClocksJump: false },
    { ...history, withOutages: false },
  ];
}
