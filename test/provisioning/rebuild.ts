import {
  assignmentAttribute,
  formatInterval,
  grantAttribute,
  groupAttribute,
  licenseAttribute,
  moduleAttribute,
  patternAttribute,
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
type Facts = Record<string, unknown>;
/** `denials` only ever grows, so it cannot be made again: that it holds enough is for verify.ts. */
const BOOKKEEPING = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt', 'writeId', 'denials']);

const SCOPE_LABELS: ReadonlySet<unknown> = new Set(Object.values(SCOPES).map(({ label }) => label));

const upper = (ref: unknown) => {
  const [type = '', ...id] = String(ref).split(':');
  return `${type.toUpperCase().replaceAll('-', '_')}#${id.join(':')}`;
};
/** A user by id, a technical user by reference. */
const subject = (text: unknown) => upper(String(text).includes(':') ? text : `user:${text}`);
/** Subscriptions and licences that count. */
const counts = ({ status }: Item) => status === 'active' || status === 'trial';

export function rebuild(items: readonly Item[]): Map<string, Facts> {
  const decisions = new Map<string, Facts>();
  const factsOf = (partition: string, sort = 'DECISION'): Facts => {
    const key = `${partition} / ${sort}`;
    const facts = decisions.get(key) ?? {};
    decisions.set(key, facts);
    return facts;
  };
  const addTo = (facts: Facts, attribute: string, member: unknown) => {
    facts[attribute] = new Set([...((facts[attribute] as Set<unknown> | undefined) ?? []), member]);
  };
  /** Only the edge itself counts, not its mirrors. */
  const edges = (type: string, ...from: readonly string[]) =>
    items.filter((item) => item.Type === type && from.some((prefix) => item.PK.startsWith(`${prefix}#`)));
  const SUBJECTS = ['USER', 'TECHNICAL_USER'];
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const nodes = items.filter(({ SK }) => SK === 'META');
  /** What is being deleted in steps counts for nothing from the first of them on. */
  const closing = new Set(nodes.filter(({ deletingSince }) => deletingSince).map(({ PK }) => PK));

  for (const item of nodes) {
    const facts = () => factsOf(item.PK);
    const { PK, Type, endsAt, combination, ancestors, enterprise, scope, module } = item;
    const status = closing.has(PK) ? 'deleting' : item.movingTo ? 'moving' : item.status;
    const window = formatInterval(text(item.startDate), text(item.endDate));
    if (Type === 'User' || Type === 'TechnicalUser')
      Object.assign(facts(), endsAt ? { status, endsAt } : { status });
    if (SCOPE_LABELS.has(Type)) Object.assign(facts(), { status, combination, ancestors, enterprise });
    if ((Type === 'Page' || Type === 'Permission') && !closing.has(PK)) facts().registered = true;
    if (Type === 'Page' && module) facts().module = module;
    if (Type === 'Module' && item.soldBySubscription)
      factsOf('GLOBAL#GATEHOUSE')[moduleAttribute(String(item.id))] = true;
    if (Type === 'Subscription' && counts(item))
      factsOf(upper(scope))[subscriptionAttribute(String(module), String(item.id))] = window;
    if (Type === 'License' && counts(item))
      factsOf(upper(item.account))[licenseAttribute(String(enterprise), String(item.id))] = window;
    if (Type === 'LoginSession') {
      const start = Date.parse(String(item.sessionStart));
      const end = start + 90 * 86_400_000;
      Object.assign(facts(), {
        subject: `user:${item.user}`,
        status: item.status,
        endsAt: item.sessionEnd ?? new Date(end).toISOString(),
        ttl: Math.floor(end / 1000),
      });
    }
    if (Type === 'AuthToken') {
      const { hash, expiresAt, revoked } = item;
      const holder = String(item.user).includes(':') ? item.user : `user:${item.user}`;
      const ttl = Math.floor(Date.parse(String(expiresAt)) / 1000);
      Object.assign(facts(), { subject: holder, ...(hash ? { hash } : {}), endsAt: expiresAt, ttl });
      facts().status = revoked ? 'revoked' : 'active';
    }
    if (Type === 'Role' && !closing.has(PK)) {
      const owner = String(scope).includes(':') ? upper(scope) : 'GLOBAL#GATEHOUSE';
      factsOf(owner)[roleAttribute(String(item.id))] = item.parent ?? '';
    }
  }
  for (const { user, group } of edges('Membership', ...SUBJECTS))
    addTo(factsOf(subject(user)), 'groups', group);
  for (const { user, role } of edges('GlobalRole', ...SUBJECTS)) addTo(factsOf(subject(user)), 'roles', role);
  for (const { user } of edges('Admin', ...SUBJECTS)) factsOf(subject(user)).isAdmin = true;
  for (const { PK, group, role, scope } of edges('GroupRole', 'GROUP')) {
    if (!closing.has(PK)) addTo(factsOf(upper(scope)), groupAttribute(String(group)), role);
  }
  for (const { user, role, scope, startsAt, endsAt } of edges('Assignment', ...SUBJECTS)) {
    const attribute = assignmentAttribute(String(scope), String(role));
    factsOf(subject(user))[attribute] = formatInterval(text(startsAt), text(endsAt));
  }
  for (const { user, scope, roles } of edges('TenantGrant', ...SUBJECTS)) {
    for (const role of roles as string[]) addTo(factsOf(subject(user)), grantAttribute(String(scope)), role);
  }
  for (const { role, permission, effect, roleScope } of edges('RolePermission', 'ROLE')) {
    const [id, name, owner] = [String(role), String(permission), String(roleScope)];
    const ofTenant = owner.includes(':');
    if (isPermissionPattern(name)) {
      factsOf(ofTenant ? upper(owner) : 'GLOBAL#GATEHOUSE')[patternAttribute(id, name)] = effect;
      continue;
    }
    const node = `${name.includes(':') ? 'PERMISSION' : 'PAGE'}#${name}`;
    const facts = ofTenant ? factsOf(upper(owner), `DECISION#${node}`) : factsOf(node);
    addTo(facts, effect === 'ALLOW' ? 'allow' : 'deny', id);
  }
  return decisions;
}

/** What the table has for its decision items, without bookkeeping and without flags that are down. */
export function decisionsOf(items: readonly Item[]): Map<string, Facts> {
  const found = items
    .filter((item) => item.Type === 'Decision' && !isEmptied(item))
    .map((item): [string, Facts] => [
      `${item.PK} / ${item.SK}`,
      Object.fromEntries(
        Object.entries(item).filter(([name, value]) => !BOOKKEEPING.has(name) && value !== false),
      ),
    ]);
  // The item of what holds everywhere comes with the first permission and stays, the revision of an API with its first
  // route.
  const stays = (key: string) => key === 'GLOBAL#GATEHOUSE / DECISION' || key.startsWith('API#');
  return new Map(found.filter(([key, facts]) => !stays(key) || Object.keys(facts).length));
}
