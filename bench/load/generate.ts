import { createRandom } from '../../test/proof/oracle/random.ts';
import { createZipf } from '../harness/draws.ts';
import {
  createSchedule,
  type Measured,
  type Outcome,
  runOpenLoop,
  type ScheduleOptions,
  type Time,
} from './open-loop.ts';
import { createSender } from './sender.ts';

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

export interface Plan {
  readonly url: string;
  /** The first one sends most requests. */
  readonly callers: readonly Caller[];
  /** Exponent of the Zipf distribution from which callers are drawn. */
  readonly exponent: number;
  readonly arrivals: ScheduleOptions['arrivals'];
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly seed: number;
}

export interface Generated extends Measured {
  /** Answers with an unexpected status. */
  readonly unexpected: number;
  /** The first few of them. */
  readonly examples: readonly string[];
}

const EXAMPLES = 5;

/** Runs a plan. The same seed gives the same requests at the same instants. */
export async function generate(
  plan: Plan,
  { signal, time }: { readonly signal?: AbortSignal; readonly time?: Time } = {},
): Promise<Generated> {
  const { callers, exponent, arrivals, rate, seconds, connections, timeoutMs, seed } = plan;
  const random = createRandom(seed);
  const schedule = createSchedule({ arrivals, rate, seconds, random });
  const drawCaller = createZipf(random, callers.length, exponent);
  const drawn = schedule.map(() => {
    const caller = callers[drawCaller() - 1] as Caller;
    return { token: caller.token, ask: random.pick(caller.asks) };
  });
  const { send, close } = createSender({ url: new URL(plan.url), connections, timeoutMs });
  const examples: string[] = [];
  let unexpected = 0;
  const ask = async (n: number): Promise<Outcome> => {
    const { token, ask: asked } = drawn[n] as (typeof drawn)[number];
    const outcome = await send({ path: asked.path, token });
    if ('status' in outcome && asked.expected && !asked.expected.includes(outcome.status)) {
      unexpected += 1;
      if (examples.length < EXAMPLES)
        examples.push(`${outcome.status} instead of ${asked.expected.join(' or ')}: ${asked.path}`);
    }
    return outcome;
  };
  try {
    const measured = await runOpenLoop({ schedule, seconds, connections, send: ask, signal, time });
    return { ...measured, unexpected, examples };
  } finally {
    close();
  }
}
