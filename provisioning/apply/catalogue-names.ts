import { isPermissionPattern } from '../../table/permission-name.ts';
import { inTurns } from '../in-turns.ts';
import type { Parsed } from './parse.ts';
import type { Queries } from './queries.ts';
import type { Manifest } from './schema.ts';

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
  const modules = [...Object.values(manifest.pages), ...manifest.subscriptions].map(({ module }) => module);
  const there = async (kind: string, used: readonly (string | null | undefined)[]) => {
    const names = [...new Set(used)].filter((name): name is string => typeof name === 'string');
    const rows = await inTurns(names, (name) => queries.read(`${kind}.read`, { name }));
    return Object.fromEntries(names.filter((_, position) => rows[position]).map((name) => [name, {}]));
  };
  const types = async () => {
    const rows = await queries.list('scope-type.list', {});
    return Object.fromEntries(
      rows.map(({ name, root, parents = [], children = [] }) => [String(name), { root, parents, children }]),
    ) as Manifest['scopeTypes'];
  };
  const subjectTypes = Object.values(manifest.subjects).map(({ type }) => type);
  const isNamed = (name: string) => name.includes(':');
  const has = (section: keyof Manifest) => declared.has(section as never);
  return {
    ...manifest,
    ...(has('scopeTypes') ? {} : { scopeTypes: await types() }),
    ...(has('subjectTypes') ? {} : { subjectTypes: await there('subject-type', subjectTypes) }),
    ...(has('pages')
      ? {}
      : {
          pages: await there(
            'page',
            exact.filter((name) => !isNamed(name)),
          ),
        }),
    ...(has('permissions') ? {} : { permissions: await there('permission', exact.filter(isNamed)) }),
    ...(has('modules') ? {} : { modules: await there('module', modules) }),
  };
}
