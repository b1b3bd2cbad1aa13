import { isLongerThan } from '../../table/bytes.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { MAX_LEVELS, misshapen } from '../input.ts';
import { inPlainWords } from '../issues.ts';
import { isScopeName, pathProblem, unknownNames } from '../routes/fields.ts';
import { placed } from './misplaced.ts';
import { type Path, type Problem, problemsOf } from './problem.ts';
import { type Manifest, manifestSchema, PEOPLE, SECTIONS, type Section } from './schema.ts';

/** A manifest, and which of its sections were given, were it with nothing in them (`{}`, `[]`). */
export interface Parsed {
  readonly manifest: Manifest;
  readonly declared: ReadonlySet<Section>;
}

/** What one call takes, as JSON. */
const MAX_BYTES = 1_000_000;

/** What the reading of a manifest comes to. */
export interface ParseResult {
  /** Undefined where the schema refuses it. */
  readonly parsed: Parsed | undefined;
  /** All that is wrong as far as it can be seen without a table, but for references (references.ts). */
  readonly problems: readonly Problem[];
}

/** Reads a manifest from data that was JSON or YAML. */
export function parseManifest(data: unknown): ParseResult {
  const wrong = (message: string) => ({ parsed: undefined, problems: [{ path: [], message }] });
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return wrong('is no manifest: there is nothing in it');
  const shape = misshapen(data, MAX_LEVELS);
  if (shape) return { parsed: undefined, problems: [shape] };
  const tooMuch = excessOf(data);
  if (tooMuch !== undefined) return wrong(tooMuch);
  const raw = data as Readonly<Record<string, unknown>>;
  if ('tests' in raw) return wrong('holds model tests and is no manifest: see gatehouse test');
  if ('openapi' in raw || 'swagger' in raw)
    return wrong('is an OpenAPI document and no manifest: see gatehouse route import');
  const read = manifestSchema.safeParse(data, { error: inPlainWords });
  if (!read.success) return { parsed: undefined, problems: placed(raw, problemsOf(read.error)) };
  const declared = new Set(SECTIONS.filter((section) => raw[section] !== undefined && raw[section] !== null));
  if (declared.size === 0) return wrong(`says nothing: give ${SECTIONS.join(', ')}`);
  const manifest = read.data;
  return {
    parsed: { manifest, declared },
    problems: [...placeProblems(manifest), ...routeProblems(manifest), ...periodProblems(manifest)],
  };
}

/** Entries of all sections. A plan has as many steps at most, and each entry is looked for in the table. */
const MAX_ENTRIES = 20_000;

/** In which way data is more than one call takes; undefined where it is not. Counted before anything is made of it. */
export function excessOf(data: object): string | undefined {
  let entries = 0;
  for (const section of Object.values(data))
    if (typeof section === 'object' && section !== null) entries += Object.keys(section).length;
  if (entries > MAX_ENTRIES) return `has ${entries} entries, and one file holds ${MAX_ENTRIES}: divide it`;
  return isLongerThan(JSON.stringify(data), MAX_BYTES)
    ? `is longer than ${MAX_BYTES} bytes: divide it`
    : undefined;
}

/** What may be under what, as far as types are known that come with the table or with the manifest. */
function placeProblems({ scopes, scopeTypes }: Manifest): readonly Problem[] {
  const problems: Problem[] = [];
  const typeOf = (type: string) =>
    SCOPE_TYPES[type] ?? (Object.hasOwn(scopeTypes, type) ? scopeTypes[type] : undefined);
  for (const [name, { type, parent, combination }] of Object.entries(scopes)) {
    const own = typeOf(type);
    if (parent !== undefined && combination !== undefined)
      problems.push({ path: ['scopes', name, 'combination'], message: 'is chosen by the root of the tree' });
    if (!own) continue;
    const above = parent === undefined ? undefined : scopes[parent]?.type;
    if (parent === undefined && own.root !== true)
      problems.push({
        path: ['scopes', name],
        message: `a ${type} has a parent: ${own.parents.length > 0 ? `give parent, a ${own.parents.join(' or ')}` : 'give parent'}`,
      });
    const other = above === undefined ? undefined : typeOf(above);
    if (above !== undefined && other && !own.parents.includes(above) && !other.children?.includes(type))
      problems.push({ path: ['scopes', name, 'parent'], message: `a ${type} cannot stand under a ${above}` });
  }
  return problems;
}

function routeProblems({ routes }: Manifest): readonly Problem[] {
  return routes.flatMap(({ path, permission, scope }, position): readonly Problem[] => {
    const at: Path = ['routes', position];
    const problem = pathProblem(path);
    if (problem !== undefined) return [{ path: [...at, 'path'], message: `${path} ${problem}` }];
    const templates = isScopeName(scope) ? { permission } : { permission, scope };
    return Object.entries(templates).flatMap(([key, text]) =>
      unknownNames(path, text).map((name) => ({
        path: [...at, key],
        message: `${text} names {${name}}, which ${path} does not have`,
      })),
    );
  });
}

type Period = { readonly from?: string | null | undefined; readonly until?: string | null | undefined };

function periodProblems({ subscriptions, licenses, ...manifest }: Manifest): readonly Problem[] {
  const wrong = (path: Path, periods: readonly Period[]): readonly Problem[] =>
    periods.flatMap(({ from, until }, position) =>
      from && until && until <= from
        ? [{ path: [...path, position, 'until'], message: 'is not after from' }]
        : [],
    );
  return [
    ...wrong(['subscriptions'], subscriptions),
    ...wrong(['licenses'], licenses),
    ...PEOPLE.map((section) => [section, manifest[section]] as const).flatMap(([section, people]) =>
      Object.entries(people).flatMap(([name, { assignments }]) =>
        wrong([section, name, 'assignments'], assignments),
      ),
    ),
  ];
}
