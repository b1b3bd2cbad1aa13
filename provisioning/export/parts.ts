import { byteLength } from '../../table/bytes.ts';
import { groupBy } from '../../table/group-by.ts';
import type { Row } from '../apply/entry.ts';
import { excessOf } from '../apply/parse.ts';
import { isList, NAMELESS, SECTIONS, type Section } from '../apply/schema.ts';
import { SECTION_OF } from '../apply/sections.ts';
import { canonicalManifest } from './canonical.ts';

/**
 * A manifest that is too large for one file, as parts that are applied one after the other. Each is a manifest by itself:
 * what an entry names is in its part too, described as in all others. So only an entry by itself has to fit.
 */

/** What one part holds at most: less than one file does, whose size is counted after it was read. */
export interface Bounds {
  /** As JSON. */
  readonly bytes: number;
  readonly entries: number;
  /** Changes that it comes to in an empty table. */
  readonly steps: number;
}

const BOUNDS: Bounds = { bytes: 950_000, entries: 15_000, steps: 8_000 };
/** More changes than that are not applied at once. */
const MOST_STEPS = 10_000;

interface Entry {
  readonly section: Section;
  /** Its name, or its position in a list. */
  readonly name: string;
  readonly of: Row;
  readonly uses: readonly Name[];
  readonly bytes: number;
  readonly steps: number;
}

type Name = readonly [section: Section, name: string];

const keyOf = ([section, name]: Name): string => `${section} ${name}`;
const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as readonly Row[]) : []);
const texts = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string');
const named =
  (section: Section) =>
  (name: string): Name => [section, name];

/** The permissions of `allow` and `deny`, and of an invariant. */
const permissionsOf = (of: Row): readonly string[] =>
  [of.allow, of.deny, of.separate, of.never]
    .flat()
    .flatMap((each) => texts(typeof each === 'object' && each !== null ? (each as Row).permission : each));

/** What an entry names. What is no entry of the manifest is not looked for. */
function usesOf(section: Section, of: Row): readonly Name[] {
  return [
    ...Object.entries(SECTION_OF[section].words).flatMap(([word, { to }]) =>
      to === undefined ? [] : texts(of[word]).map(named(to)),
    ),
    ...texts((of.except as Row | undefined)?.group).map(named('groups')),
    ...permissionsOf(of).flatMap((name) => [named('pages')(name), named('permissions')(name)]),
    ...rows(of.assignments).flatMap(({ scope, role }) => [
      named('scopes')(String(scope)),
      named('roles')(String(role)),
    ]),
    ...Object.entries((of.grants ?? {}) as Row).flatMap(([scope, roles]) => [
      named('scopes')(scope),
      ...texts(roles).map(named('roles')),
    ]),
  ];
}

/** In every part: all that is checked is checked against these. */
const HEAD: readonly Section[] = ['scopeTypes', 'subjectTypes', 'properties'];
/** In this order; settings of a person come with the person. */
const BODY = SECTIONS.filter((section) => !HEAD.includes(section));

const countIn = (...values: readonly unknown[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0),
    0,
  );

const stepsOf = (of: Row): number =>
  1 +
  countIn(of.allow, of.deny, of.roles, of.groups, of.assignments, of.grants, of.globalRoles) +
  Number(of.admin === true);

function entriesOf(manifest: Row, section: Section): readonly Entry[] {
  return Object.entries((manifest[section] ?? {}) as Readonly<Record<string, Row>>).map(([name, of]) => ({
    section,
    name,
    of,
    uses: usesOf(section, of),
    steps: stepsOf(of),
    bytes: byteLength(`${JSON.stringify(name)}:${JSON.stringify(of)},`),
  }));
}

