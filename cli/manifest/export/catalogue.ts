import type { Row } from '../../../provisioning/apply/entry.ts';
import { typeOf } from '../../../provisioning/apply/scope-commands.ts';
import { isPermissionPattern } from '../../../table/permission-name.ts';
import { isStorable } from '../../../table/properties.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import type { Effects } from './roles.ts';
import type { Places } from './scopes.ts';

/** The sections of what belongs to no tenant, as far as it is used. */
export async function catalogueSections(
  { queries, options }: Exporting,
  { refs, types }: Places,
  effects: Effects,
  subscriptions: readonly Row[],
  subjects: Readonly<Record<string, Row>>,
): Promise<Row> {
  const used = new Set([...effects.values()].flat().map(({ permission }) => String(permission)));
  const isAll = options.roots === undefined;
  const isUsed = (name: unknown) => isAll || used.has(String(name));
  const patterns = [...used].filter(isPermissionPattern);
  const covered = (name: string) => patterns.some((pattern) => pattern === '*:*:*' || matches(pattern, name));
  const pages = (await queries.list('page.list', {})).filter(({ name }) => isUsed(name) || used.has('*:*:*'));
  const permissions = (await queries.list('permission.list', {})).filter(
    ({ name }) => isUsed(name) || covered(String(name)),
  );
  const usedModules = new Set<unknown>([
    ...pages.map(({ module }) => module),
    ...permissions.map(({ name }) => String(name).split(':')[0]),
    ...subscriptions.map(({ module }) => module),
  ]);
  const modules = (await queries.list('module.list', {})).filter(
    ({ name }) => isAll || usedModules.has(name),
  );
  // Conditions look at any of them.
  const hasConditions = [...effects.values()].flat().some(({ when }) => when !== undefined);
  const declared = isAll || hasConditions ? await queries.list('property.list', {}) : [];
  const usedTypes = new Set(refs.map(typeOf));
  const added = types.added.filter(({ name }) => isAll || usedTypes.has(String(name)));
  const typesOfSubjects = new Set(Object.values(subjects).map(({ type }) => type));
  const subjectTypes = (await queries.list('subject-type.list', {})).filter(
    ({ name }) => isAll || typesOfSubjects.has(name),
  );
  // Those that are decided at one of the scopes: by their own type, by the type of the scope, or by its reference.
  const isDecided = ({ name, scope = `${name}:{id}` }: Row) =>
    refs.includes(String(scope)) ||
    (String(scope).endsWith('}') && usedTypes.has(String(scope).split(':')[0] ?? ''));
  const resourceTypes = (await queries.list('resource-type.list', {})).filter(
    (type) => isAll || isDecided(type),
  );
  return {
    scopeTypes: byName(added, ({ root, parents, children, description }) => ({
      root: unless(root, false),
      parents,
      children,
      description,
    })),
    subjectTypes: byName(subjectTypes, ({ description }) => ({ description })),
    modules: byName(modules, ({ soldBySubscription, description }) => ({
      sold: unless(soldBySubscription, false),
      description,
    })),
    pages: byName(pages, ({ module, description }) => ({ module, description })),
    permissions: byName(permissions, ({ isDangerous, description }) => ({
      dangerous: unless(isDangerous, false),
      description,
    })),
    properties: [...declared]
      .sort(byId)
      .map(({ of, name, type, source, description }) =>
        kept({ of, name, type, source: isStorable(String(of)) ? source : undefined, description }),
      ),
    resourceTypes: byName(resourceTypes, ({ permission, actions, scope, description }) => ({
      permission,
      actions,
      scope,
      description,
    })),
  };
}

const byId = (a: Row, b: Row): number => (String(a.id) < String(b.id) ? -1 : 1);

const byName = (list: readonly Row[], fields: (row: Row) => Row): Row =>
  Object.fromEntries(
    [...list]
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
      .map((row) => [String(row.name), kept(fields(row))]),
  );

/** Whether a pattern of three parts covers a permission. */
function matches(pattern: string, name: string): boolean {
  const [parts, words] = [pattern.split(':'), name.split(':')];
  return words.length === 3 && parts.every((part, position) => part === '*' || part === words[position]);
}
