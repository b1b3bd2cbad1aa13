import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { rootTypes } from '../nodes/scope-types.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { Node } from '../plan.ts';
import { createHandsOn } from './handing-on.ts';

/** By what people log in. */
export const LOGIN = ['email', 'issuer', 'sub'] as const;

/**
 * Whether a user administers a root: is an administrator, or holds a permission of operators that counts there, by a role
 * that is held everywhere or in the root, or by a group in it. Validity in time is not looked at.
 */
export async function administers(reader: Reader, user: Node, root: string): Promise<boolean> {
  if (user.item.isAdmin === true) return true;
  const { edges, isIn } = await accessOf(reader, user, root);
  const inRoot = edges.filter(({ Type, scope }) => Type === 'GlobalRole' || isIn.has(String(scope)));
  return giveAny(createHandsOn(reader, isOfOperators), user.ref, inRoot);
}

/** Whether a user is an administrator, or holds anywhere a permission that counts. The same way. */
export async function holdsAny(reader: Reader, user: Node, handsOn: HandsOn): Promise<boolean> {
  return user.item.isAdmin === true || giveAny(handsOn, user.ref, await edgesOf(reader, user.ref));
}

type HandsOn = ReturnType<typeof createHandsOn>;

/** Whether any of these edges of a user gives a permission that counts. */
async function giveAny(handsOn: HandsOn, entity: Ref, edges: readonly Item[]): Promise<boolean> {
  const found = edges.map(({ Type, group, role, roles }) =>
    Type === 'Membership'
      ? handsOn('membership.create', { entity, after: { group } })
      : handsOn('grant.create', { entity, after: { role, roles } }),
  );
  return (await Promise.all(found)).includes(true);
}

/** Whether a user has a role that is held everywhere, or anything at a scope of another root. */
export async function hasAccessBeyond(reader: Reader, user: Node, root: string): Promise<boolean> {
  const { edges, isIn } = await accessOf(reader, user, root);
  return edges.some(({ Type, scope }) => Type === 'GlobalRole' || !isIn.has(String(scope)));
}

/** What gives a user access. */
async function edgesOf(reader: Reader, user: Ref): Promise<readonly Item[]> {
  return reader.listAll(edgesFrom(user, 'assignment', 'role', 'group', ...(await rootTypes(reader))));
}

/** The same, and which of the scopes where that is are in the root. */
async function accessOf(reader: Reader, user: Node, root: string) {
  const edges = await edgesOf(reader, user.ref);
  const scopes = [...new Set(edges.map(({ scope }) => String(scope)))].filter(isRef);
  const nodes = await reader.getMany(scopes.map((scope) => nodeKey(parseRef(scope, 'scope'))));
  return { edges, isIn: new Set(scopes.filter((_, position) => nodes[position]?.root === root)) };
}
