import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { refuseEmptyPeriod } from '../edges/rules.ts';
import { isOpen } from '../kinds/entries.ts';
import { by, listCommand, ofStatus, ownedByScope } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadNode, loadScope, loadScopeOf, rootOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/**
 * Subscriptions to modules and licences for enterprises: what a check asks for before it looks at roles
 * (step 5 of a decision). The scope's decision item lists those that count.
 */
const shared = (rootFor: (planning: Planning, attributes: Attributes) => Promise<Ref>): Behaviour => ({
  check: async (_planning, _changes, after) => refuseEmptyPeriod(after, 'startDate', 'endDate'),
  onCreate: async (planning, _ref, attributes) => ({
    derived: { root: formatRef(await rootFor(planning, attributes)) },
  }),
  // Together they are one value in the decision item.
  asRead: ['status', 'startDate', 'endDate'],
});

const subscriptionBehaviour = shared(async (planning, { scope, module }) => {
  await loadNode(planning, 'module', String(module), 'module');
  return rootOf(await loadScope(planning, String(scope), 'scope'));
});

const licenseBehaviour = shared(async (planning, { account, enterprise }) => {
  const holder = await loadScopeOf(planning, 'account', String(account));
  await loadScopeOf(planning, 'enterprise', String(enterprise));
  return holder.ref;
});

/** Whether a subscription counts at an instant, as a check takes it. */
const isInForce =
  (at: number) =>
  ({ status, startDate, endDate }: Attributes): boolean =>
    isOpen(status) &&
    (typeof startDate !== 'string' || Date.parse(startDate) <= at) &&
    (typeof endDate !== 'string' || at < Date.parse(endDate));

const listSubscriptions = listCommand({
  name: 'subscription.list',
  summary:
    'Lists subscriptions, page by page: of one scope (with `at`, those in force at that instant), of one module, of one status by their end, or all.',
  by: [
    by(
      { scope: field.ref },
      async ({ scope, at }, reader) => {
        const keep = at === undefined ? undefined : isInForce(Date.parse(at));
        return ownedBy(await readScopeRef(reader, scope, 'scope'), 'subscription', keep);
      },
      { optional: { at: field.instant } },
    ),
    by({ module: field.pageName }, ({ module }) => ownedBy({ type: 'module', id: module }, 'subscription')),
    ofStatus('subscription'),
  ],
  all: allOf('subscription'),
});

const listLicenses = listCommand({
  name: 'license.list',
  summary:
    'Lists licences: of one account, of one enterprise, of one status by their end, or all, page by page.',
  by: [ownedByScope('account', 'license'), ownedByScope('enterprise', 'license'), ofStatus('license')],
  all: allOf('license'),
});

export const ENTITLEMENT_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.subscription, behaviour: subscriptionBehaviour, commands: [listSubscriptions] },
  { entity: ENTITIES.license, behaviour: licenseBehaviour, commands: [listLicenses] },
];
