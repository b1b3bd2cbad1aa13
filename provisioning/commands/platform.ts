import { ENTITIES } from '../../table/entities/registry.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Command } from '../command.ts';
import { listAllCommand, listOwnedCommand } from '../kinds/lists.ts';
import { nodeCommands } from '../kinds/node-commands.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadScopeOf, rootOf } from '../nodes/nodes.ts';

/**
 * What a platform keeps of its customers and gives no rights: addresses, tools, products, services.
 */
const addressBehaviour: Behaviour = {
  onCreate: async (planning, _ref, { account }) => {
    await loadScopeOf(planning, 'account', String(account), 'account');
    return {};
  },
};

const toolBehaviour: Behaviour = {
  onCreate: async (planning, _ref, { workstream }) => {
    const place = await loadScopeOf(planning, 'workstream', String(workstream), 'workstream');
    return { derived: { root: formatRef(rootOf(place)) } };
  },
};

export const PLATFORM_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.address, behaviour: addressBehaviour },
  { entity: ENTITIES.tool, behaviour: toolBehaviour },
  { entity: ENTITIES.product, behaviour: {} },
  { entity: ENTITIES.service, behaviour: {} },
];

export const platformCommands: readonly Command[] = [
  ...PLATFORM_KINDS.flatMap(nodeCommands),
  listOwnedCommand('address', 'account'),
  listOwnedCommand('tool', 'workstream'),
  listAllCommand('product'),
  listAllCommand('service'),
];
