import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Path, Problem } from '../provisioning/apply/problem.ts';
import { plain } from '../table/visible-text.ts';
import { excessIn } from './yaml-bounds.ts';

/** A place in a text: lines and columns from 1, in units of UTF-16. The end is that of the line where it is left out. */
interface Place {
  readonly line: number;
  readonly column: number;
  /** Just after what is meant. */
  readonly endLine?: number;
  readonly endColumn?: number;
}

export interface Source {
  readonly file: string;
  readonly data: unknown;
  /** The place of what a path leads to (of an entry its key), or of the last node on that path. */
  readonly placeOf: (path: Path) => Place | undefined;
}

/** Something that is wrong with a text. It has no place where it is the text as a whole, or what is no text. */
export interface PlacedProblem extends Partial<Place> {
  readonly file: string;
  /** What it is about, such as `groups.teachers.roles[0]`. */
  readonly path?: string;
  readonly message: string;
}

/** The most problems of a file that are listed, and the most characters of each. */
const MAX_LISTED = 50;
const MAX_LENGTH = 400;

/** A file has errors; nothing was done. */
export class ProblemsError extends Error {
  override readonly name = 'ProblemsError';
  readonly problems: readonly PlacedProblem[];
  /** The first of them, for people. */
  readonly lines: readonly string[];
  constructor(problems: readonly PlacedProblem[]) {
    const all = new Set(problems.map(lineOf));
    const shown = [...all]
      .slice(0, MAX_LISTED)
      .map((line) => plain(line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line));
    const lines =
      all.size > MAX_LISTED ? [...shown, `… only the first ${MAX_LISTED} problems are listed`] : shown;
    super(lines.join('\n'));
    this.problems = problems;
    this.lines = lines;
  }
}

/** `school.yaml:12:5: groups.teachers.roles[0]: there is no role techer`. */
const lineOf = ({ file, path, message, ...place }: PlacedProblem): string =>
  [placeIn(file, place), ...(path === undefined ? [] : [path]), message].join(': ');

/** The most aliases of a file, and the most characters of its data when each alias is replaced by what it means. */
const MAX_ALIASES = 1_000;
const MAX_EXPANDED = 6_291_456;

interface Found {
  readonly offset: number;
  /** Offset just after it. */
  readonly end?: number | undefined;
  readonly message: string;
}

/** Reads a text as YAML, of which JSON is a part. Throws {@link ProblemsError}. */
export function readDocument(file: string, text: string): Source {
  if (text.length > MAX_EXPANDED)
    throw new ProblemsError([{ file, message: `is longer than ${MAX_EXPANDED} characters: divide it` }]);
  const lines = new LineCounter();
  const excess = excessIn(text);
  if (excess) throw new ProblemsError([{ file, ...startIn(text, excess.offset), message: excess.message }]);
  // The parser compares each key with all others of its mapping; `problemsIn` looks it up.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const placeAt = ({ offset, end }: Omit<Found, 'message'>): Place => {
    const { line, col } = lines.linePos(offset);
    if (end === undefined || end <= offset) return { line, column: col };
    const after = lines.linePos(end);
    return { line, column: col, endLine: after.line, endColumn: after.col };
  };
  const malformed = [...document.errors, ...document.warnings].map(
    ({ code, message, pos: [offset, end] }) => ({
      // Some positions are at the blanks before the token.
      offset: offset + (/^\s+(?=\S)/.exec(text.slice(offset, offset + 1_000))?.[0].length ?? 0),
      end,
      message: MESSAGES[code] ?? message,
    }),
  );
  const found: readonly Found[] = malformed.length > 0 ? malformed : problemsIn(document);
  if (found.length > 0)
    throw new ProblemsError(found.map(({ message, ...at }) => ({ file, ...placeAt(at), message })));
  const data: unknown = document.toJS({ maxAliasCount: -1 });
  if (sizeOf(data) > MAX_EXPANDED)
    throw new ProblemsError([
      { file, message: `its aliases expand to more than ${MAX_EXPANDED} characters` },
    ]);
  const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  return {
    file,
    data,
    placeOf: (path) => {
      const range = rangeIn(document, path, pairs);
      return range && placeAt(range);
    },
  };
}

/** What the parser says in words of its own. */
const MESSAGES: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  MULTIPLE_DOCS: 'a second document begins here: put each into a file of its own',
};

const startIn = (text: string, offset: number): Pick<Place, 'line' | 'column'> => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
};

