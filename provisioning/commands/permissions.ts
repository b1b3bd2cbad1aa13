import { permissionChanges } from '../../table/decision/writes.ts';
import type { Ref } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import type { Command } from '../command.ts';
import { type Behaviour, nodeCommands } from '../nodes/node-commands.ts';
import { listAllCommand } from '../nodes/node-lists.ts';

/** Pages and permissions: what can be checked. Registering one is data only, no deployment (seed 003). */
const nameOf = (ref: Ref) => parsePermissionName(ref.id, 'name');

const permissionBehaviour: Behaviour = {
  onCreate: async (planning, ref) => ({
    actions: [permissionChanges(nameOf(ref), undefined, planning.writtenAt).register()],
  }),
  onDelete: async (_planning, node) => [{ kind: 'delete', key: decisionKey(node.ref) }],
};

export const permissionCommands: readonly Command[] = [
  ...nodeCommands('page', permissionBehaviour),
  listAllCommand('page'),
  ...nodeCommands('permission', permissionBehaviour),
  listAllCommand('permission'),
];
