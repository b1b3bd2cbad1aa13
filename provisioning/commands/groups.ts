import { scopeChanges } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import type { Command } from '../command.ts';
import { listOwnedCommand } from '../kinds/lists.ts';
import { nodeCommands } from '../kinds/node-commands.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadScope, rootOf, textOf } from '../nodes/nodes.ts';

/** Groups: owned by the scope at which they stand. Their roles are repeated in that scope's decision item. */
const groupBehaviour: Behaviour = {
  onCreate: async (planning, _ref, { scope }) => {
    const root = rootOf(await loadScope(planning, String(scope), 'scope'));
    return { derived: { root: formatRef(root) } };
  },
  // Without its roles a group gives nothing to its members.
  close: ({ ref, item }) => [scopeChanges(parseRef(textOf(item, 'scope'), 'scope')).removeGroup(ref.id)],
};

export const GROUP_KINDS: readonly NodeKind[] = [{ entity: ENTITIES.group, behaviour: groupBehaviour }];

export const groupCommands: readonly Command[] = [
  ...GROUP_KINDS.flatMap(nodeCommands),
  listOwnedCommand('group', 'scope'),
];
