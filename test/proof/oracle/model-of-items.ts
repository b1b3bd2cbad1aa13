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
  const optional = (value: unknown) => (value === undefined ? undefined : String(value));
  /** Attributes as texts; what is not there is undefined. */
  const texts = <Name extends string>(item: Item, ...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, optional(item[name])])) as Record<Name, string>;
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
  const statusOf = (item: Item) => (isClosing(item) ? 'closing' : String(item.status));
  /** Edges name a user by id, any other subject by reference. */
  const subjectOf = ({ user }: Item) => (String(user).includes(':') ? String(user) : `user:${user}`);
  const dated = (item: Item) => interval(item.startDate, item.endDate);

  return {
    ...emptyModel(),
    subjects: [...of('User'), ...of('TechnicalUser'), ...of('Subject')].map((item) => ({
      ref: refOf(item),
      status: statusOf(item),
      endsAt: instant(item.endsAt, Number.POSITIVE_INFINITY),
      account: optional(item.account),
      ...propertiesOf(item),
      ...(item.email === undefined ? {} : texts(item, 'email')),
      ...(item.mandateOptional === undefined ? {} : { mandateOptional: item.mandateOptional === true }),
    })),
    admins: ofSubjects('Admin').map(subjectOf),
    // Every node by its reference: questions name scopes alone.
    scopes: nodes
      .filter(({ Type }) => Type !== 'Subject')
      .map((item) => ({
        ...texts(item, 'parent', 'enterprise'),
        ref: refOf(item),
        status: statusOf(item),
        combination: String(item.combination),
        ...propertiesOf(item),
      })),
    groups: there('Group').map((item) => ({
      ...texts(item, 'id', 'scope'),
      everyone: item.everyone === true,
    })),
    memberships: ofSubjects('Membership').map((item) => ({
      ...texts(item, 'group'),
      subject: subjectOf(item),
    })),
    groupRoles: edges('GroupRole', 'GROUP#').map((item) => texts(item, 'group', 'role')),
    externalGroups: there('ExternalGroup').map((item) => ({
      ...texts(item, 'id', 'issuer', 'group'),
      root: String(item.scope),
      name: String(item.externalId),
    })),
    roles: there('Role').map((item) => texts(item, 'id', 'scope', 'parent')),
    effects: edges('RolePermission', 'ROLE#').map((item) => ({
      ...texts(item, 'role', 'effect', 'when'),
      on: String(item.permission),
    })),
    declarations: of('Property').map((item) => texts(item, 'of', 'name', 'type', 'source')),
    assignments: ofSubjects('Assignment').map((item) => ({
      ...texts(item, 'scope', 'role'),
      subject: subjectOf(item),
      ...interval(item.startsAt, item.endsAt),
    })),
    grants: ofSubjects('TenantGrant').map((item) => ({
      subject: subjectOf(item),
      root: String(item.scope),
      roles: item.roles as readonly string[],
    })),
    globalRoles: ofSubjects('GlobalRole').map((item) => ({
      ...texts(item, 'role'),
      subject: subjectOf(item),
    })),
    permissions: [...there('Page'), ...there('Permission')].map((item) => texts(item, 'name', 'module')),
    modules: of('Module').map((item) => ({ ...texts(item, 'name'), sold: item.soldBySubscription === true })),
    subscriptions: of('Subscription').map((item) => ({
      ...texts(item, 'id', 'scope', 'module', 'status'),
      ...dated(item),
    })),
    licences: of('License').map((item) => ({
      ...texts(item, 'id', 'account', 'enterprise', 'status'),
      ...dated(item),
    })),
    credentials: [
      ...there('LoginSession').map((item) => ({ item, active: item.status === 'active' })),
      ...there('AuthToken').map((item) => ({ item, active: item.revoked === false })),
    ].map(({ item, active }) => ({ ref: refOf(item), subject: subjectOf(item), active })),
    mandates: there('Mandate').map((item) => ({
      ...texts(item, 'id', 'subject', 'actor', 'when', 'hash'),
      permissions: item.permissions as readonly string[],
      scopes: item.scopes as readonly string[],
      endsAt: instant(item.endsAt, 0),
      active: item.status === 'active',
      counted: item.budget !== undefined,
    })),
    routes: there('Route').map((item) => texts(item, 'id', 'permission', 'scope')),
  };
}
