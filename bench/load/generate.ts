import * as http from 'node:http';
import * as https from 'node:https';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { createZipf } from '../harness/draws.ts';
import { createSchedule, type OpenLoopOptions, type Rate, runOpenLoop, TIMED_OUT } from './open-loop.ts';

export interface Ask {
  readonly path: string;
  /** Right statuses; any when left out. */
  readonly expected?: readonly number[];
}

/** A caller and its possible requests. */
export interface Caller {
  readonly token?: string;
  readonly asks: readonly Ask[];
}

export interface Plan extends Rate {
  /** Of the API; its path precedes those of the requests. */
  readonly url: string;
  /** The first one sends most requests. */
  readonly callers: readonly Caller[];
  /** Exponent of the Zipf distribution from which callers are drawn. */
  readonly exponent: number;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly seed: number;
}

export type Generated = Awaited<ReturnType<typeof generate>>;

const EXAMPLES = 5;

/** Runs a plan. The same seed gives the same requests at the same instants. */
export async function generate(plan: Plan, ending: Pick<OpenLoopOptions, 'signal' | 'time'> = {}) {
  const { url, callers, exponent, seconds, connections, timeoutMs, seed } = plan;
  const random = createRandom(seed);
  const schedule = createSchedule(plan, random);
  const drawCaller = createZipf(random, callers.length, exponent);
  const drawn = schedule.map(() => {
    const { token, asks } = callers[drawCaller() - 1] as Caller;
    return { token, ask: random.pick(asks) };
  });
  const { Agent } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** Answers with an unexpected status, and the first few of them. */
  let unexpected = 0;
  const examples: string[] = [];
  const send = async (n: number): Promise<string> => {
    const { token, ask } = drawn[n] as (typeof drawn)[number];
    const outcome = await get(`${url.replace(/\/$/, '')}${ask.path}`, token, agent, timeoutMs);
    const isWrong = ask.expected && Number(outcome) > 0 && !ask.expected.includes(Number(outcome));
    if (isWrong && ++unexpected <= EXAMPLES)
      examples.push(`${outcome} instead of ${ask.expected?.join(' or ')}: ${ask.path}`);
    return outcome;
  };
  const measured = await runOpenLoop({ schedule, seconds, connections, send, ...ending });
  agent.destroy();
  return { ...measured, unexpected, examples };
}

/** The status of an answer that was read to its end, or why there is none. Redirects are not followed. */
const get = (url: string, token: string | undefined, agent: http.Agent, timeoutMs: number): Promise<string> =>
  new Promise((resolve) => {
    const headers = { 'user-agent': 'gatehouse-load', ...(token && { authorization: `Bearer ${token}` }) };
    const failed = (error: NodeJS.ErrnoException): void =>
      resolve(error.name === 'AbortError' ? TIMED_OUT : (error.code ?? 'failed'));
    // `fetch` takes five times the processor time.
    const { get: send } = url.startsWith('https:') ? https : http;
    const options = { agent, headers, signal: AbortSignal.timeout(timeoutMs) };
    send(url, options, (answer) => {
      answer.on('error', failed);
      answer.on('end', () => resolve(String(answer.statusCode)));
      answer.resume();
    }).on('error', failed);
  });
