import type { Answer } from '../../provisioning/index.ts';
import type { Port } from '../../scim/port.ts';
import { GatehouseError } from '../../table/errors.ts';

type Link = Record<string, unknown>;

/** Commands of SCIM in memory, until they are there. */
export function createFakePort(now: () => number) {
  const users = new Map<string, Link>();
  const groups = new Map<string, Link>();
  const members = new Map<string, Set<string>>();
  const writes: string[] = [];
  const known: string[] = [];
  let next = 0;
  const fail = (code: 'invalid' | 'not_found' | 'conflict', field: string): never => {
    throw new GatehouseError(code, `${field} is wrong`, { field });
  };
  const key = (connection: unknown, id: unknown) => `${connection} ${id}`;
  const of = (all: Map<string, Link>, connection: unknown) =>
    [...all.values()].filter((each) => each.connection === connection);
  const unique = (all: Map<string, Link>, link: Link, fields: readonly string[]) => {
    for (const field of fields)
      for (const other of of(all, link.connection))
        if (
          other !== link &&
          link[field] !== undefined &&
          String(other[field]).toLowerCase() === String(link[field]).toLowerCase()
        )
          if ((other.user ?? other.group) !== (link.user ?? link.group)) fail('conflict', field);
  };
  const put = (all: Map<string, Link>, id: string, link: Link, fields: readonly string[]) => {
    const clean = Object.fromEntries(
      Object.entries(link).filter(([, value]) => value !== null && value !== undefined),
    );
    unique(all, clean, fields);
    const at = key(link.connection, id);
    if (JSON.stringify(all.get(at)) !== JSON.stringify(clean)) writes.push(at);
    all.set(at, clean);
    return clean;
  };
  const get = (all: Map<string, Link>, connection: unknown, id: unknown, field: string): Link =>
    all.get(key(connection, id)) ?? fail('not_found', field);
  const one = (found: readonly Link[]): Link => found[0] ?? fail('not_found', 'connection');
  const same = (field: string, value: unknown) => (each: Link) =>
    field === 'externalId'
      ? each[field] === value
      : String(each[field]).toLowerCase() === String(value).toLowerCase();
  const find = (all: Map<string, Link>, { connection, ...by }: Link) => {
    const [[field, value] = ['', '']] = Object.entries(by);
    return one(of(all, connection).filter(same(field, value)));
  };
  const checkEmail = ({ email }: Link) => {
    if (typeof email === 'string' && !email.endsWith('@example.com')) fail('invalid', 'email');
  };
  const commands: Record<string, (input: Link) => Link> = {
    'scim-user.create': (input) => {
      checkEmail(input);
      const user = `user-${++next}`;
      return put(
        users,
        user,
        { user, active: true, made: true, createdAt: new Date(now()).toISOString(), ...input },
        ['userName', 'externalId'],
      );
    },
    'scim-user.update': (input) => {
      checkEmail(input);
      const link = get(users, input.connection, input.user, 'user');
      return put(users, String(input.user), { ...link, ...input }, ['userName', 'externalId']);
    },
    'scim-user.delete': ({ connection, user }) => {
      get(users, connection, user, 'user');
      users.delete(key(connection, user));
      writes.push(key(connection, user));
      for (const each of members.values()) each.delete(String(user));
      return {};
    },
    'scim-user.read': ({ connection, user }) => get(users, connection, user, 'user'),
    'scim-user.find': (input) => find(users, input),
    'scim-user.list': ({ connection }) => ({ items: of(users, connection) }),
    'scim-user.list-groups': ({ connection, user }) => ({
      items: of(groups, connection).filter(({ group }) =>
        members.get(key(connection, group))?.has(String(user)),
      ),
    }),
    'scim-group.create': (input) => {
      const group = `group-${++next}`;
      return put(groups, group, { group, createdAt: new Date(now()).toISOString(), ...input }, [
        'displayName',
        'externalId',
      ]);
    },
    'scim-group.update': (input) =>
      put(groups, String(input.group), { ...get(groups, input.connection, input.group, 'group'), ...input }, [
        'displayName',
        'externalId',
      ]),
    'scim-group.delete': ({ connection, group }) => {
      get(groups, connection, group, 'group');
      groups.delete(key(connection, group));
      members.delete(key(connection, group));
      writes.push(key(connection, group));
      return {};
    },
    'scim-group.read': ({ connection, group }) => get(groups, connection, group, 'group'),
    'scim-group.find': (input) => find(groups, input),
    'scim-group.list': ({ connection }) => ({ items: of(groups, connection) }),
    'scim-group.list-members': ({ connection, group }) => ({
      items: [...(members.get(key(connection, group)) ?? [])].map((user) => ({ user })),
    }),
    'scim-group.members': ({ connection, group, add = [], remove = [], replace }) => {
      get(groups, connection, group, 'group');
      const before = members.get(key(connection, group)) ?? new Set<string>();
      for (const user of [...(add as string[]), ...((replace as string[]) ?? [])])
        if (!users.has(key(connection, user))) fail('invalid', 'members');
      const after = new Set((replace as string[]) ?? before);
      for (const user of remove as string[]) after.delete(user);
      for (const user of add as string[]) after.add(user);
      if ([...after].sort().join() !== [...before].sort().join()) writes.push(key(connection, group));
      members.set(key(connection, group), after);
      return {};
    },
    'scim-connection.update': ({ id, lastSyncAt }) => {
      known.push(`${id} ${lastSyncAt}`);
      return {};
    },
  };
  const synced = new Map<string, number>();
  const port: Port = {
    connectionOf: async (text) => {
      if (!/^token-[ab]$/.test(text)) return undefined;
      const id = text.slice(6);
      return { id, expiresAt: now() + 30.5 * 86_400_000, lastSyncAt: synced.get(id) };
    },
    provisioning: async ({ command, input }): Promise<Answer> => {
      try {
        if (command === 'scim-connection.update') synced.set(String(input.id), now());
        return { ok: true, result: (commands[command] as (input: Link) => Link)({ ...input }) };
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        const { code, message, field, retryable } = error;
        return { ok: false, error: { code, message, ...(field ? { field } : {}), retryable } };
      }
    },
  };
  return { port, writes };
}
