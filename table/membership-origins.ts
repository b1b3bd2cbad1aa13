import { defined } from './defined.ts';
import { GatehouseError } from './errors.ts';

/**
 * Who gives a membership: an operator, by hand, and connections of identity providers. It ends with the last of them. A
 * connection whose user is not active there gives none for the time being: then it is suspended. The membership counts
 * while some origin does.
 */
export interface Origins {
  /** Ids of connections, and {@link BY_HAND}; in the order of their texts. None: by hand alone. */
  readonly origins?: readonly string[] | undefined;
  /** Those that do not count at present. */
  readonly suspended?: readonly string[] | undefined;
}

/** No connection has this id. */
export const BY_HAND = 'hand';

/** @throws GatehouseError `damaged_item` for what is no list of texts, or an empty one */
function textsOf(value: unknown, field: string): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value;
  throw new GatehouseError('damaged_item', `a membership has no list of ${field}`, { field });
}

/** The origins of a membership as its item has them. Throws `damaged_item`. */
export const readOrigins = ({ origins, suspended }: Readonly<Record<string, unknown>>): Origins =>
  originsOfSets(
    new Set(origins === undefined ? [BY_HAND] : textsOf(origins, 'origins')),
    new Set(suspended === undefined ? [] : textsOf(suspended, 'suspended')),
  );

/** All origins of a membership. */
export const originsOf = ({ origins = [BY_HAND] }: Origins): readonly string[] => origins;

/** The origins that count. */
export const originsInForce = (of: Origins): readonly string[] =>
  originsOf(of).filter((origin) => !of.suspended?.includes(origin));

/** Whether a membership counts. */
export const isInForce = (of: Origins): boolean => originsInForce(of).length > 0;

/** With an origin, suspended or not. */
export function withOrigin(of: Origins | undefined, origin: string, suspend = false): Origins {
  const suspended = new Set(of?.suspended ?? []);
  if (suspend) suspended.add(origin);
  else suspended.delete(origin);
  return originsOfSets(new Set([...(of ? originsOf(of) : []), origin]), suspended);
}

/** Without an origin; undefined where none is left. */
export function withoutOrigin(of: Origins, origin: string): Origins | undefined {
  const left = originsOf(of).filter((each) => each !== origin);
  return left.length === 0 ? undefined : originsOfSets(new Set(left), new Set(of.suspended ?? []));
}

/** In the one way in which they are written. */
function originsOfSets(origins: ReadonlySet<string>, suspended: ReadonlySet<string>): Origins {
  const all = [...origins].sort();
  const not = all.filter((origin) => suspended.has(origin));
  return defined({
    origins: all.length === 1 && all[0] === BY_HAND ? undefined : all,
    suspended: not.length === 0 ? undefined : not,
  });
}

export const hasOrigin = (of: Origins, origin: string): boolean => originsOf(of).includes(origin);

/** Whether an operator gives it: what manifests state. So is every edge that knows no origins. */
export const isByHand = (edge: Readonly<Record<string, unknown>>): boolean =>
  hasOrigin(readOrigins(edge), BY_HAND);
