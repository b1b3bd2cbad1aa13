import type { Random } from '../../test/proof/oracle/random.ts';
import { ASSUMED } from './assumptions.ts';

/** An execution environment. It serves one request at a time. */
export interface Environment {
  /** From 0, in the order of their starts. */
  readonly number: number;
  readonly version: number;
  /** Requests that it has begun. */
  requests: number;
  idleSince: number;
}

export interface PoolOptions<E extends Environment> {
  readonly now: () => number;
  readonly random: Random;
  readonly concurrency?: number;
  readonly create: (environment: Environment) => E;
}

/**
 * The environments of a function. A request gets an idle one of its version; otherwise a new one starts, within
 * what Lambda starts per second and the account's concurrency.
 */
export function createPool<E extends Environment>({ now, random, concurrency, create }: PoolOptions<E>) {
  const { most, perSecond } = ASSUMED.starts;
  const quota = concurrency ?? ASSUMED.concurrency;
  /** By version. */
  const idle = new Map<number, E[]>();
  let [starts, refilledAt] = [most as number, now()];
  let [created, busy, live, refused] = [0, 0, 0, 0];

  const idleOf = (version: number): E[] => {
    if (!idle.has(version)) idle.set(version, []);
    return idle.get(version) as E[];
  };

  return {
    /**
     * An environment for a request.
     *
     * @returns undefined where Lambda answers 429
     */
    take: (version: number): E | undefined => {
      const list = idleOf(version);
      if (busy >= quota) {
        refused += 1;
        return undefined;
      }
      if (list.length > 0) {
        // AWS does not say which.
        const place = random.below(list.length);
        const taken = list[place] as E;
        list[place] = list[list.length - 1] as E;
        list.pop();
        busy += 1;
        taken.requests += 1;
        return taken;
      }
      const instant = now();
      starts = Math.min(most, starts + ((instant - refilledAt) / 1_000) * perSecond);
      refilledAt = instant;
      if (starts < 1) {
        refused += 1;
        return undefined;
      }
      starts -= 1;
      busy += 1;
      live += 1;
      return create({ number: created++, version, requests: 1, idleSince: instant });
    },
    /** After the answer. */
    release: (environment: E): void => {
      busy -= 1;
      environment.idleSince = now();
      idleOf(environment.version).push(environment);
    },
    /** Ends the environments of a version that are idle, and those that were idle for too long. */
    end: (version: number | undefined, idleMs: number = ASSUMED.idleMs): void => {
      const since = now() - idleMs;
      for (const [of, list] of idle) {
        const kept = of === version ? [] : list.filter((each) => each.idleSince > since);
        live -= list.length - kept.length;
        idle.set(of, kept);
      }
    },
    counts: () => ({ created, busy, live, refused }),
  };
}
