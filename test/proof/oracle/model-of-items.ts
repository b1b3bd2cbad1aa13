import type { Item } from '../../../table/item.ts';
import { emptyModel, type Model, type Properties } from './model.ts';

/**
 * The model that the nodes and edges of a table say: no decision item, no index, no mirror. What is being deleted in
 * steps counts for nothing from the first step on, and what is being moved in steps is closed.
 */
export function modelOf(items: readonly Item[]): Model {
  const isClosing = (item: Item) => item.deletingSince !== undefined || item.movingTo !== undefined;
  const nodes = items.filter(({ SK }) => SK === 'META');
  const of = (type: string) => nodes.filter(({ Type }) => Type === type);
  const there = (type: string) => of(type).filter((item) => !isClosing(item));
  /** Each edge once: its mirrors say the same. */
  const edges = (type: string, ...from: readonly string[]) =>
    items.filter(({ PK, Type }) => Type === type && from.some((prefix) => PK.startsWith(prefix)));
  const ofSubjects = (type: string) => edges(type, 'USER#', 'TECHNICAL_USER#', 'SUBJECT#');
  const text = (value: unknown): string => String(value);
  const optional = (value: unknown) => (value === undefined ? undefined : String(value));
  const instant = (value: unknown, otherwise: number) => (value ? Date.parse(String(value)) : otherwise);
  const interval = (start: unknown, end: unknown) => ({
    from: instant(start, Number.NEGATIVE_INFINITY),
    until: instant(end, Number.POSITIVE_INFINITY),
  });
  const refOf = ({ PK }: Item): string => {
    const [type = '', id] = PK.split('#');
    // The type of a subject may be data: its id then says it, and it is no scope of the same name.
    return type === 'SUBJECT' ? String(id) : `${type.toLowerCase().replaceAll('_', '-')}:${id}`;
  };
  const propertiesOf = ({ properties }: Item): { properties?: Properties } =>
    properties === undefined ? {} : { properties: properties as Properties };
  const statusOf = (item: Item) => (isClosing(item) ? 'closing' : text(item.status));
  /** Edges name a user by id, any other subject by reference. */
  const subjectOf = ({ user }: Item) => (text(user).includes(':') ? text(user) : `user:${user}`);

  return {
    ...emptyModel(),
    subjects: [...of('User'), ...of('TechnicalUser'), ...of('Subject')].map((item) => ({
      ref: refOf(item),
      status: statusOf(item),
      endsAt: instant(item.endsAt, Number.POSITIVE_INFINITY),
      account: optional(item.account),
      ...propertiesOf(item),
      ...(item.email === undefined ? {} : { email: text(item.email) }),
      ...(item.mandateOptional === undefined ? {} : { mandateOptional: item.mandateOptional === true }),
    })),
    admins: ofSubjects('Admin').map(subjectOf),
    // Every node by its reference: questions name scopes alone.
    scopes: nodes
      .filter(({ Type }) => Type !== 'Subject')
      .map((item) => ({
        ref: refOf(item),
        parent: optional(item.parent),
        status: statusOf(item),
        combination: text(item.combination),
        enterprise: optional(item.enterprise),
        ...propertiesOf(item),
      })),
    groups: there('Group').map(({ id, scope, everyone }) => ({
      id: text(id),
      scope: text(scope),
      everyone: everyone === true,
    })),
    memberships: ofSubjects('Membership').map((item) => ({
      subject: subjectOf(item),
      group: text(item.group),
    })),
    groupRoles: edges('GroupRole', 'GROUP#').map(({ group, role }) => ({
      group: text(group),
      role: text(role),
    })),
    externalGroups: there('ExternalGroup').map(({ id, scope, issuer, externalId, group }) => ({
      id: text(id),
      root: text(scope),
      issuer: text(issuer),
      name: text(externalId),
      group: text(group),
    })),
    roles: there('Role').map(({ id, scope, parent }) => ({
      id: text(id),
      scope: text(scope),
      parent: optional(parent),
    })),
    effects: edges('RolePermission', 'ROLE#').map(({ role, permission, effect, when }) => ({
      role: text(role),
      on: text(permission),
      effect: text(effect),
      when: optional(when),
    })),
    declarations: of('Property').map(({ of: owner, name, type, source }) => ({
      of: text(owner),
      name: text(name),
      type: text(type),
      source: text(source),
    })),
    assignments: ofSubjects('Assignment').map((item) => ({
      subject: subjectOf(item),
      scope: text(item.scope),
      role: text(item.role),
      ...interval(item.startsAt, item.endsAt),
    })),
    grants: ofSubjects('TenantGrant').map((item) => ({
      subject: subjectOf(item),
      root: text(item.scope),
      roles: item.roles as readonly string[],
    })),
    globalRoles: ofSubjects('GlobalRole').map((item) => ({
      subject: subjectOf(item),
      role: text(item.role),
    })),
    permissions: [...there('Page'), ...there('Permission')].map(({ name, module }) => ({
      name: text(name),
      module: optional(module),
    })),
    modules: of('Module').map(({ name, soldBySubscription }) => ({
      name: text(name),
      sold: soldBySubscription === true,
    })),
    subscriptions: of('Subscription').map((item) => ({
      id: text(item.id),
      scope: text(item.scope),
      module: text(item.module),
      status: text(item.status),
      ...interval(item.startDate, item.endDate),
    })),
    licences: of('License').map((item) => ({
      id: text(item.id),
      account: text(item.account),
      enterprise: text(item.enterprise),
      status: text(item.status),
      ...interval(item.startDate, item.endDate),
    })),
    credentials: [
      ...there('LoginSession').map((item) => ({ item, active: item.status === 'active' })),
      ...there('AuthToken').map((item) => ({ item, active: item.revoked === false })),
    ].map(({ item, active }) => ({ ref: refOf(item), subject: subjectOf(item), active })),
    mandates: there('Mandate').map((item) => ({
      id: text(item.id),
      subject: text(item.subject),
      actor: text(item.actor),
      permissions: item.permissions as readonly string[],
      scopes: item.scopes as readonly string[],
      endsAt: instant(item.endsAt, 0),
      active: item.status === 'active',
      counted: item.budget !== undefined,
      ...(item.when === undefined ? {} : { when: text(item.when) }),
      ...(item.hash === undefined ? {} : { hash: text(item.hash) }),
    })),
    routes: there('Route').map(({ id, permission, scope }) => ({
      id: text(id),
      permission: text(permission),
      scope: text(scope),
    })),
  };
}