/** Entries that go into one part: what has no name of its own is told apart by its place among its like. */
function unitsOf(all: ReadonlyMap<string, readonly Entry[]>): readonly (readonly Entry[])[] {
  const settings = groupBy(all.get('settings') ?? [], ({ of }) => of.user);
  return BODY.flatMap((section): readonly (readonly Entry[])[] => {
    const entries = (section === 'settings' ? settings.get(undefined) : all.get(section)) ?? [];
    if (section === 'users') return entries.map((each) => [each, ...(settings.get(each.name) ?? [])]);
    // All of one scope are compared together.
    if (NAMELESS.some((each) => each === section))
      return [...groupBy(entries, ({ of }) => of[String(SECTION_OF[section].by)]).values()];
    return entries.map((each) => [each]);
  });
}

const isRoot = ({ of }: Entry): boolean => of.parent === undefined;

/**
 * The parts of a manifest; the manifest itself where one file holds it.
 *
 * @throws Error where an entry with all that it names is too large for one part
 */
export function partsOf(manifest: Row, bounds?: Bounds): readonly Row[] {
  const most = bounds ?? BOUNDS;
  const sections = [...HEAD, ...BODY];
  const all = new Map(sections.map((section) => [section, entriesOf(manifest, section)]));
  const steps = [...all.values()].flat().reduce((sum, entry) => sum + entry.steps, 0);
  if (bounds === undefined && excessOf(manifest) === undefined && steps <= MOST_STEPS) return [manifest];
  const known = new Map([...all.values()].flat().map((entry) => [keyOf([entry.section, entry.name]), entry]));
  const roots = (all.get('scopes') ?? []).filter(isRoot);
  const head = [...HEAD.flatMap((section) => all.get(section) ?? []), ...(roots.length === 1 ? roots : [])];
  const isHomeSaid = roots.length === 1;
  const parts: Row[] = [];
  let part = createPart(head, known);
  for (const unit of unitsOf(all)) {
    if (part.isFull(unit, most)) {
      if (part.count() > head.length) parts.push(part.made(isHomeSaid));
      part = createPart(head, known);
      const [first] = unit;
      if (part.isFull(unit, most))
        throw new Error(`${first?.section} ${first?.name} is too large for a file, with all that it names`);
    }
    part.add(unit);
  }
  return [...parts, part.made(isHomeSaid)];
}

function createPart(head: readonly Entry[], known: ReadonlyMap<string, Entry>) {
  const inside = new Set<Entry>();
  let [bytes, steps] = [100, 0];
  /** These entries with all that they name, as far as the part does not have them. */
  function missing(unit: readonly Entry[]): ReadonlySet<Entry> {
    const found = new Set<Entry>();
    const visit = (entry: Entry): void => {
      if (inside.has(entry) || found.has(entry)) return;
      found.add(entry);
      for (const name of entry.uses) {
        const needed = known.get(keyOf(name));
        if (needed) visit(needed);
      }
    };
    for (const entry of unit) visit(entry);
    return found;
  }
  const add = (unit: readonly Entry[]): void => {
    for (const entry of missing(unit)) {
      inside.add(entry);
      bytes += entry.bytes;
      steps += entry.steps;
    }
  };
  add(head);
  return {
    add,
    count: () => inside.size,
    isFull: (unit: readonly Entry[], most: Bounds): boolean => {
      const more = [...missing(unit)];
      const sum = (of: 'bytes' | 'steps') => more.reduce((total, entry) => total + entry[of], 0);
      return (
        inside.size + more.length > most.entries ||
        bytes + sum('bytes') > most.bytes ||
        steps + sum('steps') > most.steps
      );
    },
    made: (isHomeSaid: boolean): Row => {
      const entriesIn = (section: Section): unknown => {
        const entries = [...inside].filter((entry) => entry.section === section);
        // A file with one tenant would say where somebody is at home.
        const isPerson = section === 'users' || section === 'subjects';
        const shown = entries.map(({ name, of }): [string, Row] => [
          name,
          isPerson && !isHomeSaid ? { tenant: null, ...of } : of,
        ]);
        return isList(section) ? shown.map(([, of]) => of) : Object.fromEntries(shown);
      };
      const ordered = [...HEAD, ...BODY]
        .map((section) => [section, entriesIn(section)] as const)
        .filter(([, of]) => Object.keys(of as object).length > 0);
      return { part: true, ...canonicalManifest(Object.fromEntries(ordered)) };
    },
  };
}
