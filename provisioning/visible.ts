import { BY_SCOPE } from '../table/decision/split.ts';
import { type Entity, INDEXES } from '../table/entities/entity.ts';
import { ENTITIES } from '../table/entities/registry.ts';
import { FORM } from '../table/form.ts';

/** Attributes of a node or an edge, as commands take and answer them. */
export type Attributes = Readonly<Record<string, unknown>>;

const INTERNAL: ReadonlySet<string> = new Set([
  'PK',
  'SK',
  'Type',
  FORM,
  'rev',
  'ttl',
  'owned',
  'counter',
  BY_SCOPE,
  ...Object.values(INDEXES).flatMap((index) => [`${index}PK`, `${index}SK`]),
]);

/** Attributes of all entities that are never shown: their names mean the same everywhere. */
const HIDDEN: ReadonlySet<string> = new Set(
  Object.values(ENTITIES as Readonly<Record<string, Entity>>).flatMap(({ secret = [], hidden = [] }) => [
    ...secret,
    ...hidden,
  ]),
);

/** What callers and the audit log see of an item: no keys, no bookkeeping, no secrets. Sets become lists. */
export const visible = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([attribute]) => !INTERNAL.has(attribute) && !HIDDEN.has(attribute))
      .map(([attribute, value]) => [attribute, value instanceof Set ? [...value].sort() : value]),
  );
