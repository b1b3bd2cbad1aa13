import { parseRef } from '../../table/identifiers.ts';
import { edgeKey, settingKey } from '../../table/keys.ts';
import type { Edge } from './edge.ts';
import { subject } from './rights.ts';

/** The edges that no check follows: they are there for lists. */
const WITHOUT_DECISIONS = { grant: [], revoke: [] } as const;

/** A user who works in a workstream (seed 002). It gives no rights: grants do. */
export function workstreamMember(of: { user: string; workstream: string; assignedAt: string }): Edge {
  const [u, w] = [subject(of.user), parseRef(of.workstream, 'workstream')];
  return {
    label: 'WorkstreamMember',
    keys: [edgeKey(u, w), edgeKey(w, u)],
    attributes: of,
    ends: [
      { ref: u, field: 'user' },
      { ref: w, field: 'workstream' },
    ],
    ...WITHOUT_DECISIONS,
  };
}

/** What an enterprise uses (seed 002, "Enterprise Product", "Enterprise Service"). */
export function enterpriseUse(
  type: 'product' | 'service',
  of: { enterprise: string; used: string; assignedAt: string },
): Edge {
  const [e, p] = [parseRef(of.enterprise, 'enterprise'), { type, id: of.used }];
  return {
    label: type === 'product' ? 'EnterpriseProduct' : 'EnterpriseService',
    keys: [edgeKey(e, p), edgeKey(p, e)],
    attributes: { enterprise: of.enterprise, [type]: of.used, assignedAt: of.assignedAt },
    ends: [
      { ref: e, field: 'enterprise' },
      { ref: p, field: type },
    ],
    ...WITHOUT_DECISIONS,
  };
}

export interface SettingOf {
  id: string;
  scope: string;
  key: string;
  value: string;
  valueType: string;
  isOverridable: boolean;
  description?: string | undefined;
  updatedBy?: string | undefined;
}

/** A setting of a scope or a user (seed 000), in their partition under its key. */
export function setting(of: SettingOf): Edge {
  const owner = parseRef(of.scope, 'scope');
  return {
    label: 'Setting',
    keys: [settingKey(owner, of.key)],
    attributes: { ...of },
    ends: [{ ref: owner, field: 'scope' }],
    ...WITHOUT_DECISIONS,
  };
}