/** The place of a node: its range without what follows it. */
const placed = (range: readonly number[] | null | undefined) => ({
  offset: range?.[0] ?? 0,
  end: range?.[1],
});

/** What is wrong with a document that is well-formed, in the order of the text and in one walk. */
function problemsIn(document: Document): readonly Found[] {
  const found: Found[] = [];
  const anchors = new Set<string>();
  let aliases = 0;
  const noted = ({ anchor }: { readonly anchor?: string | undefined }): void => {
    if (anchor !== undefined) anchors.add(anchor);
  };
  visit(document, {
    Value: (_, node) => noted(node),
    Alias: (_, { source, range }) => {
      const at = placed(range);
      if (++aliases > MAX_ALIASES) {
        found.push({ ...at, message: `there are more than ${MAX_ALIASES} aliases` });
        return visit.BREAK;
      }
      if (!anchors.has(source))
        found.push({
          ...at,
          message: `*${source} is an alias of nothing: put quotes around what begins with *`,
        });
      return undefined;
    },
    Map: (_, map) => {
      noted(map);
      // Compared as texts, which they become: `1` and "1" are one key.
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          const message = 'a key must be a text: no list, no mapping and no alias';
          found.push({ ...placed(isNode(key) ? key.range : map.range), message });
          continue;
        }
        const at = placed(key.range);
        const text = String(key.value);
        if (keys.has(text)) found.push({ ...at, message: 'the same key is above already' });
        keys.add(text);
        if (text === '<<' && key.type === 'PLAIN')
          found.push({ ...at, message: '<< merges nothing here: write out the entries that it stands for' });
        if (typeof key.value === 'number' && key.source !== String(key.value))
          found.push({ ...at, message: `${key.source} is the number ${key.value} here: put it in quotes` });
        if (key.value === '__proto__') found.push({ ...at, message: '__proto__ can be no name' });
      }
    },
  });
  return found;
}

/** Characters of data, shared parts counted as often as they occur; infinite where a part contains itself. */
function sizeOf(data: unknown, known = new Map<object, number>()): number {
  if (typeof data !== 'object' || data === null) return typeof data === 'string' ? data.length + 1 : 1;
  const before = known.get(data);
  if (before !== undefined) return before;
  known.set(data, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const [key, value] of Object.entries(data)) size += key.length + sizeOf(value, known);
  known.set(data, size);
  return size;
}

/** Follows the path as far as it goes: to the key of an entry, or to an element of a list. */
function rangeIn(
  document: Document,
  path: Path,
  pairs: WeakMap<YAMLMap, ReadonlyMap<string, Pair>>,
): ReturnType<typeof placed> | undefined {
  let node: unknown = document.contents;
  let found: ReturnType<typeof placed> | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const known = pairs.get(node) ?? pairsOf(node);
      pairs.set(node, known);
      const pair = known.get(String(step));
      if (!pair) break;
      if (isScalar(pair.key) && pair.key.range) found = placed(pair.key.range);
      node = pair.value;
    } else if (isSeq(node) && /^\d+$/.test(String(step))) {
      node = node.items[Number(step)];
      const range = (node as { range?: readonly number[] } | undefined)?.range;
      if (!range) break;
      found = placed(range);
    } else break;
  }
  return found;
}

const pairsOf = ({ items }: YAMLMap): ReadonlyMap<string, Pair> =>
  new Map(items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])));

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** `manifest.groups.teachers.roles[0]`; names with other characters than letters, digits, `_` and `-` are in brackets. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!PLAIN.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

const placeIn = (file: string, { line, column }: Partial<Place> = {}): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');

/** Where what a path leads to begins. */
export function startOf({ placeOf }: Source, path: Path): Pick<Place, 'line' | 'column'> | undefined {
  const place = placeOf(path);
  return place && { line: place.line, column: place.column };
}

/** `openapi.yaml:12:5`. */
export const placeText = ({ file, placeOf }: Source, path: Path): string => placeIn(file, placeOf(path));

/** Problems with their places, in the order of the text. */
export function placedIn({ file, placeOf }: Source, problems: readonly Problem[]): readonly PlacedProblem[] {
  const all = problems.map(
    ({ path, message }): PlacedProblem => ({
      file,
      ...placeOf(path),
      ...(path.length === 0 ? {} : { path: formatPath(path) }),
      message,
    }),
  );
  return all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** Throws {@link ProblemsError} with every problem, in the order of the file, unless there is none. */
export function assertNone(source: Source, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ProblemsError(placedIn(source, problems));
}
