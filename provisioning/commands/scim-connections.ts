import { formatScimCredential, hashOfToken } from '../../table/api-token.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { CREDENTIAL_DAYS, MAX_CREDENTIAL_DAYS } from '../../table/entities/scim.ts';
import { conflict, invalid, stale } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { BY_HAND } from '../../table/membership-origins.ts';
import { isOwnership, ownedBy, ownedRef } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { closeGates, closeGatesAsRead } from '../nodes/gates.ts';
import { asRead, loadRef, loadRoot, refuseDeleting, textOf } from '../nodes/nodes.ts';
import { connectionRef } from '../nodes/scim-links.ts';
import type { Node } from '../plan.ts';
import { listOfConnectionCommand } from './scim-find.ts';

/** It belongs to no tenant's log: who takes or gives one needs the right for what belongs to no tenant. */
export const DOMAIN: NodeKind = {
  entity: ENTITIES.domain,
  behaviour: {
    onCreate: async (planning, _ref, { tenant }) => {
      await loadRoot(planning, String(tenant), 'tenant', 'tenant is no root');
    },
    onDelete: ({ item }) => closeGates(parseRef(textOf(item, 'tenant'), 'tenant')),
  },
};

/** What it said of people stays theirs, so it goes only when nobody is linked to it. Its credentials go with it. */
const connectionBehaviour: Behaviour = {
  onCreate: async (planning, { id }, { scope }) => {
    if (id === BY_HAND) throw invalid('id', `id: ${BY_HAND} stands for what an operator gives`);
    await loadRoot(planning, String(scope), 'scope', 'scope is no root');
  },
  onUpdate: async (_planning, node, _after, changes) =>
    'issuer' in changes ? closeGates(scopeOf(node)) : [],
  keepsOwned: ['scim-user', 'scim-group'],
  beforeDeletion: ({ reader }, node) => closeGatesAsRead(reader, scopeOf(node)),
  remains: async (_planning, _node, around) =>
    around
      .filter(isCredential)
      .map(({ PK, SK, ...copy }) =>
        [{ PK, SK }, nodeKey(ownedRef({ PK, SK, ...copy }))].map((key): Action => ({ kind: 'delete', key })),
      ),
};

const scopeOf = ({ item }: Node): Ref => parseRef(textOf(item, 'scope'), 'scope');

const isCredential = (item: Item): boolean =>
  isOwnership(item) && ownedRef(item).type === ENTITIES['scim-credential'].type;

/** Two, so that the provider is given the next one while the last one still counts. */
const MAX_VALID = 2;

const credentialBehaviour: Behaviour = {
  onCreate: async (planning, ref, { connection, expiresAt: wanted }) => {
    const { reader, now } = planning;
    const of = await loadRef(planning, connectionRef(String(connection)), 'connection');
    refuseDeleting(of, 'connection');
    const daysAhead = (days: number) => new Date(Date.parse(now) + days * DAY_MS).toISOString();
    const expiresAt = String(wanted ?? daysAhead(CREDENTIAL_DAYS));
    if (expiresAt <= now || expiresAt > daysAhead(MAX_CREDENTIAL_DAYS))
      throw invalid('expiresAt', `expiresAt is not within ${MAX_CREDENTIAL_DAYS} days from now`);
    const isValid = (item: Item) => now < String(item.expiresAt);
    const valid = await reader.listAll(ownedBy(of.ref, 'scim-credential', isValid));
    if (valid.length >= MAX_VALID)
      throw conflict('connection', `the connection has ${MAX_VALID} valid credentials: delete one first`);
    const text = formatScimCredential(of.ref.id, ref.id, planning.newSecret());
    // Of two that are made at once, the second finds another last one, and counts again.
    const asCounted = asRead(of, ['lastCredential'], () => stale('the connection', 'connection'));
    return {
      actions: [{ ...asCounted, set: { lastCredential: ref.id } }],
      derived: { expiresAt, root: textOf(of.item, 'scope'), hash: await hashOfToken(text) },
      shownOnce: { token: text },
    };
  },
};

export const SCIM_CONNECTION: NodeKind = {
  entity: ENTITIES['scim-connection'],
  behaviour: connectionBehaviour,
};

export const SCIM_CREDENTIAL: NodeKind = {
  entity: ENTITIES['scim-credential'],
  behaviour: credentialBehaviour,
  commands: [listOfConnectionCommand(ENTITIES['scim-credential'], 'credential')],
};
