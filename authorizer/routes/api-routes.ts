import type { Kind } from '../../engine/items.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, edgePrefix, partitionOf } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { parsePathTemplate, parseScopeTemplate, parseValueTemplate } from '../../table/route-template.ts';
import { boundIn, METHODS, type RouteRule } from './rule.ts';

/** The id of an API's routes in the engine's cache. No other kind has ids of this form. */
export const apiRoutesId = (api: string): string => `api:${api}`;

/**
 * The routes of an API as one item of decision inputs: the API's revision, with the routes as its members.
 * Every change of a route rewrites the revision; a deleted route leaves no other trace. One Query reads the
 * members.
 */
export const createApiRoutes = (reader: Pick<Reader, 'listAll'>): Kind<readonly RouteRule[]> => ({
  keyOf: (id) => apiRevisionKey(apiOf(id)),
  membersOf: (id) =>
    reader.listAll({ ranges: [{ partition: partitionOf(apiRef(apiOf(id))), prefix: edgePrefix('route') }] }),
  decode: (_, __, members) => members.map(toRule),
});

const apiOf = (id: string): string => id.slice(apiRoutesId('').length);

/** Throws for a damaged route: without it, a wider rule could match its paths. */
function toRule(item: Item): RouteRule {
  const text = (name: string): string => {
    const value = item[name];
    if (typeof value !== 'string' || value === '')
      throw new GatehouseError('damaged_item', `a stored route has no ${name}`);
    return value;
  };
  const method = text('method');
  if (!METHODS.has(method)) throw new GatehouseError('damaged_item', 'a stored route has an unknown method');
  try {
    const permission = parseValueTemplate(text('permission'), 'permission');
    const scope = parseScopeTemplate(text('scope'), 'scope');
    const segments = parsePathTemplate(text('path'), 'path');
    return { id: text('id'), method, segments, permission, scope, bound: boundIn(permission, scope) };
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'damaged_item') throw error;
    throw new GatehouseError('damaged_item', 'a stored route cannot be read', { cause: error });
  }
}
