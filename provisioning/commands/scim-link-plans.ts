import { defined } from '../../table/defined.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, type GatehouseError, notFound, stale } from '../../table/errors.ts';
import { identityOf, nodeKey } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { membershipsTo, type OriginState } from '../edges/suspension.ts';
import type { Steps } from '../in-steps.ts';
import { planClosing, planDeletion } from '../kinds/deletion.ts';
import { type NodeKind, tenantOf } from '../kinds/node-kind.ts';
import { differing, type NodePlan, planChange, planCreation } from '../kinds/writing.ts';
import { throughGate } from '../nodes/gates.ts';
import { asRead, loadScope } from '../nodes/nodes.ts';
import { connectionRef, linkRef } from '../nodes/scim-links.ts';
import { asManyAsFit } from '../nodes/steps.ts';
import { administers, hasAccessBeyond, LOGIN } from '../operators/administers.ts';
import {
  type AuditEntry,
  keptPlan,
  type Node,
  type OneTransaction,
  type Plan,
  type Planning,
} from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';
import { type Connection, type Login, loadConnection, nameable, owns } from './scim-named-user.ts';
import { USER } from './users.ts';

/** What a connection says of a user: null takes it away, and what is left out stays. */
export interface Said extends Login {
  readonly userName?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly active?: boolean | undefined;
  readonly displayName?: string | null | undefined;
  readonly givenName?: string | null | undefined;
  readonly familyName?: string | null | undefined;
}

/** Which link a command is about. */
export interface Named {
  readonly connection: string;
  readonly user: string;
}

const NAMES = ['displayName', 'givenName', 'familyName'] as const;
/** What decides whether a connection owns a user, and which user a login names. */
const OF_USER = ['isAdmin', 'source', 'tenant', 'email', 'issuer', 'sub', 'deletingSince'];

const LINK: NodeKind = { entity: ENTITIES['scim-user'], behaviour: {} };

/** The attributes of a user that differ from what the connection that owns the user says. */
function changesOf({ issuer }: Connection, said: Said, { item }: Pick<Node, 'item'>): Attributes {
  const changes: Record<string, unknown> = {};
  for (const name of [...NAMES, 'email'] as const)
    if (said[name] !== undefined && (said[name] ?? undefined) !== item[name]) changes[name] = said[name];
  const { sub, active } = said;
  const isOurs = item.issuer === issuer;
  if (typeof sub === 'string' && !(isOurs && item.sub === sub)) Object.assign(changes, { issuer, sub });
  if (sub === null && isOurs && item.sub !== undefined) Object.assign(changes, { issuer: null, sub: null });
  if (active !== undefined && active !== (item.sourceActive !== false)) changes.sourceActive = active;
  return changes;
}

/** The part of a plan that is about the user. Whoever was faster with a login is found when it is planned anew. */
function ofUser(command: 'user.create' | 'user.update', { actions, audit }: NodePlan) {
  const anew = (action: Action): Action =>
    action.kind === 'put' && action.item.Type === 'Guard'
      ? { ...action, failure: () => stale('who has it', 'email') }
      : action;
  return { actions: actions.map(anew), audit: [{ ...audit, command }] };
}

const NOTHING = { actions: [] as readonly Action[], audit: [] as readonly AuditEntry[] };

async function changeUser(planning: Planning, of: Connection, said: Said, user: Node) {
  const changes = changesOf(of, said, user);
  if (Object.keys(changes).length === 0) return NOTHING;
  return ofUser('user.update', await planChange(planning, USER, user, changes, OF_USER));
}

/** The user whom the login of a new link names, and on what that rests. */
async function findUser(planning: Planning, of: Connection, said: Said) {
  const { conditions, nodes, owner, refusal } = await nameable(planning, of, said);
  const { id, unowned } = await owner();
  if (id === undefined) return { conditions, nodes, user: undefined };
  const [item, link] = await planning.reader.getMany([
    nodeKey({ type: 'user', id }),
    nodeKey(linkRef(of.ref.id, id)),
  ]);
  if (!item || item.deletingSince !== undefined || item.isAdmin === true) throw refusal();
  // Under one email two persons: who had it before, and who has it now.
  if (typeof said.sub === 'string' && item.issuer === of.issuer && item.sub !== said.sub) throw refusal();
  if (link) throw linkedAlready();
  const user: Node = { ref: { type: 'user', id }, item };
  const isOwned = owns(of, item);
  const more = isOwned ? await loginMayChange(planning, of, said, user, refusal) : unowned;
  return { user, nodes, conditions: [asRead(user, OF_USER), ...conditions, ...more] };
}

