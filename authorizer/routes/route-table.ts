import type { Clock } from '../../engine/index.ts';
import { createBridge } from '../../engine/outage.ts';
import type { RouteRule } from './rule.ts';

export interface RouteTableOptions {
  /** Reads all rules. Throws on faults, a damaged rule among them. */
  readonly load: () => Promise<readonly RouteRule[]>;
  /** Milliseconds for which loaded rules may answer: how late a changed route is noticed. */
  readonly ttlMs: number;
  /** Milliseconds for which they may answer while DynamoDB is down; 0: no longer than `ttlMs`. */
  readonly outageTtlMs: number;
  readonly clock: Clock;
  /** Told of a refresh that failed while the rules at hand could still answer. */
  readonly onRefreshFailed?: (error: unknown) => void;
}

export interface RouteTable {
  /** Starts a load without waiting for it. A failure shows when the rules are asked for. */
  readonly warm: () => void;
  /** Rules no older than the ttl. Throws as `load` does when there are none. */
  readonly rules: () => readonly RouteRule[] | Promise<readonly RouteRule[]>;
}

/** After a refresh that failed, requests for this share of the ttl do not start another. */
const RETRY_SHARE = 1 / 16;

/**
 * The rules, kept in memory: refreshed behind a request when past half of their ttl, waited for when past
 * all of it. The age counts from when the load began. One load is under way at a time. Rules that could not
 * be refreshed answer until their ttl and no longer (after it, a route that was closed would stay open), unless an
 * operator has chosen a second bound for when DynamoDB is down.
 */
export function createRouteTable(options: RouteTableOptions): RouteTable {
  const { load, ttlMs, outageTtlMs, clock, onRefreshFailed } = options;
  const bridge = createBridge(clock);
  let held: { readonly rules: readonly RouteRule[]; readonly since: number } | undefined;
  let pending: Promise<readonly RouteRule[]> | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;

  async function read(since: number): Promise<readonly RouteRule[]> {
    const loaded = await load();
    // The same list as long as nothing changed: what was worked out from it stays good.
    const rules = held && JSON.stringify(held.rules) === JSON.stringify(loaded) ? held.rules : loaded;
    held = { rules, since };
    return rules;
  }

  function start(): Promise<readonly RouteRule[]> {
    if (pending === undefined) {
      startedAt = clock.now();
      pending = read(startedAt).finally(() => {
        pending = undefined;
      });
    }
    return pending;
  }

  const within = (ageMs: number, now: number): readonly RouteRule[] | undefined =>
    held !== undefined && now < held.since + ageMs ? held.rules : undefined;

  /**
   * A load that was under way before this request may be one that a frozen Lambda began minutes ago: its
   * failure, or an answer that is old by now, is not held against the request, which gets a load of its own.
   */
  async function wait(): Promise<readonly RouteRule[]> {
    const other = pending;
    if (other !== undefined) {
      await other.catch(() => undefined);
      const rules = within(ttlMs, clock.now());
      if (rules) return rules;
    }
    return start();
  }

  return {
    warm: () => {
      start().catch(() => undefined);
    },
    rules: () => {
      const now = clock.now();
      const rules = within(ttlMs, now);
      if (rules === undefined || held === undefined)
        return bridge(now, wait, (later) => within(outageTtlMs, later));
      const isDue = now >= held.since + ttlMs / 2 && now >= startedAt + ttlMs * RETRY_SHARE;
      if (isDue && pending === undefined) start().catch(onRefreshFailed ?? (() => undefined));
      return rules;
    },
  };
}
