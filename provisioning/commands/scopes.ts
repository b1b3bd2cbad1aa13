import * as field from '../../table/entities/fields.ts';
import { MAX_ANCESTORS, SCOPE_TYPES, type ScopeType } from '../../table/entities/scope-types.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { GatehouseError, invalid, limitExceeded, notFound } from '../../table/errors.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import { allInTenant, allOf, inTenant } from '../../table/index-queries.ts';
import { DECISION, edgePrefix, nodeKey } from '../../table/keys.ts';
import { isOwnership, ownedBy } from '../../table/partition-queries.ts';
import type { Action, Update } from '../../table/write/action.ts';
import type { Command } from '../command.ts';
import { by, listCommand, listOfKind, ownedByScope, period, readAllCommand } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { closeGates } from '../nodes/gates.ts';
import { mandatesAround } from '../nodes/mandates.ts';
import { beingDeleted, loadScope, loadScopeOf, textsOf } from '../nodes/nodes.ts';
import type { Owner } from '../nodes/ownership.ts';
import { refuseMisfits } from '../nodes/properties.ts';
import { readScopeRef, refusePlace } from '../nodes/scope-types.ts';
import type { Node } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** The scopes: nodes that have a place in the tree of scopes and a decision item. */

/** Where a scope stands: its ancestors from the parent up to the root. */
export const placeUnder = (parent: Node | undefined): readonly string[] =>
  parent ? [formatRef(parent.ref), ...textsOf(parent.item, 'ancestors')] : [];

/** Throws when a path would be longer than a check should have to read. */
export function refuseDepth(ancestors: number): void {
  if (ancestors <= MAX_ANCESTORS) return;
  throw limitExceeded(`a scope has at most ${MAX_ANCESTORS} scopes above it`, 'parent');
}

/** What was read of the parent holds until the child is written: its place, and that it keeps it. */
export function asPlaced(parent: Node): Update {
  return {
    kind: 'update',
    key: nodeKey(parent.ref),
    when: { exists: true, equals: { ancestors: textsOf(parent.item, 'ancestors'), movingTo: undefined } },
    failure: (found) => {
      if (!found) return notFound('parent', formatRef(parent.ref));
      if (found.deletingSince !== undefined) return beingDeleted(parent.ref, 'parent');
      return new GatehouseError('stale', `${formatRef(parent.ref)} is being moved`, { field: 'parent' });
    },
  };
}

/**
 * The edges from above: from the parent; for what stands in a zone, from the building as well, whose list
 * holds all its zones and devices (`BUILDING#id / ZONE#id`); for a workstream, from its enterprise.
 */
export function ownersOfScope({ ancestors, enterprise }: Attributes): readonly Owner[] {
  const [parent, ...above] = (Array.isArray(ancestors) ? ancestors : []).map((ref) =>
    parseRef(String(ref), 'parent'),
  );
  const building = parent?.type === 'zone' ? above.find(({ type }) => type === 'building') : undefined;
  return [
    ...(parent ? [{ ref: parent, field: 'parent' }] : []),
    ...(building ? [{ ref: building, field: 'parent' }] : []),
    ...(typeof enterprise === 'string'
      ? [{ ref: parseRef(enterprise, 'enterprise'), field: 'enterprise' }]
      : []),
  ];
}

