import { readFile } from 'node:fs/promises';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Path, Problem } from '../provisioning/apply/problem.ts';

interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Source {
  readonly file: string;
  readonly data: unknown;
  /** Line and column, from 1, of what a path leads to, or of the last node on that path. */
  readonly placeOf: (path: Path) => Place | undefined;
}

/** A file has errors; nothing was done. */
export class ProblemsError extends Error {
  override readonly name = 'ProblemsError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** Aliases may repeat parts of a file, but not expand without limit. */
const MAX_ALIASES = 100;

/** The error of a file that cannot be read. */
export const unreadable = (file: string, { code, message }: NodeJS.ErrnoException): ProblemsError =>
  new ProblemsError([`${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`]);

/** The text of a file that a person named. Throws {@link ProblemsError}. */
export const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    throw unreadable(file, fault);
  });

/** Reads a text as YAML, of which JSON is a part. Throws {@link ProblemsError}. */
export function readDocument(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const found = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => ({
    // Some positions are at the blanks before the token.
    place: placeAt(offset + (/^\s+(?=\S)/.exec(text.slice(offset))?.[0].length ?? 0)),
    message: code === 'DUPLICATE_KEY' ? 'the same key is above already' : message,
  }));
  if (found.length === 0) {
    visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document) === undefined)
          found.push({
            place: placeAt(alias.range?.[0] ?? 0),
            message: `*${alias.source} is an alias of nothing: put quotes around what begins with *`,
          });
      },
      Pair: (_, { key }) => {
        if (isScalar(key) && key.value === '__proto__')
          found.push({ place: placeAt(key.range?.[0] ?? 0), message: '__proto__ can be no name' });
      },
    });
  }
  if (found.length > 0)
    throw new ProblemsError(found.map((each) => `${placeIn(file, each.place)}: ${each.message}`));
  const offsetOf = (path: Path) => offsetIn(document, path);
  return {
    file,
    data: toData(file, document),
    placeOf: (path) => {
      const offset = offsetOf(path);
      return offset === undefined ? undefined : placeAt(offset);
    },
  };
}

function toData(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ProblemsError([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Follows the path as far as it goes: to the key of an entry, or to an element of a list. */
function offsetIn(document: Document, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && /^\d+$/.test(String(step))) {
      node = node.items[Number(step)];
      const range = (node as { range?: readonly number[] } | undefined)?.range;
      if (!range) break;
      offset = range[0];
    } else break;
  }
  return offset;
}

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** `manifest.groups.teachers.roles[0]`; names with other characters than letters, digits, `_` and `-` are in brackets. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!PLAIN.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

const placeIn = (file: string, place: Place | undefined): string =>
  `${file}${place ? `:${place.line}:${place.column}` : ''}`;

/** `openapi.yaml:12:5`. */
export const placeText = ({ file, placeOf }: Source, path: Path): string => placeIn(file, placeOf(path));

/** Throws {@link ProblemsError} with every problem, in the order of the file, unless there is none. */
export function assertNone(source: Source, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const placed = problems.map((problem) => ({ ...problem, place: source.placeOf(problem.path) }));
  placed.sort(
    ({ place: a }, { place: b }) => (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0),
  );
  const lines = placed.map(({ path, place, message }) =>
    [placeIn(source.file, place), ...(path.length === 0 ? [] : [formatPath(path)]), message].join(': '),
  );
  throw new ProblemsError([...new Set(lines)]);
}
