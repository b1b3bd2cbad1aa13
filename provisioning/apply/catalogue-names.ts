import { isPermissionPattern } from '../../table/permission-name.ts';
import { inTurns } from '../in-turns.ts';
import type { Parsed } from './parse.ts';
import type { Queries } from './queries.ts';
import type { Manifest } from './schema.ts';
import { SECTION_OF } from './sections.ts';

/**
 * What belongs to no tenant can be left to another manifest: where a section is missing as a whole (modules, pages,
 * permissions, scope types, subject types), the names that the rest uses are looked up in the table.
 */
export async function withTableNames({ manifest, declared }: Parsed, queries: Queries): Promise<Manifest> {
  const exact = [
    ...Object.values(manifest.roles)
      .flatMap(({ allow, deny }) => [...allow, ...deny])
      .map(({ permission }) => permission)
      .filter((name) => !isPermissionPattern(name)),
    ...manifest.invariants.flatMap(({ separate = [], never = [] }) => [separate, never].flat()),
  ];
  const there = async (kind: string, used: readonly (string | null | undefined)[]) => {
    const names = [...new Set(used)].filter((name): name is string => typeof name === 'string');
    const rows = await inTurns(names, (name) => queries.read(`${kind}.read`, { name }));
    return Object.fromEntries(names.filter((_, position) => rows[position]).map((name) => [name, {}]));
  };
  const isNamed = (name: string) => name.includes(':');
  const used = {
    subjectTypes: Object.values(manifest.subjects).map(({ type }) => type),
    pages: exact.filter((name) => !isNamed(name)),
    permissions: exact.filter(isNamed),
    modules: [...Object.values(manifest.pages), ...manifest.subscriptions].map(({ module }) => module),
  };
  const whole: Manifest = { ...manifest };
  if (!declared.has('scopeTypes')) {
    const rows = await queries.list('scope-type.list', {});
    whole.scopeTypes = Object.fromEntries(
      rows.map(({ name, root, parents = [], children = [] }) => [String(name), { root, parents, children }]),
    ) as Manifest['scopeTypes'];
  }
  for (const section of ['subjectTypes', 'pages', 'permissions', 'modules'] as const)
    if (!declared.has(section)) whole[section] = await there(SECTION_OF[section].kind, used[section]);
  return whole;
}
