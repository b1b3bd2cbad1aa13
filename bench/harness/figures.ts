import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pairedRatios, summarise } from './statistics.ts';

export type Pair = readonly [number, number];

export interface Figure {
  /** In its topic; `topic.name` in results, budgets and documents. */
  readonly id: string;
  readonly title: string;
  /** For example `ns`, `bytes`, `calls` or `/s`. */
  readonly unit: string;
  readonly median: number;
  readonly quartiles: Pair;
  /** Of a distribution: each value is one answer, not the mean of a round. */
  readonly p99?: number;
  /** By peer: the median over all rounds of this figure divided by the peer's. */
  readonly ratios: Readonly<Record<string, number>>;
  /** The quartiles of those ratios. */
  readonly ratioQuartiles: Readonly<Record<string, Pair>>;
}

/**
 * @param values one per round
 * @param against by peer: its values in the same rounds
 */
export function toFigure(
  id: string,
  title: string,
  unit: string,
  values: readonly number[],
  against: Readonly<Record<string, readonly number[]>> = {},
): Figure {
  const ratios = Object.entries(against).map(
    ([peer, theirs]) => [peer, summarise(pairedRatios(values, theirs))] as const,
  );
  return {
    id,
    title,
    unit,
    ...summarise(values),
    ratios: Object.fromEntries(ratios.map(([peer, { median }]) => [peer, median])),
    ratioQuartiles: Object.fromEntries(ratios.map(([peer, { quartiles }]) => [peer, quartiles])),
  };
}

/** By the name of a figure: its title, and the peers that it stands beside. */
export type Titled = Readonly<Record<string, readonly [title: string, ...peers: string[]]>>;

/** @param values of a figure or a peer, one per round */
export const figuresOf = (
  unit: string,
  titled: Titled,
  values: (name: string) => readonly number[],
): readonly Figure[] =>
  Object.entries(titled).map(([name, [title, ...peers]]) => {
    const against = Object.fromEntries(peers.map((peer) => [peer, values(peer)]));
    return toFigure(name, title, unit, values(name), against);
  });

/** What figures depend on. It does not identify the machine. */
export interface Environment {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly date: string;
  readonly commit?: string;
}

/** The figures of one topic and the machine that they were measured on. */
export interface TopicResults {
  readonly environment: Environment;
  readonly figures: readonly Figure[];
}

/** By topic. Each has its own environment, because topics are measured at different times. */
export type Results = Readonly<Record<string, TopicResults>>;

export function environmentNow(): Environment {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    date: new Date().toISOString(),
    ...(stdout && { commit: stdout.trim() }),
  };
}

/** The results with a topic measured anew, in the order of their names. */
export function withTopic(known: Results, topic: string, measured: TopicResults): Results {
  const all = Object.entries({ ...known, [topic]: measured });
  return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')));
}

const FILE = fileURLToPath(new URL('../results/latest.json', import.meta.url));

export const readResults = (): Results => JSON.parse(readFileSync(FILE, 'utf8'));

const SIGNIFICANT = 4;

/** Writes `bench/results/latest.json`, rounded to four digits, and returns what it wrote. */
export function writeResults(results: Results): Results {
  const short = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(SIGNIFICANT)) : value;
  const text = `${JSON.stringify(results, short, 2)}\n`;
  writeFileSync(FILE, text);
  return JSON.parse(text);
}
