import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { by, listCommand } from '../kinds/lists.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { loadRef, textOf } from '../nodes/nodes.ts';
import { connectionRef } from '../nodes/scim-links.ts';

const listLinks = listCommand({
  name: 'scim-user.list',
  summary: 'Lists the users of a connection, page by page.',
  by: [by({ connection: field.id }, ({ connection }) => ownedBy(connectionRef(connection), 'scim-user'))],
});

export const SCIM_USER: NodeKind = {
  entity: ENTITIES['scim-user'],
  behaviour: {
    onCreate: async (planning, _ref, { connection }) => {
      const { item } = await loadRef(planning, connectionRef(String(connection)), 'connection');
      return { derived: { root: textOf(item, 'scope'), made: false } };
    },
  },
  commands: [listLinks],
};
