import { defined } from '../table/defined.ts';
import { badRequest } from './errors.ts';
import { comparisonsIn } from './filter.ts';
import { attributesOf, readPatch } from './patch.ts';
import type { Result, Send } from './port.ts';
import {
  type Asked,
  answerToQuery,
  type Finding,
  groupsOf,
  idIn,
  metaOf,
  type Resources,
} from './resources.ts';
import { GROUPS, IDENTITY_SCHEMA, USER_SCHEMA, USERS } from './schema.ts';
import { type UserChanges, userChanges } from './user-changes.ts';
import type { Resource } from './wanted.ts';

function resourceOf(base: string, link: Result): Resource {
  const { user, userName, externalId, active, displayName, givenName, familyName, email, sub } = link;
  const name = givenName === undefined && familyName === undefined ? undefined : { givenName, familyName };
  return defined({
    schemas: sub === undefined ? [USER_SCHEMA] : [USER_SCHEMA, IDENTITY_SCHEMA],
    id: String(user),
    externalId,
    userName,
    active,
    displayName,
    name,
    emails: email === undefined ? undefined : [{ value: email, type: 'work', primary: true }],
    [IDENTITY_SCHEMA]: sub === undefined ? undefined : { sub },
    meta: metaOf(USERS, base, String(user), link),
  }) as Resource;
}

const read = (send: Send, id: string) => send('scim-user.read', { user: idIn(id) });

const FINDING: Finding = {
  type: USERS,
  list: 'scim-user.list',
  lookUps: {
    id: async ({ send }, id) => [await read(send, id)],
    userName: async ({ send }, userName) => [await send('scim-user.find', { userName })],
    externalId: async ({ send }, externalId) => [await send('scim-user.find', { externalId })],
    'emails.value': async ({ send, userWith }, email) => {
      const user = await userWith(email);
      return user === undefined ? [] : [await read(send, user)];
    },
  },
  resourceOf,
  special: async (_, filter) => {
    for (const each of comparisonsIn(filter))
      if ('attrPath' in each && USERS.find(each.attrPath)?.at[0] === 'groups')
        throw badRequest('invalidFilter', 'groups cannot be filtered by: ask for Groups with members.value');
    return () => undefined;
  },
};

/** The resource, with its groups where they are asked for. */
async function shown({ send, base, wanted }: Asked, resource: Resource): Promise<Resource> {
  if (!wanted.has('groups')) return wanted.of(resource);
  const groups = (await groupsOf(send, resource.id)).map(({ group, displayName: display }) => ({
    value: group,
    $ref: `${base}${GROUPS.endpoint}/${group}`,
    display,
  }));
  return wanted.of({ ...resource, ...(groups.length > 0 ? { groups } : {}) });
}

const withoutNull = (changes: UserChanges) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));

/** What a replacement takes away where it does not say it: not whether somebody is active, nor who somebody is. */
const REPLACED = { email: null, displayName: null, givenName: null, familyName: null } as const;

/** A user of the request's body, with the name that each has to have. */
function readUser(body: unknown): UserChanges {
  const changes = userChanges(attributesOf(body, USERS));
  if (changes.userName === undefined) throw badRequest('invalidValue', 'userName is required');
  return changes;
}

export const users: Resources = {
  type: USERS,
  create: async (asked, body) =>
    shown(asked, resourceOf(asked.base, await asked.send('scim-user.create', withoutNull(readUser(body))))),
  read: async (asked, id) => shown(asked, resourceOf(asked.base, await read(asked.send, id))),
  list: (asked) => answerToQuery(asked, FINDING, (resource) => shown(asked, resource)),
  replace: async (asked, id, body) => {
    const user = idIn(id);
    return updated(asked, user, { ...REPLACED, ...readUser(body) });
  },
  patch: async (asked, id, body) => {
    const before = await read(asked.send, id);
    const changes = userChanges(readPatch(body, USERS), {
      id,
      email: typeof before.email === 'string' ? before.email : undefined,
    });
    if (Object.keys(changes).length === 0) return shown(asked, resourceOf(asked.base, before));
    return updated(asked, id, changes);
  },
  delete: (asked, id) => asked.send('scim-user.delete', { user: idIn(id) }),
};

const updated = async (asked: Asked, user: string, changes: UserChanges) =>
  shown(asked, resourceOf(asked.base, await asked.send('scim-user.update', { user, ...changes })));