const scopeBehaviour: Behaviour = {
  owners: ownersOfScope,
  asRead: ['ancestors', 'enterprise', 'movingTo'],
  onCreate: async (planning, ref, attributes) => {
    const { combination, parent, enterprise, properties } = attributes;
    const above = typeof parent === 'string' ? await loadScope(planning, parent, 'parent') : undefined;
    await refusePlace(planning.reader, ref.type, above?.ref);
    if (typeof enterprise === 'string') await loadScopeOf(planning, 'enterprise', enterprise);
    await refuseMisfits(planning.reader, `resource:${ref.type}`, properties);
    const ancestors = placeUnder(above);
    refuseDepth(ancestors.length);
    const root = ancestors.at(-1) ?? formatRef(ref);
    if (above && combination === 'deny-overrides') throw chosenByRoot();
    return { actions: above ? [asPlaced(above)] : [], derived: { ancestors, root } };
  },
  onUpdate: async (planning, node, _after, { status, combination, enterprise, properties }) => {
    if (combination !== undefined && textsOf(node.item, 'ancestors').length > 0) throw chosenByRoot();
    if (node.item.movingTo !== undefined && status !== undefined) {
      throw invalid('status', `it is being moved to ${String(node.item.movingTo)}: finish that first`);
    }
    if (typeof enterprise === 'string') await loadScopeOf(planning, 'enterprise', enterprise);
    await refuseMisfits(planning.reader, `resource:${node.ref.type}`, properties);
  },
  keepsOwned: true,
  // Who comes by a connection asks for a gate of the tenant, not for the tenant itself.
  close: ({ ref, item }) => (textsOf(item, 'ancestors').length === 0 ? closeGates(ref) : []),
  // The effects of its own roles: empty by now, and kept until here for the time of their last write.
  remains: async (_planning, _node, around) => [
    ...mandatesAround(around),
    ...around
      .filter((item) => item.SK.startsWith(edgePrefix(DECISION)))
      .map(({ PK, SK }): Action[] => [{ kind: 'delete', key: { PK, SK } }]),
  ],
};

const chosenByRoot = () => invalid('combination', 'how effects combine is chosen by the root of the tree');

type ScopeName = keyof typeof SCOPES;
/** The list of one type: of all, or of those under one scope. */
function listOfType(type: Exclude<ScopeName, 'scope'>): Command {
  const { parents } = SCOPE_TYPES[type] as ScopeType;
  const owners = type === 'workstream' ? [...parents, 'enterprise'] : parents;
  if (owners.length === 0) return listOfKind(type);
  return listCommand({
    name: `${type}.list`,
    summary: `Lists every ${type}, of one ${owners.join(' or ')} or all, page by page.`,
    by: [ownedByScope('parent', type)],
    all: allOf(type),
  });
}

const listAdded = listCommand({
  name: 'scope.list',
  summary: 'Lists every scope of a type that was added, of one parent or all, page by page.',
  by: [
    by(
      { type: field.addedScopeType('list') },
      async ({ type, parent }, reader) =>
        parent === undefined
          ? allOf('scope', type)
          : ownedBy(await readScopeRef(reader, parent, 'parent'), type),
      { optional: { parent: field.ref } },
    ),
  ],
});

const wholeCommands: Readonly<Partial<Record<ScopeName, readonly Command[]>>> = {
  account: [
    readAllCommand(
      'account',
      'Reads an account with its addresses, technical users, licences and workstreams, page by page.',
      ['address', 'technical-user', 'license', 'workstream'],
      // Technical users of other accounts may have a grant here: the account does not own them.
      isOwnership,
    ),
  ],
  enterprise: [
    readAllCommand(
      'enterprise',
      'Reads an enterprise with the products and services that it uses, page by page.',
      ['product', 'service'],
    ),
  ],
  tenant: [
    listCommand({
      name: 'tenant.list-all',
      summary:
        'Lists everything that belongs to a tenant (a root scope of any type), page by page: by type and time of creation, or of one type and period.',
      by: [
        by({ tenant: field.ref }, async ({ tenant }, reader) =>
          allInTenant(await readScopeRef(reader, tenant, 'tenant')),
        ),
        by(
          { tenant: field.ref, type: field.entityType },
          async ({ tenant, type, ...time }, reader) =>
            inTenant(type, await readScopeRef(reader, tenant, 'tenant'), time),
          period,
        ),
      ],
      withRefs: true,
    }),
  ],
};

export const SCOPE_KINDS: readonly NodeKind[] = (Object.keys(SCOPES) as ScopeName[]).map((type) => ({
  entity: SCOPES[type],
  behaviour: scopeBehaviour,
  commands: [type === 'scope' ? listAdded : listOfType(type), ...(wholeCommands[type] ?? [])],
}));
