import { moduleChange, newGlobal, permissionChanges } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import { globalKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import type { Action } from '../../table/write/action.ts';
import { partsOf } from '../edges/rights.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { deleteDecision, loadNode } from '../nodes/nodes.ts';
import type { Node, Planning } from '../plan.ts';

/** Pages and permissions: what can be checked. Registering one is data only, no deployment. */
const changesOf = (ref: Ref) => permissionChanges(parsePermissionName(ref.id, 'name'), undefined);

/** The item of what holds everywhere comes with the first permission. */
const beginGlobal = async ({ reader }: Planning): Promise<readonly Action[]> =>
  (await reader.get(globalKey())) ? [] : [newGlobal()];

const unregister = ({ ref }: Node): readonly Action[] => [changesOf(ref).unregister()];

const pageBehaviour: Behaviour = {
  asRead: ['module'],
  onCreate: async (planning, ref, { module }) => {
    if (typeof module === 'string') await loadNode(planning, 'module', module, 'module');
    const changes = changesOf(ref);
    return {
      actions: [
        changes.register(),
        ...(typeof module === 'string' ? [changes.setModule(module)] : []),
        ...(await beginGlobal(planning)),
      ],
    };
  },
  onUpdate: async (planning, node, _after, { module }) => {
    if (module === undefined) return [];
    if (typeof module === 'string') await loadNode(planning, 'module', module, 'module');
    return [changesOf(node.ref).setModule(typeof module === 'string' ? module : undefined)];
  },
  close: unregister,
  onDelete: deleteDecision,
};

const permissionBehaviour: Behaviour = {
  onCreate: async (planning, ref) => ({
    actions: [changesOf(ref).register(), ...(await beginGlobal(planning))],
    derived: { ...partsOf(ref.id) },
  }),
  close: unregister,
  onDelete: deleteDecision,
};

/** Modules: one that is sold needs a subscription, wherever its permissions are checked. */
const moduleBehaviour: Behaviour = {
  onCreate: async (_planning, ref, { soldBySubscription }) => ({
    actions: soldBySubscription === true ? [moduleChange(ref.id, true)] : [],
  }),
  onUpdate: async (_planning, { ref }, _after, { soldBySubscription }) =>
    typeof soldBySubscription === 'boolean' ? [moduleChange(ref.id, soldBySubscription)] : [],
  keepsOwned: true,
  refuseDeletion: async (_planning, { item }) => {
    if (item.soldBySubscription === true) {
      throw conflict(
        'name',
        'the module is sold: without it everybody could use it. Set soldBySubscription to false first',
      );
    }
  },
};

export const PERMISSION_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.page, behaviour: pageBehaviour },
  { entity: ENTITIES.permission, behaviour: permissionBehaviour },
  { entity: ENTITIES.module, behaviour: moduleBehaviour },
];
