import { groupBy } from '../../table/group-by.ts';
import { parseRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';

/** The people who lose, or gain, the same permissions at a scope. */
export interface AccessRow {
  readonly scope: string;
  /** The name of the scope, where it has one. */
  readonly name?: string;
  /** Scopes below it at which the same people lose, or gain, the same. They have no rows of their own. */
  readonly scopesBelow: number;
  readonly people: number;
  /** Some of them, as `user:ID` or `TYPE:ID`. */
  readonly subjects: readonly string[];
  /** The first permissions, and how many there are beyond them. */
  readonly permissions: readonly string[];
  readonly morePermissions: number;
}

/** What people lose, or gain. People are subjects of all types. */
export interface AccessSide {
  /** How many people, at most 1,000; `more` says that it is more than that. */
  readonly people: number;
  readonly more: boolean;
  /** The rows of most people first, and how many there are beyond them. */
  readonly rows: readonly AccessRow[];
  readonly moreRows: number;
}

/**
 * How many people lose, or gain, in words: `3 people`, `at least 1 person`, `nobody`.
 *
 * @param isLeast whether the difference is incomplete, so that the number is the least that is certain
 */
export const peopleText = ({ people, more }: AccessSide, isLeast: boolean): string => {
  if (people === 0 && !more) return isLeast ? 'not known' : 'nobody';
  const number = `${people.toLocaleString('en')} ${people === 1 && !more ? 'person' : 'people'}`;
  return `${more ? 'more than ' : isLeast ? 'at least ' : ''}${number}`;
};

export const NOBODY: AccessSide = { people: 0, more: false, rows: [], moreRows: 0 };

const MOST_PEOPLE = 1_000;
const MOST_ROWS = 50;
const MOST_PERMISSIONS = 10;
const MOST_SUBJECTS = 10;

/** What some people lose, or gain, at a scope. */
export interface Loss {
  readonly scope: string;
  readonly parent: string | undefined;
  readonly people: readonly string[];
  readonly permissions: readonly string[];
}

/** A row as it is collected; `text` is the same for the same people and permissions. */
interface Row {
  readonly text: string;
  readonly people: readonly string[];
  readonly permissions: readonly string[];
  scopesBelow: number;
}

interface Place {
  readonly parent: string | undefined;
  readonly groups: (readonly string[])[];
  /** The positions in `groups` of those who lose a permission. */
  readonly losers: Map<string, number[]>;
}

/** Collects what people lose, or what they gain, and sums it up in a few rows. */
export function createSide() {
  const all = new Set<string>();
  const places = new Map<string, Place>();
  return {
    add: ({ scope, parent, people, permissions }: Loss): void => {
      if (permissions.length === 0) return;
      for (const each of people) all.add(each);
      const place: Place = places.get(scope) ?? { parent, groups: [], losers: new Map() };
      places.set(scope, place);
      const group = place.groups.push(people) - 1;
      for (const permission of permissions)
        place.losers.set(permission, [...(place.losers.get(permission) ?? []), group]);
    },
    /** @param reader of the state that has these scopes */
    sum: async (reader: Reader): Promise<AccessSide> => {
      const rows = collapsed(new Map([...places].map(([scope, place]) => [scope, rowsOf(place)])), places);
      rows.sort(([, a], [, b]) => b.people.length - a.people.length);
      const shown = rows.slice(0, MOST_ROWS);
      const nodes = await reader.getMany(shown.map(([scope]) => nodeKey(parseRef(scope, 'scope'))));
      return {
        people: Math.min(all.size, MOST_PEOPLE),
        more: all.size > MOST_PEOPLE,
        rows: shown.map(([scope, row], position) => rowOf(scope, nodes[position]?.name, row)),
        moreRows: rows.length - shown.length,
      };
    },
  };
}

const rowOf = (scope: string, name: unknown, { people, permissions, scopesBelow }: Row): AccessRow => ({
  scope,
  ...(typeof name === 'string' ? { name } : {}),
  scopesBelow,
  people: people.length,
  subjects: people.slice(0, MOST_SUBJECTS),
  permissions: permissions.slice(0, MOST_PERMISSIONS),
  morePermissions: Math.max(0, permissions.length - MOST_PERMISSIONS),
});

/** The permissions that the same people lose are one row. */
function rowsOf({ groups, losers }: Place): readonly Row[] {
  return [...groupBy(losers, ([, of]) => String(of)).values()].map((alike) => {
    const [, of = []] = alike[0] ?? [];
    const permissions = alike.map(([permission]) => permission);
    const people = of.flatMap((group) => groups[group] ?? []).sort();
    return { text: JSON.stringify([people, permissions]), people, permissions, scopesBelow: 0 };
  });
}

/** A row that the scope above has as well is counted there. */
function collapsed(
  rows: ReadonlyMap<string, readonly Row[]>,
  places: ReadonlyMap<string, Place>,
): [scope: string, row: Row][] {
  const same = (scope: string | undefined, { text }: Row): Row | undefined =>
    scope === undefined ? undefined : rows.get(scope)?.find((row) => row.text === text);
  const left: [string, Row][] = [];
  for (const [scope, here] of rows)
    for (const row of here) {
      let top: Row | undefined;
      let above = places.get(scope)?.parent;
      for (let found = same(above, row); found; found = same(above, row)) {
        top = found;
        above = places.get(String(above))?.parent;
      }
      if (top) top.scopesBelow += 1;
      else left.push([scope, row]);
    }
  return left;
}
