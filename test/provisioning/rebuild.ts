import {
  assignmentAttribute,
  formatInterval,
  grantAttribute,
  groupAttribute,
  patternAttribute,
  roleAttribute,
} from '../../table/decision/attributes.ts';
import type { Item } from '../../table/item.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { isEmptied } from './support.ts';

/**
 * What every decision item should hold, made from the nodes and edges alone, in the plainest way. The
 * differences to what is there are faults of the writer.
 */
type Facts = Record<string, unknown>;
const BOOKKEEPING = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt']);

const upper = (ref: string) => {
  const [type = '', ...id] = ref.split(':');
  return `${type.toUpperCase()}#${id.join(':')}`;
};

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
  const edges = (type: string, from: string) =>
    items.filter((item) => item.Type === type && item.PK.startsWith(`${from}#`));
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

  for (const item of items) {
    const facts = () => factsOf(item.PK);
    const { status, endsAt, combination, ancestors, scope } = item;
    if (item.Type === 'User') Object.assign(facts(), endsAt ? { status, endsAt } : { status });
    if (item.Type === 'Tenant' || item.Type === 'Location') {
      Object.assign(facts(), { status, combination, ancestors });
    }
    if (item.Type === 'Page' || item.Type === 'Permission') Object.assign(facts(), { registered: true });
    if (item.Type === 'Role') {
      const owner = String(scope).includes(':') ? upper(String(scope)) : 'GLOBAL#GATEHOUSE';
      factsOf(owner)[roleAttribute(String(item.id))] = item.parent ?? '';
    }
  }
  for (const { user, group } of edges('Membership', 'USER')) addTo(factsOf(`USER#${user}`), 'groups', group);
  for (const { user, role } of edges('GlobalRole', 'USER')) addTo(factsOf(`USER#${user}`), 'roles', role);
  for (const { user } of edges('Admin', 'USER')) factsOf(`USER#${user}`).isAdmin = true;
  for (const { group, role, scope } of edges('GroupRole', 'GROUP')) {
    addTo(factsOf(upper(String(scope))), groupAttribute(String(group)), role);
  }
  for (const { user, role, scope, startsAt, endsAt } of edges('Assignment', 'USER')) {
    const attribute = assignmentAttribute(String(scope), String(role));
    factsOf(`USER#${user}`)[attribute] = formatInterval(text(startsAt), text(endsAt));
  }
  for (const { user, scope, roles } of edges('TenantGrant', 'USER')) {
    for (const role of roles as string[]) addTo(factsOf(`USER#${user}`), grantAttribute(String(scope)), role);
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
  // The item of the global roles comes with the first of them and stays.
  return new Map(
    found.filter(([key, facts]) => key !== 'GLOBAL#GATEHOUSE / DECISION' || Object.keys(facts).length),
  );
}
