import * as z from 'zod';
import { expireMemberships } from '../../table/decision/writes.ts';
import { defined } from '../../table/defined.ts';
import type { Guard } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, invalid, notFound } from '../../table/errors.ts';
import { AGENT, parseRef, REGISTERED_SUBJECT } from '../../table/identifiers.ts';
import { allOf, subjectsOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { isInForce, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom, OWNERSHIP, ownedRef } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import { readCommand, writeCommand } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { by, listCommand, ofStatus, ofTenant, readAllCommand } from '../kinds/lists.ts';
import { isOneOf, lookupsOf } from '../kinds/node-commands.ts';
import { type Behaviour, type NodeKind, tenantOf } from '../kinds/node-kind.ts';
import { planChange } from '../kinds/writing.ts';
import { createdAgain } from '../nodes/erasures.ts';
import { guardKeyOf } from '../nodes/guards.ts';
import { isMandate, mandatesAround } from '../nodes/mandates.ts';
import { loadNode, loadRoot, loadScopeOf, textOf, touchLiving } from '../nodes/nodes.ts';
import { refuseMisfits } from '../nodes/properties.ts';
import { linkRef, removeLink } from '../nodes/scim-links.ts';
import { rootTypes } from '../nodes/scope-types.ts';
import { keptPlan, type Node, type Planning } from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';

/** The tenant that lists the user. It gives no rights: grants do. */
async function settle(planning: Planning, tenant: unknown): Promise<readonly Action[]> {
  if (typeof tenant !== 'string') return [];
  const { ref } = await loadRoot(planning, tenant, 'tenant', 'a tenant is a root scope');
  return [touchLiving(ref, 'tenant')];
}

/** Tokens, sessions and mandates are deleted with their subject, and its groups that stand apart are on their way out. */
const remainsOf = async (
  { now }: Planning,
  node: Node,
  around: readonly Item[],
): Promise<readonly Action[][]> => [
  ...recordsIn(around),
  ...mandatesAround(around),
  ...around.flatMap((item) => {
    const key = parseKey(item);
    return key?.form === 'memberships' ? [[expireMemberships(node.ref, key.scope, Date.parse(now))]] : [];
  }),
];

const recordsIn = (around: readonly Item[]): readonly Action[][] =>
  around
    .filter((item) => item.Type === OWNERSHIP && !isMandate(item))
    .map((item) => {
      const record = ownedRef(item);
      if (record.type === 'scim-user') return removeLink(item);
      const keys = [{ PK: item.PK, SK: item.SK }, nodeKey(record), decisionKey(record)];
      return keys.map((key) => ({ kind: 'delete', key }));
    });

/** The type of a subject as its properties are declared for it: of an added type, what is data. */
const typeOf = ({ ref, item }: Node): string =>
  ref.type === REGISTERED_SUBJECT ? textOf(item, 'type') : ref.type;

/** A change of a subject, which one tenant may list. A technical user has no tenant to settle in: its account lists it. */
const updateAtHome: NonNullable<Behaviour['onUpdate']> = async (planning, node, _after, changes) => {
  const settled = await settle(planning, changes.tenant);
  await refuseMisfits(planning.reader, `subject:${typeOf(node)}`, changes.properties);
  return settled;
};

/** Subjects of types that were added: nodes with a decision item. */
const subjectBehaviour: Behaviour = {
  remains: remainsOf,
  onCreate: async (planning, _ref, attributes) => {
    const type = String(attributes.type);
    refuseUnlessAgent(type, attributes);
    if (type !== AGENT && !(await planning.reader.get(nodeKey({ type: 'subject-type', id: type }))))
      throw invalid('type', `there is no subject type ${type}: subject-type.create adds one`);
    await refuseMisfits(planning.reader, `subject:${type}`, attributes.properties);
    return { actions: await settle(planning, attributes.tenant) };
  },
  onUpdate: async (planning, node, after, changes) => {
    refuseUnlessAgent(typeOf(node), after);
    return updateAtHome(planning, node, after, changes);
  },
};

/** Nobody else needs a mandate. */
function refuseUnlessAgent(type: string, { mandateOptional }: Attributes): void {
  if (mandateOptional !== undefined && type !== AGENT)
    throw invalid('mandateOptional', `mandateOptional: is for subjects of type ${AGENT}`);
}

const subjectTypeBehaviour: Behaviour = {
  // Read from an index, so a subject that was created this very moment may be missed: it stays what it is.
  refuseDeletion: async ({ reader }, { ref }) => {
    const { items } = await reader.list({ ...subjectsOf(ref.id), limit: 1 });
    if (items.length > 0) throw conflict('name', `there are still subjects of type ${ref.id}`);
  },
};

/** The same `sub` of two issuers is two persons, and an issuer alone is nobody. */
function assertIdentity({ issuer, sub }: Attributes): void {
  if ((issuer ?? undefined) === undefined && (sub ?? undefined) !== undefined)
    throw invalid('issuer', 'issuer is required beside sub');
  if ((sub ?? undefined) === undefined && (issuer ?? undefined) !== undefined)
    throw invalid('sub', 'sub is required beside issuer');
}

/** Users: nodes with four unique values and a decision item. */
const userBehaviour: Behaviour = {
  remains: remainsOf,
  // What a connection says of the user is part of the status that decides.
  asRead: ['sourceActive'],
  onChosenId: createdAgain,
  onCreate: async (planning, ref, attributes) => {
    assertIdentity(attributes);
    await refuseMisfits(planning.reader, `subject:${ref.type}`, attributes.properties);
    return { actions: await settle(planning, attributes.tenant) };
  },
  onUpdate: async (planning, node, after, changes) => {
    assertIdentity(after);
    return updateAtHome(planning, node, after, changes);
  },
};

/** Technical users: owned by an account, checked like users. */
const technicalUserBehaviour: Behaviour = {
  remains: remainsOf,
  onCreate: async (planning, ref, attributes) => {
    await loadScopeOf(planning, 'account', String(attributes.account));
    await refuseMisfits(planning.reader, `subject:${ref.type}`, attributes.properties);
  },
  onUpdate: updateAtHome,
};

const listUsers = listCommand({
  name: 'user.list',
  summary:
    'Lists users: of one tenant by time of creation, of one status by their end (those without an end last), or all.',
  by: [ofTenant('user'), ofStatus('user')],
  all: allOf('user'),
});

const readWithWorkstreams = readAllCommand(
  'user',
  'Reads a user with the workstreams that the user works in, page by page.',
  ['workstream'],
);

/**
 * What is in force at an instant: an assignment from its start until before its end, a membership while somebody who
 * gives it has not suspended it, any other edge always.
 */
function isInForceAt(edge: Item, at: string | undefined): boolean {
  const { Type, startsAt, endsAt } = edge;
  if (at === undefined) return true;
  if (Type === 'Membership') return isInForce(readOrigins(edge));
  if (Type !== 'Assignment') return true;
  return (typeof startsAt !== 'string' || startsAt <= at) && (typeof endsAt !== 'string' || at < endsAt);
}

const listAccess = listCommand({
  name: 'user.access',
  summary:
    'Lists what gives a user access: assignments, global roles, tenant grants and groups; with `type` or `at`, only those at scopes of that type or in force at that instant.',
  by: [
    by(
      { id: field.subject },
      async ({ id, type, at }, reader) => {
        const isAt = ({ scope }: Item) => type === undefined || String(scope).startsWith(`${type}:`);
        const roots = await rootTypes(reader);
        const query = edgesFrom(subject(id), 'assignment', 'role', ...roots, 'group');
        return { ...query, keep: (edge) => isAt(edge) && isInForceAt(edge, at) };
      },
      { optional: { type: field.scopeType, at: field.instant } },
    ),
  ],
});

const LOOKUPS = lookupsOf(ENTITIES.user);

/** The guards of unique values are look-ups: one GetItem. */
const findUser = readCommand({
  name: 'user.find',
  summary:
    'Finds the user with an email, phone number, username or identity, by one GetItem: the id, and the attributes that the look-up keeps.',
  input: z
    .strictObject(LOOKUPS.shape)
    .partial()
    .refine(isOneOf(LOOKUPS.choices), 'exactly one of email, phone, username, or issuer and sub is needed'),
  run: async ({ reader }, given: Attributes) => {
    const guard = ENTITIES.user.guards.find(({ field: name }) => given[name] !== undefined) as Guard;
    const { field: name } = guard;
    const found = await reader.get(guardKeyOf(guard, given) as Key);
    if (!found) throw notFound(name, `a user with this ${name}`);
    const ref = textOf(found, 'owner');
    const { id } = parseRef(ref, 'owner');
    const { value: kept, provider } = found;
    return { id, ref, value: kept, ...defined({ provider }) };
  },
});

/** What is left of a connection that has gone, or has no say in a user any more, would close the user for good. */
const release = writeCommand({
  name: 'user.release',
  summary:
    'Gives a user whom a connection has made to the operators: what the connection said last no longer closes the user. The connection has the user no more: `scim-user.delete` first.',
  input: z.strictObject({ id: field.id }),
  plan: async (planning, { id }) => {
    const node = await loadNode(planning, 'user', id, 'id');
    const { source } = node.item;
    if (source === undefined) {
      const after = visible(node.item);
      return keptPlan({ entity: node.ref, tenant: tenantOf(ENTITIES.user, node.item), after }, after);
    }
    if (await planning.reader.get(nodeKey(linkRef(String(source), id))))
      throw conflict('id', `the connection ${source} still has this user`);
    // A link that comes meanwhile counts up the revision.
    return planChange(planning, USER, node, { source: null, sourceActive: null }, ['rev', 'source']);
  },
});

const listSubjects = listCommand({
  name: 'subject.list',
  summary:
    'Lists agents and subjects of types that were added: of one type, of one tenant by time of creation, of one status by their end (those without an end last), or all.',
  by: [
    by({ type: field.addedSubjectType('list') }, ({ type }) => subjectsOf(type)),
    ofTenant('subject'),
    ofStatus('subject'),
  ],
  all: allOf('subject'),
});

export const USER: NodeKind = {
  entity: ENTITIES.user,
  behaviour: userBehaviour,
  commands: [findUser, readWithWorkstreams, listAccess, listUsers, release],
};

export const USER_KINDS: readonly NodeKind[] = [
  USER,
  { entity: ENTITIES['technical-user'], behaviour: technicalUserBehaviour },
  { entity: ENTITIES['subject-type'], behaviour: subjectTypeBehaviour },
  { entity: ENTITIES.subject, behaviour: subjectBehaviour, commands: [listSubjects] },
];
