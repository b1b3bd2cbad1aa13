import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pairedRatios, percentile, summarise } from './statistics.ts';

export type Pair = readonly [number, number];

export interface Figure {
  /** `topic.name`: what budgets and documents know it by. */
  readonly id: string;
  readonly title: string;
  /** Of median, min, max, quartiles and p99: `ns`, `bytes`, `calls`, `/s`. */
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly quartiles: Pair;
  readonly p99?: number;
  /** This figure over that of a peer: the median of the ratios of all rounds. Below 1 is less than the peer. */
  readonly ratios: Readonly<Record<string, number>>;
  /** The quartiles of those ratios. */
  readonly ratioQuartiles: Readonly<Record<string, Pair>>;
}

export interface FigureOptions {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** A value for each round. */
  readonly values: readonly number[];
  /** By peer: its values in the same rounds. */
  readonly against?: Readonly<Record<string, readonly number[]>>;
  /** For distributions, where a value is one answer and not the mean of a round. */
  readonly withP99?: boolean;
}

export function toFigure({ id, title, unit, values, against = {}, withP99 = false }: FigureOptions): Figure {
  const ratios = Object.entries(against).map(
    ([peer, theirs]) => [peer, summarise(pairedRatios(values, theirs))] as const,
  );
  return {
    ...{ id, title, unit, ...summarise(values) },
    ...(withP99 ? { p99: percentile(values, 0.99) } : {}),
    ratios: Object.fromEntries(ratios.map(([peer, { median }]) => [peer, median])),
    ratioQuartiles: Object.fromEntries(ratios.map(([peer, { quartiles }]) => [peer, quartiles])),
  };
}

/** What figures depend on. Nothing in it says whose machine it was. */
export interface Environment {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly date: string;
  readonly commit?: string;
}

export interface Results {
  readonly environment: Environment;
  readonly figures: readonly Figure[];
}

function commitNow(): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

export function environmentNow(): Environment {
  const commit = commitNow();
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    date: new Date().toISOString(),
    ...(commit === undefined ? {} : { commit }),
  };
}

/**
 * The results with a topic's figures in the place of those it had before. Those of other topics stay if they were
 * taken on the same Node and processor: figures from two machines are not to stand in one table.
 */
export function withTopic(
  known: Results | undefined,
  topic: string,
  figures: readonly Figure[],
  environment: Environment,
): Results {
  const stray = figures.find(({ id }) => !id.startsWith(`${topic}.`));
  if (stray) throw new Error(`figure ${stray.id} is not named after the topic ${topic}`);
  const { node, cpu, cores } = environment;
  const isAlike =
    known?.environment.node === node && known.environment.cpu === cpu && known.environment.cores === cores;
  const others = isAlike ? known.figures.filter(({ id }) => !id.startsWith(`${topic}.`)) : [];
  const topicOf = ({ id }: Figure) => id.slice(0, id.indexOf('.'));
  const all = [...others, ...figures].sort((a, b) => topicOf(a).localeCompare(topicOf(b), 'en'));
  return { environment, figures: all };
}

const FILE = fileURLToPath(new URL('../results/latest.json', import.meta.url));

export function readResults(): Results | undefined {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const SIGNIFICANT = 4;

/** Writes `bench/results/latest.json`; more than four digits of a figure are noise. */
export function writeResults(results: Results): void {
  mkdirSync(fileURLToPath(new URL('../results', import.meta.url)), { recursive: true });
  const short = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(SIGNIFICANT)) : value;
  writeFileSync(FILE, `${JSON.stringify(results, short, 2)}\n`);
}
