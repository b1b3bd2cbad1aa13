import { describe, expect, it } from 'vitest';
import { createRouteTable, type RouteRule } from '../../authorizer/index.ts';
import { createClock, createDeferred, rule, settle } from './support.ts';

const FIRST = [rule('first', 'GET', '/')];
const SECOND = [rule('second', 'GET', '/')];

/** A table whose loads are answered by hand. */
function setUp(ttlMs = 60_000) {
  const clock = createClock();
  const loads: ReturnType<typeof createDeferred<readonly RouteRule[]>>[] = [];
  const failures: unknown[] = [];
  const table = createRouteTable({
    load: () => {
      const load = createDeferred<readonly RouteRule[]>();
      loads.push(load);
      return load.promise;
    },
    ttlMs,
    outageTtlMs: 0,
    clock,
    onRefreshFailed: (error) => failures.push(error),
  });
  const load = (number: number) => {
    const found = loads[number - 1];
    if (!found) throw new Error(`load ${number} was not started`);
    return found;
  };
  return { clock, failures, load, loads, table };
}

async function setUpLoaded(ttlMs?: number) {
  const parts = setUp(ttlMs);
  parts.table.warm();
  parts.load(1).resolve(FIRST);
  await settle();
  return parts;
}

describe('the route table', () => {
  it('loads nothing before it is told to', () => {
    expect(setUp().loads).toHaveLength(0);
  });

  it('is loaded at start and waited for by the first request', async () => {
    const { load, loads, table } = setUp();
    table.warm();
    const rules = table.rules();
    load(1).resolve(FIRST);
    expect(await rules).toBe(FIRST);
    expect(loads).toHaveLength(1);
  });

  it('answers without a promise when it has been loaded', async () => {
    const { table } = await setUpLoaded();
    expect(table.rules()).toBe(FIRST);
  });

  it('is left alone until half of its ttl, then refreshed behind the requests', async () => {
    const { clock, load, loads, table } = await setUpLoaded();
    clock.advance(29_999);
    expect(table.rules()).toBe(FIRST);
    expect(loads).toHaveLength(1);
    clock.advance(1);
    expect(table.rules()).toBe(FIRST);
    expect(table.rules()).toBe(FIRST);
    expect(loads).toHaveLength(2);
    load(2).resolve(SECOND);
    await settle();
    expect(table.rules()).toBe(SECOND);
  });

  it('is waited for when it is older than its ttl, by all requests together', async () => {
    const { clock, load, loads, table } = await setUpLoaded();
    clock.advance(60_000);
    const requests = [table.rules(), table.rules(), table.rules()];
    load(2).resolve(SECOND);
    expect(await Promise.all(requests)).toEqual([SECOND, SECOND, SECOND]);
    expect(loads).toHaveLength(2);
  });

  it('is as old as the beginning of its load', async () => {
    const { clock, load, loads, table } = setUp();
    table.warm();
    clock.advance(40_000);
    load(1).resolve(FIRST);
    await settle();
    clock.advance(20_000);
    const rules = table.rules();
    expect(loads).toHaveLength(2);
    load(2).resolve(SECOND);
    expect(await rules).toBe(SECOND);
  });

  it('keeps its rules through a failed refresh, but only until their ttl: then it is a fault', async () => {
    const { clock, failures, load, table } = await setUpLoaded();
    clock.advance(30_000);
    table.rules();
    const down = new Error('down');
    load(2).reject(down);
    await settle();
    expect(table.rules()).toBe(FIRST);
    expect(failures).toEqual([down]);
    clock.advance(29_999);
    expect(table.rules()).toBe(FIRST);
    load(3).reject(down);
    await settle();
    clock.advance(1);
    const rules = table.rules();
    load(4).reject(down);
    await expect(rules).rejects.toBe(down);
  });

  it('does not start a refresh with each request while refreshes fail', async () => {
    const { clock, load, loads, table } = await setUpLoaded();
    clock.advance(30_000);
    table.rules();
    load(2).reject(new Error('down'));
    await settle();
    clock.advance(3_749);
    table.rules();
    expect(loads).toHaveLength(2);
    clock.advance(1);
    table.rules();
    expect(loads).toHaveLength(3);
  });

  it('recovers with the next request', async () => {
    const { load, table } = setUp();
    const failing = table.rules();
    load(1).reject(new Error('down'));
    await expect(failing).rejects.toThrow('down');
    const rules = table.rules();
    load(2).resolve(FIRST);
    expect(await rules).toBe(FIRST);
  });

  it('does not fail a request for a load that failed before the request, as one at start may have', async () => {
    const { load, table } = setUp();
    table.warm();
    load(1).reject(new Error('frozen'));
    await settle();
    const rules = table.rules();
    load(2).resolve(FIRST);
    expect(await rules).toBe(FIRST);
  });

  it('gives a request a load of its own when the one under way fails or turns out too old', async () => {
    const failed = setUp();
    failed.table.warm();
    const afterFailure = [failed.table.rules(), failed.table.rules()];
    failed.load(1).reject(new Error('frozen'));
    await settle();
    failed.load(2).resolve(FIRST);
    expect(await Promise.all(afterFailure)).toEqual([FIRST, FIRST]);
    expect(failed.loads).toHaveLength(2);

    const late = setUp();
    late.table.warm();
    late.clock.advance(60_000);
    const afterThaw = late.table.rules();
    late.load(1).resolve(FIRST);
    await settle();
    late.load(2).resolve(SECOND);
    expect(await afterThaw).toBe(SECOND);
  });

  it('is read for every request when the ttl is 0', async () => {
    const { load, loads, table } = setUp(0);
    for (const number of [1, 2]) {
      const rules = table.rules();
      load(number).resolve(FIRST);
      expect(await rules).toBe(FIRST);
    }
    expect(loads).toHaveLength(2);
  });
});
