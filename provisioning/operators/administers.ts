import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { rootTypes } from '../nodes/scope-types.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { Node } from '../plan.ts';
import { createHandsOn } from './handing-on.ts';

/**
 * Whether a user administers a root: is an administrator, or holds a permission of operators that counts there, by a role
 * that is held everywhere or in the root, or by a group in it. Validity in time is not looked at.
 */
export async function administers(reader: Reader, user: Node, root: string): Promise<boolean> {
  if (user.item.isAdmin === true) return true;
  const { edges, isIn } = await accessOf(reader, user, root);
  const holds = createHandsOn(reader, isOfOperators);
  const entity: Ref = user.ref;
  const found = edges
    .filter(({ Type, scope }) => Type === 'GlobalRole' || isIn.has(String(scope)))
    .map(({ Type, group, role, roles }) =>
      Type === 'Membership'
        ? holds('membership.create', { entity, after: { group } })
        : holds('grant.create', { entity, after: { role, roles } }),
    );
  return (await Promise.all(found)).includes(true);
}

/** Whether a user has a role that is held everywhere, or anything at a scope of another root. */
export async function hasAccessBeyond(reader: Reader, user: Node, root: string): Promise<boolean> {
  const { edges, isIn } = await accessOf(reader, user, root);
  return edges.some(({ Type, scope }) => Type === 'GlobalRole' || !isIn.has(String(scope)));
}

/** What gives a user access, and which of the scopes where that is are in the root. */
async function accessOf(reader: Reader, user: Node, root: string) {
  const types = await rootTypes(reader);
  const edges = await reader.listAll(edgesFrom(user.ref, 'assignment', 'role', 'group', ...types));
  const scopes = [...new Set(edges.map(({ scope }) => String(scope)))].filter(isRef);
  const nodes = await reader.getMany(scopes.map((scope) => nodeKey(parseRef(scope, 'scope'))));
  return { edges, isIn: new Set(scopes.filter((_, position) => nodes[position]?.root === root)) };
}
