import { type Entity, INDEXES } from './entities/entity.ts';
import { ENTITIES } from './entities/registry.ts';
import type { Page } from './reader.ts';

/** What callers see of an item. */
export type View = Readonly<Record<string, unknown>>;

const INTERNAL: ReadonlySet<string> = new Set([
  ...['PK', 'SK', 'Type', 'rev', 'ttl', 'owned'],
  ...Object.values(INDEXES).flatMap((index) => [`${index}PK`, `${index}SK`]),
]);

/** Attributes of all entities that are never shown: their names mean the same everywhere. */
const HIDDEN: ReadonlySet<string> = new Set(
  Object.values(ENTITIES as Readonly<Record<string, Entity>>).flatMap(({ secret = [], hidden = [] }) => [
    ...secret,
    ...hidden,
  ]),
);

/** An item, or attributes, as callers and the log see them: without keys, bookkeeping and secrets. */
export const viewOf = (attributes: View): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([attribute]) => !INTERNAL.has(attribute) && !HIDDEN.has(attribute))
      .map(([attribute, value]) => [attribute, value instanceof Set ? [...value].sort() : value]),
  );

/** A page as callers see it. */
export const viewsOf = (page: Page<View>): Page<View> => ({
  items: page.items.map(viewOf),
  ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
});
