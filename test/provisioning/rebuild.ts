import {
  assignmentAttribute,
  conditionAttribute,
  externalAttribute,
  formatInterval,
  grantAttribute,
  groupAttribute,
  invariantAttribute,
  licenseAttribute,
  moduleAttribute,
  patternAttribute,
  propertyAttribute,
  roleAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import type { Item } from '../../table/item.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { isEmptied } from './support.ts';

/**
 * What every decision item should hold, made from the nodes and edges alone, in the plainest way. The
 * differences to what is there are faults of the writer.
 */
type Attributes = Record<string, unknown>;
/** `denials` only ever grows, so it cannot be made again: that it holds enough is for verify.ts. */
const BOOKKEEPING = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt', 'writeId', 'denials']);

const SCOPE_LABELS: ReadonlySet<unknown> = new Set(Object.values(SCOPES).map(({ label }) => label));

const upper = (ref: unknown) => {
  const [type = '', ...id] = String(ref).split(':');
  return `${type.toUpperCase().replaceAll('-', '_')}#${id.join(':')}`;
};
/** A user by id, a technical user or a subject of an added type by reference. */
const subject = (text: unknown) => {
  if (!String(text).includes(':')) return `USER#${text}`;
  return /^(?:user|technical-user):/.test(String(text)) ? upper(text) : `SUBJECT#${text}`;
};
/** Subscriptions and licences that count. */
const counts = ({ status }: Item) => status === 'active' || status === 'trial';

const closingIn = (items: readonly Item[]): ReadonlySet<string> =>
  new Set(items.filter(({ SK, deletingSince }) => SK === 'META' && deletingSince).map(({ PK }) => PK));

export function rebuild(items: readonly Item[]): Map<string, Attributes> {
  const decisions = new Map<string, Attributes>();
  const attributesAt = (partition: string, sort = 'DECISION'): Attributes => {
    const key = `${partition} / ${sort}`;
    const attributes = decisions.get(key) ?? {};
    decisions.set(key, attributes);
    return attributes;
  };
  const addTo = (attributes: Attributes, attribute: string, member: unknown) => {
    const set = (attributes[attribute] as Set<unknown> | undefined) ?? new Set();
    attributes[attribute] = set.add(member);
  };
  /** Only the edge itself counts, not its mirrors. */
  const edges = (type: string, ...from: readonly string[]) =>
    items.filter((item) => item.Type === type && from.some((prefix) => item.PK.startsWith(`${prefix}#`)));
  const SUBJECTS = ['USER', 'TECHNICAL_USER', 'SUBJECT'];
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const nodes = items.filter(({ SK }) => SK === 'META');
  /** What is being deleted in steps counts for nothing from the first of them on. */
  const closing = closingIn(nodes);

  for (const item of nodes) {
    const attributes = () => attributesAt(item.PK);
    const { PK, Type, endsAt, combination, ancestors, enterprise, scope, module } = item;
    const properties = Object.keys(item.properties ?? {}).length > 0 ? { properties: item.properties } : {};
    const status = closing.has(PK) ? 'deleting' : item.movingTo ? 'moving' : item.status;
    const interval = formatInterval(text(item.startDate), text(item.endDate));
    if (Type === 'Group' && item.everyone) attributesAt(upper(scope)).everyone = item.id;
    if (Type === 'User' || Type === 'TechnicalUser' || Type === 'Subject')
      Object.assign(attributes(), {
        status,
        ...properties,
        ...(endsAt ? { endsAt } : {}),
        ...(item.mandateOptional ? { mandateOptional: true } : {}),
      });
    if (SCOPE_LABELS.has(Type))
      Object.assign(attributes(), { status, combination, ancestors, enterprise, ...properties });
    if ((Type === 'Page' || Type === 'Permission') && !closing.has(PK)) attributes().registered = true;
    if (Type === 'Page' && module) attributes().module = module;
    if (Type === 'Module' && item.soldBySubscription)
      attributesAt('GLOBAL#GATEHOUSE')[moduleAttribute(String(item.id))] = true;
    if (Type === 'ResourceType' && !closing.has(PK)) {
      const { permission, actions, scope: at } = item;
      Object.assign(attributes(), {
        ...(permission ? { permission } : {}),
        ...(actions ? { actions } : {}),
        ...(at ? { scope: at } : {}),
      });
    }
    if (Type === 'Property' && !closing.has(PK))
      attributesAt('GLOBAL#GATEHOUSE')[propertyAttribute(String(item.of), String(item.name))] =
        `${item.type} ${item.source}`;
    if (Type === 'Subscription' && counts(item))
      attributesAt(upper(scope))[subscriptionAttribute(String(module), String(item.id))] = interval;
    if (Type === 'ExternalGroup' && !closing.has(PK)) {
      const name = externalAttribute(String(item.externalId), String(item.id));
      attributesAt(upper(scope), `DECISION#ISSUER#${item.issuer}`)[name] = `${item.group} ${item.groupScope}`;
    }
    if (Type === 'Invariant') {
      const { name, separate, within, never, except } = item;
      const of = Object.entries({ name, separate, within, never, except });
      const roots = attributesAt('GLOBAL#GATEHOUSE', 'DECISION#INVARIANTS');
      roots.rootsWithInvariants = new Set([
        ...((roots.rootsWithInvariants as Set<string>) ?? []),
        String(scope),
      ]);
      if (!closing.has(PK))
        attributesAt(upper(scope), 'DECISION#INVARIANTS')[invariantAttribute(String(item.id))] =
          Object.fromEntries(of.filter(([, value]) => value !== undefined));
    }
    if (Type === 'License' && counts(item))
      attributesAt(upper(item.account))[licenseAttribute(String(enterprise), String(item.id))] = interval;
    if (Type === 'LoginSession') {
      const start = Date.parse(String(item.sessionStart));
      const end = start + 90 * 86_400_000;
      Object.assign(attributes(), {
        subject: `user:${item.user}`,
        status: item.status,
        endsAt: item.sessionEnd ?? new Date(end).toISOString(),
        ttl: Math.floor(end / 1000),
      });
    }
    if (Type === 'Mandate') {
      const { subject, actor, permissions, scopes, when, budget, hash } = item;
      const ttl = Math.floor(Date.parse(String(endsAt)) / 1_000);
      const said = { subject, actor, permissions, scopes, status, endsAt, ttl, when, hash };
      const present = Object.entries({ ...said, budget: budget && true }).filter(
        ([, value]) => value !== undefined,
      );
      Object.assign(attributes(), Object.fromEntries(present));
    }
    if (Type === 'AuthToken') {
      const { hash, expiresAt, revoked } = item;
      const holder = String(item.user).includes(':') ? item.user : `user:${item.user}`;
      const ttl = Math.floor(Date.parse(String(expiresAt)) / 1000);
      Object.assign(attributes(), { subject: holder, ...(hash ? { hash } : {}), endsAt: expiresAt, ttl });
      attributes().status = revoked ? 'revoked' : 'active';
    }
    if (Type === 'Role' && !closing.has(PK)) {
      const owner = String(scope).includes(':') ? upper(scope) : 'GLOBAL#GATEHOUSE';
      attributesAt(owner)[roleAttribute(String(item.id))] = item.parent ?? '';
    }
  }
  for (const { user, group, origins, suspended } of edges('Membership', ...SUBJECTS))
    if (suspended === undefined || String(suspended) !== String(origins))
      addTo(attributesAt(subject(user)), 'groups', group);
  for (const { user, role } of edges('GlobalRole', ...SUBJECTS))
    addTo(attributesAt(subject(user)), 'roles', role);
  for (const { user } of edges('Admin', ...SUBJECTS)) attributesAt(subject(user)).isAdmin = true;
  for (const { PK, group, role, scope } of edges('GroupRole', 'GROUP')) {
    if (!closing.has(PK)) addTo(attributesAt(upper(scope)), groupAttribute(String(group)), role);
  }
  for (const { user, role, scope, startsAt, endsAt } of edges('Assignment', ...SUBJECTS)) {
    const attribute = assignmentAttribute(String(scope), String(role));
    attributesAt(subject(user))[attribute] = formatInterval(text(startsAt), text(endsAt));
  }
  for (const { user, scope, roles } of edges('TenantGrant', ...SUBJECTS)) {
    for (const role of roles as string[])
      addTo(attributesAt(subject(user)), grantAttribute(String(scope)), role);
  }
  for (const { role, permission, effect: bare, when, roleScope } of edges('RolePermission', 'ROLE')) {
    const [id, name, owner] = [String(role), String(permission), String(roleScope)];
    const ofTenant = owner.includes(':');
    const effect = when === undefined ? bare : { effect: bare, when };
    if (isPermissionPattern(name)) {
      attributesAt(ofTenant ? upper(owner) : 'GLOBAL#GATEHOUSE')[patternAttribute(id, name)] = effect;
      continue;
    }
    const node = `${name.includes(':') ? 'PERMISSION' : 'PAGE'}#${name}`;
    const attributes = ofTenant ? attributesAt(upper(owner), `DECISION#${node}`) : attributesAt(node);
    if (when !== undefined) attributes[conditionAttribute(id)] = effect;
    else addTo(attributes, effect === 'ALLOW' ? 'allow' : 'deny', id);
  }
  for (const attributes of decisions.values())
    for (const [name, value] of Object.entries(attributes)) if (value === undefined) delete attributes[name];
  return decisions;
}

/**
 * The item of a root whose roles are folded (ADR 0003) as it would be with each of them listed. Those in deletion are
 * named, and no others.
 */
function unfolded({ roleTable: _, closing = new Set(), ...item }: Item, items: readonly Item[]): Item {
  const listed: Record<string, unknown> = {};
  const owned = items.filter(
    ({ Type, SK, scope }) => Type === 'Role' && SK === 'META' && upper(scope) === item.PK,
  );
  for (const { id, deletingSince } of owned) {
    if ((closing as Set<unknown>).has(id) !== (deletingSince !== undefined)) listed[`closing ${id}`] = id;
    if (deletingSince === undefined) listed[roleAttribute(String(id))] = '';
  }
  for (const [name, value] of Object.entries(item)) {
    const [kind = '', about = ''] = name.split('|');
    if (!['heirs', 'allow', 'deny'].includes(kind) || !(value instanceof Set)) listed[name] = value;
    else
      for (const role of value as Set<string>)
        if (kind === 'heirs') listed[roleAttribute(role)] = about;
        else listed[patternAttribute(role, about)] = kind.toUpperCase();
  }
  return listed as Item;
}

/** What the table has for its decision items, without bookkeeping and without flags that are down. */
export function decisionsOf(items: readonly Item[]): Map<string, Attributes> {
  const found = items
    .filter((item) => item.Type === 'Decision' && !isEmptied(item))
    .map((item) => (item.roleTable === 'folded' ? unfolded(item, items) : item))
    .map((item): [string, Attributes] => [
      `${item.PK} / ${item.SK}`,
      Object.fromEntries(
        Object.entries(item).filter(([name, value]) => !BOOKKEEPING.has(name) && value !== false),
      ),
    ]);
  // A root stays in the list after its last invariant.
  const withInvariants = items.filter(({ Type }) => Type === 'Invariant').map(({ scope }) => scope);
  for (const [, attributes] of found)
    if (attributes.rootsWithInvariants instanceof Set) {
      const left = [...attributes.rootsWithInvariants].filter((root) => withInvariants.includes(root));
      if (left.length > 0) attributes.rootsWithInvariants = new Set(left);
      else delete attributes.rootsWithInvariants;
    }
  const closing = closingIn(items);
  // The item of what holds everywhere comes with the first permission and stays, the revision of an API with its first
  // route, that of a node which is being deleted until the node goes.
  const stays = (key: string) =>
    key.startsWith('GLOBAL#GATEHOUSE / DECISION') ||
    key.startsWith('API#') ||
    closing.has(String(key.split(' ')[0]));
  return new Map(found.filter(([key, attributes]) => !stays(key) || Object.keys(attributes).length));
}
