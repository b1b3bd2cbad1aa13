import { parseRef } from '../../table/identifiers.ts';
import { settingKey } from '../../table/keys.ts';
import { between, type Edge } from './edge.ts';
import { subject } from './rights.ts';

/** The edges that no check follows: they are there for lists. */
const WITHOUT_DECISIONS = { entries: [] } as const;

/** A user who works in a workstream. It gives no rights: grants do. */
export function workstreamMember(of: { user: string; workstream: string; assignedAt: string }): Edge {
  const [u, w] = [subject(of.user), parseRef(of.workstream, 'workstream')];
  return {
    label: 'WorkstreamMember',
    ...between({ ref: u, field: 'user' }, { ref: w, field: 'workstream' }),
    attributes: of,
    ...WITHOUT_DECISIONS,
  };
}

/** What an enterprise uses. */
const enterpriseUse =
  <T extends string>(label: string, type: T) =>
  (of: Readonly<Record<'enterprise' | 'assignedAt' | T, string>>): Edge => ({
    label,
    ...between(
      { ref: parseRef(of.enterprise, 'enterprise'), field: 'enterprise' },
      { ref: { type, id: of[type] }, field: type },
    ),
    attributes: of,
    ...WITHOUT_DECISIONS,
  });

export const enterpriseProduct = enterpriseUse('EnterpriseProduct', 'product');
export const enterpriseService = enterpriseUse('EnterpriseService', 'service');

interface SettingOf {
  id: string;
  scope: string;
  key: string;
  value: string;
  valueType: string;
  isOverridable: boolean;
  description?: string | undefined;
  updatedBy?: string | undefined;
}

/** A setting of a scope or a user, in their partition under its key. */
export function setting(of: SettingOf): Edge {
  const owner = parseRef(of.scope, 'scope');
  return {
    label: 'Setting',
    field: 'key',
    keys: [settingKey(owner, of.key)],
    attributes: { ...of },
    ends: [{ ref: owner, field: 'scope' }],
    ...WITHOUT_DECISIONS,
  };
}
