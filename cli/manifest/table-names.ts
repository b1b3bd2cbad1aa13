import { isPermissionPattern } from '../../table/permission-name.ts';
import type { ManifestFile } from './file.ts';
import { inTurns, type Look } from './look.ts';
import type { Manifest } from './schema.ts';

/**
 * What belongs to no tenant can be left to another manifest: where a section is missing as a whole (modules, pages,
 * permissions, scope types), the names that the rest uses are looked for in the table.
 */
export async function withTableNames({ manifest, declared }: ManifestFile, look: Look): Promise<Manifest> {
  const effects = Object.values(manifest.roles).flatMap(({ allow, deny }) => [...allow, ...deny]);
  const exact = effects.filter((name) => !isPermissionPattern(name));
  const there = async (kind: string, names: readonly (string | null | undefined)[]) => {
    const wanted = [...new Set(names)].filter((name): name is string => typeof name === 'string');
    const rows = await inTurns(wanted, (name) => look.read(`${kind}.read`, { name }));
    return Object.fromEntries(wanted.filter((_, position) => rows[position]).map((name) => [name, {}]));
  };
  const missing = (section: string) => !declared.has(section);
  const types = missing('scopeTypes')
    ? Object.fromEntries(
        (await look.list('scope-type.list', {})).map(({ name, root, parents, children }) => [
          String(name),
          { root, parents: parents ?? [], children: children ?? [] },
        ]),
      )
    : manifest.scopeTypes;
  const result = {
    ...manifest,
    scopeTypes: types as Manifest['scopeTypes'],
    ...(missing('pages')
      ? {
          pages: await there(
            'page',
            exact.filter((name) => !name.includes(':')),
          ),
        }
      : {}),
    ...(missing('permissions')
      ? {
          permissions: await there(
            'permission',
            exact.filter((name) => name.includes(':')),
          ),
        }
      : {}),
    ...(missing('modules')
      ? {
          modules: await there('module', [
            ...Object.values(manifest.pages).map(({ module }) => module),
            ...manifest.subscriptions.map(({ module }) => module),
          ]),
        }
      : {}),
  };
  return result as Manifest;
}
