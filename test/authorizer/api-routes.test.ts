import { describe, expect, it } from 'vitest';
import type { RouteRule } from '../../authorizer/index.ts';
import { apiRoutesId, createApiRoutes } from '../../authorizer/routes/api-routes.ts';
import { createLoad, type Plan } from '../../engine/load.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, edgeKey, partitionOf } from '../../table/keys.ts';
import { createClock } from '../support/world.ts';
import { createReadTable, decisionItem } from './support.ts';

/** The routes of an API, as an engine has them: cached under the revision that every change of a route rewrites. */
const TTL_MS = 60_000;
const REVISION = `getMany ${apiRevisionKey('shop').PK}`;
const ROUTES = `listAll ${partitionOf(apiRef('shop'))} ROUTE#`;

const route = (id: string, changes: Record<string, unknown> = {}): Item => ({
  ...edgeKey(apiRef('shop'), { type: 'route', id }),
  id,
  method: 'GET',
  path: `/${id}`,
  permission: 'page',
  scope: 'location:L1',
  ...changes,
});

/** One API with its routes, and what is loaded of them; `whileListed` happens between revision and routes. */
function setUp(items: readonly Item[]) {
  const clock = createClock();
  const table = createReadTable(items);
  const state = { whileListed: () => {} };
  const { load } = createLoad({
    reader: table.reader,
    clock,
    wait: clock.wait,
    random: () => 0,
    ttlMs: TTL_MS,
  });
  const listAll: typeof table.reader.listAll = async (query) => {
    const found = await table.reader.listAll(query);
    const happens = state.whileListed;
    state.whileListed = () => {};
    happens();
    return found;
  };
  const apiRoutes = createApiRoutes({ listAll });
  return {
    ...table,
    clock,
    state,
    /** Ids of the rules; null where the API has no revision. */
    rules: async () => {
      const plan: Plan<readonly RouteRule[] | null> = (look) => look.item(apiRoutes, apiRoutesId('shop'));
      const [found] = await load([plan], 'cached', (loaded) => loaded.map(({ value }) => value));
      return found?.map(({ id }) => id) ?? null;
    },
    /** Changes the revision, as every change of a route does. */
    revise: () => table.put(decisionItem(apiRevisionKey('shop'), { writtenAt: clock.now() })),
  };
}

const shop = (...routes: readonly Item[]) => [decisionItem(apiRevisionKey('shop')), ...routes];

describe('the routes of an API', () => {
  it('are read by one Query for each revision, and not for each request', async () => {
    const { clock, reads, rules } = setUp(shop(route('a'), route('b')));
    // The revision is seen once before the routes and once after them.
    expect(await rules()).toEqual(['a', 'b']);
    expect(reads.splice(0)).toEqual([REVISION, ROUTES, REVISION]);
    expect(await rules()).toEqual(['a', 'b']);
    expect(reads).toEqual([]);
    clock.advance(TTL_MS);
    expect(await rules()).toEqual(['a', 'b']);
    expect(reads).toEqual([REVISION]);
  });

  it('show an added and a deleted route within the time-to-live', async () => {
    const { clock, put, reads, remove, revise, rules } = setUp(shop(route('a')));
    await rules();
    clock.advance(1_000);
    put(route('b'));
    remove(route('a'));
    revise();
    clock.advance(TTL_MS - 1_002);
    expect(await rules()).toEqual(['a']);
    clock.advance(2);
    reads.length = 0;
    expect(await rules()).toEqual(['b']);
    expect(reads).toEqual([REVISION, ROUTES, REVISION]);
  });

  it('are read again if the revision changed during the read', async () => {
    const { put, reads, revise, rules, state } = setUp(shop(route('a')));
    state.whileListed = () => {
      put(route('a', { permission: 'other' }));
      put(route('b'));
      revise();
    };
    expect(await rules()).toEqual(['a', 'b']);
    expect(reads.filter((read) => read === ROUTES)).toHaveLength(2);
    expect(reads.at(-1)).toBe(REVISION);
  });

  it('are never used with another revision than the one they were read with, even a newer one', async () => {
    const { clock, remove, revise, rules, state } = setUp(shop(route('a'), route('b')));
    await rules();
    clock.advance(TTL_MS);
    revise();
    state.whileListed = () => {
      remove(route('b'));
      revise();
    };
    expect(await rules()).toEqual(['a']);
  });

  it('are none, and are not read, if the API has no revision, whatever its partition contains', async () => {
    const { reads, rules } = setUp([route('a')]);
    expect(await rules()).toBeNull();
    expect(reads).toEqual([REVISION]);
  });

  it('are none if it has a revision and no route', async () => {
    expect(await setUp(shop()).rules()).toEqual([]);
  });

  it('fail as a whole if one is of a form that a later release made', async () => {
    const { rules } = setUp(shop(route('a'), route('b', { v: 3, ofTomorrow: 'x' })));
    await expect(rules()).rejects.toMatchObject({ code: 'newer_form' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no id', { id: undefined }],
    ['no method', { method: '' }],
    ['an unknown method', { method: 'get' }],
    ['a path that cannot be read', { path: '/a//b' }],
    ['a path that is no text', { path: 7 }],
    ['a permission that cannot be read', { permission: 'a b' }],
    ['a scope that cannot be read', { scope: '{id}' }],
  ])('fail as a whole if one is damaged: %s', async (_, changes) => {
    const { rules } = setUp(shop(route('a'), route('b', changes)));
    await expect(rules()).rejects.toMatchObject({ code: 'damaged_item' });
  });
});
