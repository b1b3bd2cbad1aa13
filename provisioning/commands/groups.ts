import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import { viewsOf } from '../../table/view.ts';
import { type Command, readCommand } from '../command.ts';
import { addEdge, removeEdge } from '../edges/edge.ts';
import { ownership } from '../edges/kinds.ts';
import { type Behaviour, nodeCommands } from '../nodes/node-commands.ts';
import { allOf, listOwned, pageFields } from '../nodes/node-lists.ts';
import { loadScope, rootOf, textOf } from '../nodes/nodes.ts';

/** Groups: owned by the scope at which they stand. Their roles are repeated in that scope's decision item. */
const groupBehaviour: Behaviour = {
  tenantOf: (node) => parseRef(textOf(node.item, 'root'), 'root'),
  onCreate: async (planning, ref, { scope }) => {
    const owner = await loadScope(planning, String(scope), 'scope');
    const edge = ownership({ owner: owner.ref, owned: ref, field: 'scope' });
    const root = rootOf(owner);
    return {
      actions: addEdge(edge, planning.now, planning.writtenAt),
      derived: { root: formatRef(root) },
      tenant: root,
    };
  },
  onDelete: async (planning, node) => {
    const owner = parseRef(textOf(node.item, 'scope'), 'scope');
    return removeEdge(ownership({ owner, owned: node.ref, field: 'scope' }), planning.writtenAt);
  },
};

const listGroups = readCommand({
  name: 'group.list',
  summary: 'Lists groups, of one scope or all, page by page.',
  input: z.strictObject({ scope: field.ref.optional(), ...pageFields }),
  run: async ({ reader }, { scope, ...page }) =>
    scope === undefined
      ? viewsOf(await reader.list({ ...allOf('group'), ...page }))
      : listOwned(reader, parseScopeRef(scope, 'scope'), 'group', page),
});

export const groupCommands: readonly Command[] = [...nodeCommands('group', groupBehaviour), listGroups];