const linkedAlready = () => conflict('userName', 'the connection has this user already');

/** The plan that links a connection to a user: to one whom the login names, or else to one who is made. */
export async function planLink(planning: Planning, id: string, said: Said): Promise<OneTransaction> {
  const of = await loadConnection(planning, id);
  const { user, nodes, conditions } = await findUser(planning, of, said);
  const { active = true } = said;
  const whole: Said = { ...said, active };
  const { userName = '', displayName, givenName, familyName, email, sub } = said;
  const login = { ...defined({ email }), ...(sub === undefined ? {} : { issuer: of.issuer, sub }) };
  const names = defined({ displayName, givenName, familyName });
  const made = user ? owns(of, user.item) : true;
  const derived = { source: id, sourceActive: active };
  const about = user
    ? made
      ? await changeUser(planning, of, whole, user)
      : NOTHING
    : ofUser(
        'user.create',
        await planCreation(planning, USER, { ...login, ...names, tenant: of.root }, derived),
      );
  const userId = user?.ref.id ?? String(about.audit[0]?.entity.id);
  const given = { connection: id, user: userId, ...whole };
  const link = await planCreation(planning, LINK, given, { root: of.root, made });
  const at = identityOf(nodeKey(linkRef(id, userId)));
  const userAt = identityOf(nodeKey({ type: 'user', id: userId }));
  const actions = link.actions
    // Who is made in the same transaction is there.
    .filter((action) => user !== undefined || identityOf(keyOf(action)) !== userAt)
    .map((action) => (identityOf(keyOf(action)) === at ? { ...action, failure: linkedAlready } : action));
  const tenant = await loadScope(planning, of.root, 'connection');
  const all = [...conditions, ...actions, ...about.actions];
  return {
    actions: await throughGate(planning.reader, userName, [tenant, ...nodes], all),
    result: link.result,
    audit: [link.audit, ...about.audit],
  };
}

interface Linked {
  readonly of: Connection;
  readonly link: Node;
  readonly user: Node;
}

/** What a link ties. The same is said of what is another connection's and of what is not there. */
async function loadLinked(planning: Planning, { connection, user }: Named): Promise<Linked | undefined> {
  const refs = [connectionRef(connection), linkRef(connection, user), { type: 'user', id: user }] as const;
  const [, link, node] = await planning.reader.getMany(refs.map(nodeKey));
  if (!link || !node || node.deletingSince !== undefined) return undefined;
  const of = await loadConnection(planning, connection);
  return { of, link: { ref: refs[1], item: link }, user: { ref: refs[2], item: node } };
}

const notLinked = () => notFound('user', 'this user of the connection');

/** The entry that says that somebody who administers the tenant was ended. */
const endOf = (entry: AuditEntry, administered: boolean): AuditEntry =>
  administered ? { ...entry, details: { administered } } : entry;

/** As many of what must not be split as one step takes, and whether that is all. */
function stepOf(planning: Planning, portions: readonly (readonly Action[])[]) {
  const { actions, taken } = asManyAsFit(portions, planning.splits);
  return { actions, isAll: taken === portions.length };
}

/** Changes what a connection says, in steps. What the table has already is not written. */
export async function* changingLink(planning: Planning, named: Named, said: Said): Steps {
  // Whether a step before has ended somebody who administers the tenant.
  for (let wasAdministered = false; ; ) {
    const linked = await loadLinked(planning, named);
    if (!linked || linked.link.item.deletingSince !== undefined) throw notLinked();
    const { of, link, user } = linked;
    const made = owns(of, user.item);
    // Whoever begins or ends to own the user has said before whether the user is active.
    const isOwnerAnew = made !== (link.item.made === true);
    const active = said.active ?? (isOwnerAnew ? link.item.active !== false : undefined);
    const whole: Said = { ...said, active };
    const changes = differing({ ...said, made }, link.item);
    const administered: boolean =
      wasAdministered || (changes.active === false && (await administers(planning.reader, user, of.root)));
    const about = made ? await changeUser(planning, of, whole, user) : NOTHING;
    const conditions = await conditionsOf(planning, linked, made, whole, changes);
    // Whom the connection owns it suspends itself.
    const isSettled = active === undefined || (made && !active);
    const state: OriginState = active === false ? 'suspended' : 'counts';
    const memberships = isSettled ? [] : await membershipsTo(planning, named, state);

    const isChanged = Object.keys(changes).length > 0;
    // A membership that comes meanwhile counts up the revision, and is found when it is planned anew.
    const resting = active === undefined ? [] : ['rev'];
    const change = isChanged ? await planChange(planning, LINK, link, changes, resting) : undefined;
    const own = [...(change?.actions ?? []), ...conditions, ...about.actions];
    const shown = { ...(change?.result ?? visible(link.item)), ...(administered ? { administered } : {}) };
    const entry = change?.audit ?? {
      entity: link.ref,
      tenant: tenantOf(LINK.entity, link.item),
      after: visible(link.item),
    };
    if (!isChanged && about.actions.length === 0 && memberships.length === 0) return keptPlan(entry, shown);
    const { actions, isAll } = stepOf(planning, [own, ...memberships]);
    const step = {
      actions,
      result: shown,
      audit: [endOf(entry, administered && !wasAdministered), ...about.audit],
    };
    if (isAll) return step;
    planning = yield step;
    wasAdministered = administered;
  }
}

