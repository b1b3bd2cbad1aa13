import { newGlobal } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict } from '../../table/errors.ts';
import { globalKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { partsOf } from '../edges/rights.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadNode } from '../nodes/nodes.ts';
import type { Planning } from '../plan.ts';

/** Pages and permissions: what can be checked. Registering one is data only, no deployment. */

/** The item of what holds everywhere comes with the first permission. */
const beginGlobal = async ({ reader }: Planning): Promise<readonly Action[]> =>
  (await reader.get(globalKey())) ? [] : [newGlobal()];

const pageBehaviour: Behaviour = {
  asRead: ['module'],
  check: async (planning, { module }) => {
    if (typeof module === 'string') await loadNode(planning, 'module', module, 'module');
  },
  onCreate: async (planning) => ({ actions: await beginGlobal(planning) }),
};

const permissionBehaviour: Behaviour = {
  onCreate: async (planning, ref) => ({
    actions: await beginGlobal(planning),
    derived: { ...partsOf(ref.id) },
  }),
};

/** Modules: one that is sold needs a subscription, wherever its permissions are checked. */
const moduleBehaviour: Behaviour = {
  asRead: ['soldBySubscription'],
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
