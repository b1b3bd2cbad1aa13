import { isId } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { group } from '../edges/rights.ts';
import { hasEffect } from '../edges/role-effects.ts';
import type { AuditEntry } from '../plan.ts';
import { remembered } from '../remembered.ts';

/** The ids in what should hold one, or several. */
export const idsIn = (value: unknown): readonly string[] =>
  [value].flat().filter((each) => typeof each === 'string' && isId(each)) as string[];

/** Commands that give a subject or a group what a role or a group has. */
const GIVES = new Set([
  'group-role.create',
  'assignment.create',
  'assignment.update',
  'grant.create',
  'grant.update',
  'global-role.create',
]);

/** Commands that put a subject into a group, or let others do so. */
const GIVES_GROUP = new Set(['membership.create', 'external-group.create', 'scim-group.members']);

/**
 * Whether a change hands on a permission that counts. Whoever may grant roles in a tenant may grant any role there but
 * those with permissions of operators: they need the right for what belongs to no tenant. Each way to a right is looked
 * at where it is opened, so a chain of changes opens none. Answers for one request, in which what was looked up once
 * holds.
 *
 * @param counts whether a permission or pattern counts; anything that is no text is none
 */
export function createHandsOn(reader: Reader, counts: (permission: unknown) => boolean) {
  const some = async <T>(all: readonly T[], test: (each: T) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(all.map(test))).some(Boolean);

  /** Whether a role, or one that it inherits from, has such a permission, allowed or denied. */
  const roleHas = remembered((id: string) => hasEffect(reader, id, ({ permission }) => counts(permission)));

  const groupHas = remembered(async (id: string) => {
    const edges: readonly Item[] = await reader.listAll(edgesFrom(group(id), 'role'));
    return some(
      edges.flatMap((edge) => idsIn(edge.role)),
      roleHas,
    );
  });

  const templateHas = remembered(async (id: string) => {
    const node = await reader.get(nodeKey({ type: 'role-template', id }));
    const lent = Array.isArray(node?.permissions) ? node.permissions : [];
    return lent.some((each) => counts((each as { permission?: unknown } | null)?.permission));
  });

  /** @param command that of the entry */
  return async (command: string, { before, after = {}, lent = [] }: AuditEntry): Promise<boolean> => {
    const had = new Set(idsIn(before?.roles));
    const roles = [...idsIn(after.role), ...idsIn(after.roles).filter((id) => !had.has(id))];
    if (GIVES.has(command)) return some(roles, roleHas);
    if (GIVES_GROUP.has(command)) return some(idsIn(after.group), groupHas);
    if (command === 'mandate.create') return [after.permissions].flat().some(counts);
    if (command === 'role-permission.create' || command === 'role-permission.update')
      return counts(after.permission);
    // Without its DENY, what another role allows counts again.
    if (command === 'role-permission.delete') return counts(before?.permission);
    // What was lent comes first: the template may be of the same transaction, or another one by now.
    if (lent.some(counts)) return true;
    if (command === 'role-template.apply')
      return [after.given].flat().some(counts) || some(idsIn(after.id), templateHas);
    if (command !== 'role.create' && command !== 'role.update') return false;
    const parents = after.parent === before?.parent ? [] : idsIn(after.parent);
    const templates = command === 'role.create' ? idsIn(after.customTemplateId) : [];
    return (await some(parents, (id) => roleHas(id))) || (await some(templates, templateHas));
  };
}