/** Whether anybody but the root of the connection gave the user something: then the login is not the connection's alone. */
async function isReliedOn(reader: Planning['reader'], user: Node, of: Connection): Promise<boolean> {
  const links = await reader.listAll(
    ownedBy(user.ref, 'scim-user', ({ connection }) => connection !== of.ref.id),
  );
  return (
    links.length > 0 ||
    (await administers(reader, user, of.root)) ||
    (await hasAccessBeyond(reader, user, of.root))
  );
}

/** On what a change of a login rests. Only of a user whom the connection owns it looks who else has the login. */
async function conditionsOf(
  planning: Planning,
  { of, user }: Linked,
  made: boolean,
  said: Said,
  changes: Attributes,
): Promise<readonly Action[]> {
  const about = made ? { ...changes, ...changesOf(of, said, user) } : changes;
  const login: Login = {
    email: 'email' in about ? said.email : undefined,
    sub: 'sub' in about ? said.sub : undefined,
  };
  const { conditions, owner, refusal } = await nameable(planning, of, login);
  if (!made) return conditions;
  const { id } = await owner();
  if (id !== undefined && id !== user.ref.id) throw refusal();
  return [...conditions, ...(await loginMayChange(planning, of, said, user, refusal))];
}

/** On what it rests that the login of an owned user changes, if it does. */
async function loginMayChange(
  planning: Planning,
  of: Connection,
  said: Said,
  user: Node,
  refusal: () => GatehouseError,
): Promise<readonly Action[]> {
  const changed = changesOf(of, said, user);
  if (!LOGIN.some((name) => name in changed)) return [];
  // Others rely on who logs in as this user.
  if (await isReliedOn(planning.reader, user, of)) throw refusal();
  return [asRead(user, ['rev'])];
}

/**
 * Ends what a connection gave a user, in steps. The user stays; one whom the connection owns is no longer active.
 * Nothing is left to do where the link is gone that this request has found before.
 */
export async function* endingLink(planning: Planning, named: Named): Steps {
  const gone = (administered: boolean): Plan['result'] => ({
    ...named,
    deleted: true,
    ...(administered ? { administered } : {}),
  });
  for (let { again = false } = planning, wasAdministered = false; ; again = true) {
    const linked = await loadLinked(planning, named);
    if (!linked) {
      if (again) return { actions: [], audit: [], result: gone(wasAdministered) };
      throw notLinked();
    }
    const { of, link, user } = linked;
    const hasBegun = link.item.deletingSince !== undefined;
    const administered: boolean =
      wasAdministered ||
      (!hasBegun && link.item.active !== false && (await administers(planning.reader, user, of.root)));
    const about = owns(of, user.item) ? await changeUser(planning, of, { active: false }, user) : NOTHING;
    const memberships = await membershipsTo(planning, named, 'ended');
    const end = await planDeletion(planning, LINK, link);
    const isNew = administered && !wasAdministered;
    const audit = (entry: Plan['audit']) => [
      ...[entry].flat().map((each) => endOf(each, isNew)),
      ...about.audit,
    ];
    const last = stepOf(planning, [[...end.actions, ...about.actions], ...memberships]);
    const result = gone(administered);
    if (last.isAll) return { actions: last.actions, audit: audit(end.audit), result };
    if (!hasBegun) {
      const closing = planClosing(planning, LINK, link);
      const actions = [...closing.actions, ...about.actions];
      planning = yield { actions, audit: audit(closing.audit), result };
    } else {
      const { actions } = stepOf(planning, memberships);
      const entry = { entity: link.ref, tenant: tenantOf(LINK.entity, link.item) };
      planning = yield { actions, audit: audit(entry), result };
    }
    wasAdministered = administered;
  }
}
