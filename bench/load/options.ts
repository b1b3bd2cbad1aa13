import { parseArgs } from 'node:util';
import { messageOf } from '../../local/message-of.ts';
import type { Arrivals } from './schedule.ts';

/** The options of `npm run bench -- load-test`. */
export interface LoadRequest {
  /** Undefined: start a local stack. */
  readonly url: URL | undefined;
  readonly tokenFile: string | undefined;
  readonly paths: readonly string[];
  readonly pathFile: string | undefined;
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly exponent: number;
  readonly arrivals: Arrivals;
  readonly seed: number;
  readonly timeoutMs: number;
  /** Tolerated share of errors, 0 to 1. */
  readonly mostErrors: number;
}

/** Wrong options. The message is one line that says what to do. */
export class Misuse extends Error {}

/** Above `normal` only with --yes, above `most` never. */
const BOUNDS = {
  rate: { normal: 200, most: 5_000 },
  seconds: { normal: 300, most: 3_600 },
  connections: { normal: 100, most: 1_000 },
} as const;
/** Limit of one run, which keeps its schedule and all latencies in memory. */
const MOST_REQUESTS = 2_000_000;

const OPTIONS = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  path: { type: 'string', multiple: true },
  'path-file': { type: 'string' },
  rate: { type: 'string', default: '50' },
  seconds: { type: 'string', default: '30' },
  connections: { type: 'string', default: '50' },
  zipf: { type: 'string', default: '1' },
  arrivals: { type: 'string', default: 'poisson' },
  seed: { type: 'string', default: '1' },
  timeout: { type: 'string', default: '10' },
  'max-errors': { type: 'string', default: '1' },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export const HELP = `npm run bench -- load-test [--url URL --token-file FILE --path PATH ...] [options]

Sends GET requests at a rate and prints how long the answers took. Without --url it starts a local stack of its own
with its sample users. Exits with 1 when errors exceed --max-errors, with 2 for wrong options.

  --url URL            the API, e.g. https://abc.execute-api.eu-central-1.amazonaws.com
  --token-file FILE    one token per line; the first sends most requests (Zipf)
  --path PATH          a path to request, may be given several times; one is drawn for each request
  --path-file FILE     one path per line
  --rate N             requests per second: 50; beyond ${BOUNDS.rate.normal} with --yes, at most ${BOUNDS.rate.most}
  --seconds N          how long: 30; beyond ${BOUNDS.seconds.normal} with --yes, at most ${BOUNDS.seconds.most}
  --connections N      at once: 50; beyond ${BOUNDS.connections.normal} with --yes, at most ${BOUNDS.connections.most}
  --zipf N             exponent of the distribution over tokens: 1; 0: uniform
  --arrivals KIND      poisson (independent) or constant
  --timeout SECONDS    time-out of a request: 10
  --max-errors PERCENT requests that may fail (all but 2xx, 3xx and 403): 1
  --seed N             the same requests at the same instants: 1
  --yes                for more than is asked by mistake`;

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Misuse('--url is not the URL of an API');
  if (url.username || url.password || url.search || url.hash)
    throw new Misuse('--url takes no credentials, query or fragment: tokens are for --token-file');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new Misuse('--url is http: tokens are not sent in the clear to another machine, use https');
  return url;
}

/**
 * Reads the words after `npm run bench -- load-test`; undefined when they ask for help.
 *
 * @throws Misuse with the option at fault
 */
export function readLoadRequest(words: readonly string[]): LoadRequest | undefined {
  const given = parse(words);
  if (given.help) return undefined;
  const number = (name: keyof typeof given, least: number, most: number): number => {
    const value = Number(given[name]);
    if (String(given[name]).trim() === '' || !(value >= least && value <= most))
      throw new Misuse(`--${name} is not a number from ${least} to ${most}`);
    return value;
  };
  const bounded = (name: keyof typeof BOUNDS, least: number): number => {
    const { normal, most } = BOUNDS[name];
    const value = number(name, least, most);
    if (value > normal && !given.yes)
      throw new Misuse(`--${name} ${value} is more than ${normal}: if you mean it, add --yes`);
    return value;
  };
  const { arrivals, path: paths = [], 'path-file': pathFile, 'token-file': tokenFile } = given;
  if (arrivals !== 'poisson' && arrivals !== 'constant')
    throw new Misuse('--arrivals is neither poisson nor constant');
  const wrong = paths.find((path) => !isPath(path));
  if (wrong !== undefined) throw new Misuse(`--path ${wrong} is no path: it begins with / and has no blanks`);
  const url = given.url === undefined ? undefined : readUrl(given.url);
  if (url && tokenFile === undefined) throw new Misuse('--url needs --token-file: one token per line');
  if (url && paths.length === 0 && pathFile === undefined)
    throw new Misuse('--url needs --path or --path-file: what is to be asked for');
  if (!url && (tokenFile !== undefined || paths.length > 0 || pathFile !== undefined))
    throw new Misuse('--token-file, --path and --path-file need --url: the local stack has users of its own');
  const [rate, seconds, connections] = [
    bounded('rate', 0.1),
    bounded('seconds', 1),
    bounded('connections', 1),
  ];
  if (rate * seconds > MOST_REQUESTS)
    throw new Misuse(`--rate by --seconds are more than ${MOST_REQUESTS} requests: ask for less`);
  return {
    url,
    tokenFile,
    paths,
    pathFile,
    rate,
    seconds,
    connections: Math.floor(connections),
    arrivals,
    exponent: number('zipf', 0, 5),
    seed: Math.floor(number('seed', 0, 2 ** 32 - 1)),
    timeoutMs: number('timeout', 0.1, 60) * 1_000,
    mostErrors: number('max-errors', 0, 100) / 100,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch (error) {
    const [line] = messageOf(error).split('. ');
    throw new Misuse(`${line}; --help tells the options`);
  }
}

const isPath = (text: string): boolean => /^\/[!-~]*$/.test(text) && !text.includes('#');

const linesOf = (text: string): readonly (readonly [line: string, number: number])[] =>
  text
    .split(/\r?\n/)
    .map((line, place) => [line.trim(), place + 1] as const)
    .filter(([line]) => line !== '');

/** The tokens of a file. What is wrong with a line is said without the line. */
export function readTokens(text: string, file: string): readonly string[] {
  const lines = linesOf(text);
  if (lines.length === 0) throw new Misuse(`--token-file ${file} holds no token`);
  const wrong = lines.find(([line]) => !/^[!-~]+$/.test(line));
  if (wrong) throw new Misuse(`--token-file ${file}:${wrong[1]} is no token: one per line, without "Bearer"`);
  return lines.map(([line]) => line);
}

export function readPaths(text: string, file: string): readonly string[] {
  const lines = linesOf(text);
  if (lines.length === 0) throw new Misuse(`--path-file ${file} holds no path`);
  const wrong = lines.find(([line]) => !isPath(line));
  if (wrong) throw new Misuse(`--path-file ${file}:${wrong[1]} is no path: one per line, beginning with /`);
  return lines.map(([line]) => line);
}
