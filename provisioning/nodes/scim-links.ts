import { ENTITIES } from '../../table/entities/registry.ts';
import { stale } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, nodeKey } from '../../table/keys.ts';
import { ownedRef } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import { guardedValues, moveGuards } from './guards.ts';
import { textOf, touch } from './nodes.ts';

const LINK = ENTITIES['scim-user'];

/** The connection of a link, a credential or a user's source. */
export const connectionRef = (id: string): Ref => ({ type: 'scim-connection', id });

/** What a connection says of a user. */
export const linkRef = (connection: string, user: string): Ref => ({
  type: LINK.type,
  id: `${connection}:${user}`,
});

/** What a connection says of a group. */
export const groupLinkRef = (connection: string, group: string): Ref => ({
  type: ENTITIES['scim-group'].type,
  id: `${connection}:${group}`,
});

/** A link goes with its user: its copies, its guards and itself, as the copy in the user's partition says. */
export function removeLink(copy: Item): Action[] {
  const link = ownedRef(copy);
  const connection = connectionRef(textOf(copy, 'connection'));
  return [
    {
      kind: 'delete',
      key: nodeKey(link),
      when: { exists: true, equals: guardedValues(LINK, copy) },
      failure: () => stale('what a connection says of the user', 'id'),
    },
    ...moveGuards(LINK, link, copy, {}, ''),
    touch(connection, 'connection'),
    { kind: 'delete', key: edgeKey(connection, link) },
    { kind: 'delete', key: { PK: copy.PK, SK: copy.SK } },
  ];
}
