import { isMap } from '../../table/value.ts';
import type { Path, Problem } from './problem.ts';
import { isList, PEOPLE, SECTIONS, type Section, wordsOf } from './schema.ts';

/**
 * What is right in a manifest and stands in the wrong place: the problem says where it belongs, with a line to copy.
 */
type Data = Readonly<Record<string, unknown>>;

const at = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as Data | undefined)?.[step as string], data);

/** A value on one line of YAML; text that YAML may read as something else is in quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isMap(value)) {
    const entries = Object.entries(value).map(([key, each]) => `${flow(key)}: ${flow(each)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  const isPlain =
    typeof value === 'string' &&
    /^[A-Za-z][\w-]*(?: [\w-]+)*$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : (JSON.stringify(value) ?? 'null');
}

/** A line that long is not for copying. */
const MAX_LINE = 400;
const MAX_ASSIGNMENTS = 5;
const lineOf = (key: string, value: unknown): string => {
  const line = `${key}: ${flow(value)}`;
  return line.length > MAX_LINE ? `${key}: …` : line;
};

/** What gives access without dates. */
const DATELESS: Readonly<Record<string, string>> = {
  grants: 'a grant',
  groups: 'a membership',
  globalRoles: 'a global role',
};
const PERIOD = ['from', 'until'] as const;
const periodIn = (value: unknown): Data | undefined => {
  const found = isMap(value) ? PERIOD.filter((key) => value[key] !== undefined) : [];
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, (value as Data)[key]]));
};

const texts = (value: unknown): readonly string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');
/** Roles as somebody may write them: a name, names, or mappings of them. */
const rolesIn = (value: unknown): readonly string[] =>
  isMap(value) ? [...texts(value.roles), ...texts(value.role)] : texts(value);

/** Assignments that say what was meant by dates in what has none; empty where there are no dates. */
function datedIn(manifest: Data, kind: string, value: unknown): readonly Data[] {
  const assigned = (scope: string, roles: readonly string[], period: Data | undefined): readonly Data[] =>
    period ? (roles.length > 0 ? roles : ['ROLE']).map((role) => ({ role, scope, ...period })) : [];
  if (kind === 'grants' && isMap(value)) {
    const all = periodIn(value);
    return Object.entries(value)
      .filter(([scope]) => !all || !PERIOD.some((key) => key === scope))
      .flatMap(([scope, granted]) => [
        ...(all
          ? assigned(scope, rolesIn(granted), all)
          : assigned(scope, rolesIn(granted), periodIn(granted))),
        ...(Array.isArray(granted) ? granted : []).flatMap((each) =>
          assigned(scope, rolesIn(each), periodIn(each)),
        ),
      ]);
  }
  const [first = 'SCOPE'] = Object.keys(isMap(manifest.scopes) ? manifest.scopes : {});
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.filter(isMap).map((each) => [texts(each.name ?? each.group)[0] ?? '', each])
    : Object.entries(isMap(value) ? value : {});
  return entries.flatMap(([name, each]) => {
    const period = periodIn(each);
    if (kind === 'grants') {
      const { scope, tenant } = each as Data;
      return assigned(texts(scope ?? tenant)[0] ?? first, rolesIn(each), period);
    }
    if (kind === 'globalRoles') return assigned(first, name === '' ? rolesIn(each) : [name], period);
    const group = at(manifest, ['groups', name]);
    const { scope, roles } = isMap(group) ? group : {};
    return assigned(texts(scope)[0] ?? first, texts(roles), period);
  });
}

const isSection = (key: unknown): key is Section => SECTIONS.some((section) => section === key);

/** Where a key that its place does not know belongs. */
function homeOf(manifest: Data, path: Path): string | undefined {
  const [section, entry] = path;
  const key = String(path.at(-1));
  const value = at(manifest, path);
  if (path.length < 3) return undefined;
  if (isSection(key))
    return `${key} is a section of its own, at the top of the manifest: ${lineOf(key, value)}`;
  if (
    path.length === 3 &&
    PEOPLE.some((each) => each === section) &&
    ['role', 'scope', 'from'].includes(key)
  ) {
    const { role = 'ROLE', scope = 'SCOPE', ...rest } = at(manifest, path.slice(0, -1)) as Data;
    const line = lineOf('assignments', [{ role, scope, ...periodIn(rest) }]);
    return `${key} is of what is assigned: ${line}`;
  }
  const homes = SECTIONS.filter((each) => each !== section && wordsOf(each).includes(key));
  const [home] = homes;
  if (home === undefined || path.length > 3) return undefined;
  const line = lineOf(home, isList(home) ? [{ [key]: value }] : { [String(entry)]: { [key]: value } });
  return `${key} is of ${homes.join(', ')}: ${line}`;
}

/** The problems with where it belongs that stands in the wrong place. */
export function placed(manifest: Data, problems: readonly Problem[]): readonly Problem[] {
  const reported = new Set<string>();
  return problems.flatMap((problem): readonly Problem[] => {
    const { path, message } = problem;
    const [section, , kind] = path;
    const what = PEOPLE.some((each) => each === section) ? DATELESS[String(kind)] : undefined;
    if (what !== undefined) {
      const place = path.slice(0, 3);
      const dated = datedIn(manifest, String(kind), at(manifest, place));
      if (dated.length > 0) {
        const line = lineOf('assignments', dated.slice(0, MAX_ASSIGNMENTS));
        const isRepeated = reported.has(place.join('\n'));
        reported.add(place.join('\n'));
        return isRepeated ? [] : [{ path, message: `${what} has no dates, and an assignment has: ${line}` }];
      }
    }
    const isUnknown = message.startsWith('unknown key: ') && !message.includes('did you mean');
    const home = isUnknown ? homeOf(manifest, path) : undefined;
    const line = home?.slice(home.indexOf(': '));
    const isRepeated = line !== undefined && reported.has(`${path.slice(0, 2).join('\n')}${line}`);
    reported.add(`${path.slice(0, 2).join('\n')}${line}`);
    if (isRepeated) return [];
    return [home === undefined ? problem : { path, message: `unknown key: ${home}` }];
  });
}
