import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES, entityOf } from '../../table/entities/registry.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { nameIn } from './labels.ts';

/** Fields of what was changed that hold the id of this type, or a reference. */
const ENDS: Readonly<Record<string, string>> = {
  user: 'user',
  group: 'group',
  role: 'role',
  scope: '',
  parent: '',
  tenant: '',
  root: '',
};

/** Names that one page takes: those of its first records. It bounds what they cost to read. */
const MAX_NAMES = 300;

/** The reference in a text that is one, or the id of this type; undefined for other texts. */
const refIn = (text: unknown, type: string): string | undefined => {
  if (typeof text !== 'string') return undefined;
  if (isRef(text)) return text;
  return type !== '' && isRef(`${type}:${text}`) ? `${type}:${text}` : undefined;
};

/** Who acted. */
const actorsIn = ({ actor, onBehalfOf, userId }: Item): readonly (string | undefined)[] => [
  refIn(actor, actor === userId ? 'user' : ''),
  refIn(onBehalfOf, ''),
];

/** What was changed, and what that leads to. An application may have written anything. */
function changedIn({ source, entityType, entityId, before, after }: Item): readonly (string | undefined)[] {
  if (source === 'application') return [];
  const changed = { ...(before as object), ...(after as object) } as Readonly<Record<string, unknown>>;
  return [
    refIn(`${entityType}:${entityId}`, ''),
    ...Object.entries(ENDS).map(([field, type]) => refIn(changed[field], type)),
  ];
}

/** Whether a node is of another tenant. The type of a subject or a scope may be an added one. */
function isOfAnother(tenant: string, ref: string, node: Item): boolean {
  const { type } = parseRef(ref, 'ref');
  const { inTenant }: Entity =
    entityOf(type) ?? (node.root === undefined ? ENTITIES.subject : ENTITIES.scope);
  const owner = node[inTenant?.tenant ?? 'root'];
  return typeof owner === 'string' && isRef(owner) && owner !== tenant;
}

/**
 * The names of what audit records speak of, by reference, read in one go; what is gone has none.
 *
 * @param tenant whose log that is: a user of another one may be in a group there, and is not named but as who acted
 */
export async function namesOfRecords(
  reader: Reader,
  records: readonly Item[],
  tenant: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  const all = records.flatMap((record) => [...actorsIn(record), ...changedIn(record)]);
  const refs = [...new Set(all.flatMap((ref) => ref ?? []))].slice(0, MAX_NAMES);
  const actors = new Set(records.flatMap(actorsIn));
  const nodes = await reader.getMany(refs.map((ref) => nodeKey(parseRef(ref, 'ref'))));
  return Object.fromEntries(
    refs.flatMap((ref, position) => {
      const node = nodes[position];
      const name = nameIn(node);
      if (!node || name === undefined) return [];
      if (tenant !== undefined && !actors.has(ref) && isOfAnother(tenant, ref, node)) return [];
      return [[ref, name] as const];
    }),
  );
}
