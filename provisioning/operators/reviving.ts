import { isSubjectNode } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { group } from '../edges/rights.ts';
import { hasEffect } from '../edges/role-effects.ts';
import type { AuditEntry } from '../plan.ts';
import { remembered } from '../remembered.ts';
import { holdsAny } from './administers.ts';
import { type createHandsOn, idsIn } from './handing-on.ts';

/** Commands that take a role or a group from a subject or a group. */
const TAKES = /^(?:grant|assignment|global-role|group-role|membership)\.(?:update|delete)$/;
const PERMISSIONS: ReadonlySet<string> = new Set(['permission', 'page']);
const DELETES = /\.delete(?:-tree)?$/;

/** Whether a subject may do from now on, or for longer, what it holds. */
const isOpened = (from: Item, to: Readonly<Record<string, unknown>>): boolean =>
  (from.status !== 'active' && to.status === 'active') ||
  (from.sourceActive === false && to.sourceActive !== false) ||
  (from.mandateOptional !== true && to.mandateOptional === true) ||
  endOf(from) < endOf(to);

const endOf = ({ endsAt }: Readonly<Record<string, unknown>>): number =>
  typeof endsAt === 'string' ? Date.parse(endsAt) : Number.POSITIVE_INFINITY;

/**
 * Whether a change hands nothing on, and yet somebody has a permission that counts once more or for longer: it opens a
 * subject, or takes away a DENY, or what made it win. Where that DENY is known, it is looked at.
 */
export function createRevives(
  reader: Reader,
  counts: (permission: unknown) => boolean,
  handsOn: ReturnType<typeof createHandsOn>,
) {
  const isDeny = ({ permission, effect }: Item) => effect === 'DENY' && counts(permission);
  const roleDenies = remembered((id: string) => hasEffect(reader, id, isDeny));
  const denies = async (ids: readonly string[]): Promise<boolean> =>
    (await Promise.all(ids.map(roleDenies))).includes(true);
  const groupDenies = remembered(async (id: string): Promise<boolean> => {
    const edges = await reader.listAll(edgesFrom(group(id), 'role'));
    return denies(edges.flatMap((edge) => idsIn(edge.role)));
  });

  return async (command: string, { entity, before, after = {} }: AuditEntry): Promise<boolean> => {
    if (TAKES.test(command)) {
      const kept = new Set(idsIn(after.roles));
      const taken = [...idsIn(before?.role), ...idsIn(before?.roles).filter((id) => !kept.has(id))];
      const groups = await Promise.all(idsIn(before?.group).map(groupDenies));
      return groups.includes(true) || denies(taken);
    }
    if (DELETES.test(command)) {
      if (entity.type === 'group') return groupDenies(entity.id);
      if (entity.type === 'role') return denies([entity.id]);
      // The same name may be registered again, and has none of its DENYs then.
      const isDenied = () => reader.listAll({ ...edgesFrom(entity, 'role'), keep: isDeny });
      return PERMISSIONS.has(entity.type) && (await isDenied()).length > 0;
    }
    if (!/\.(?:update|release)$/.test(command)) return false;
    const item = await reader.get(nodeKey(entity));
    if (!item) return false;
    // What a manifest carries says only what is given.
    const to = before ? after : { ...item, ...after };
    if (item.combination === 'deny-overrides' && to.combination !== 'deny-overrides') return true;
    if (entity.type === 'role') return to.parent !== item.parent && denies(idsIn(item.parent));
    return isSubjectNode(entity) && isOpened(item, to) && holdsAny(reader, { ref: entity, item }, handsOn);
  };
}
