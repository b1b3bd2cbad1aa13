import { describe, expect, it } from 'vitest';
import type { RouteRule } from '../../authorizer/index.ts';
import { apiRoutesId, createApiRoutes } from '../../authorizer/routes/api-routes.ts';
import { createLoad, type Plan } from '../../engine/load.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, edgeKey, partitionOf } from '../../table/keys.ts';
import { createClock } from '../support/world.ts';
import { createReadTable, decisionItem } from './support.ts';

/**
 * The routes of an API, as an engine has them: cached under the revision that every change of a route rewrites. How it
 * caches what has members: test/engine/item-cache.test.ts.
 */
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

/** One API with its routes, and what is loaded of them. */
function setUp(items: readonly Item[]) {
  const clock = createClock();
  const { reader, reads } = createReadTable(items);
  const { load } = createLoad({ reader, clock, wait: clock.wait, random: () => 0, ttlMs: TTL_MS });
  const apiRoutes = createApiRoutes(reader);
  /** Ids of the rules; null where the API has no revision. */
  const rules = async () => {
    const plan: Plan<readonly RouteRule[] | null> = (look) => look.item(apiRoutes, apiRoutesId('shop'));
    const [found] = await load([plan], 'cached', (loaded) => loaded.map(({ value }) => value));
    return found?.map(({ id }) => id) ?? null;
  };
  return { clock, reads, rules };
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

  it('are none, and are not read, if the API has no revision, whatever its partition contains', async () => {
    const { reads, rules } = setUp([route('a')]);
    expect(await rules()).toBeNull();
    expect(reads).toEqual([REVISION]);
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
