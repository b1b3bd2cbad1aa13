import { defined } from '../table/defined.ts';
import { badRequest } from './errors.ts';
import { comparisonsIn, type Filter } from './filter.ts';
import { type GroupChanges, groupChanges, type MemberChanges, noUser } from './group-changes.ts';
import { readAll } from './page.ts';
import { attributesOf, readPatch } from './patch.ts';
import { CommandError, type Result, type Send } from './port.ts';
import {
  type Asked,
  answerToQuery,
  type Finding,
  groupsOf,
  idIn,
  listing,
  metaOf,
  nothing,
  type Resources,
} from './resources.ts';
import { GROUP_SCHEMA, GROUPS, USERS } from './schema.ts';
import type { Resource } from './wanted.ts';

/** Members that one answer shows, of all its groups. */
const MOST_MEMBERS = 10_000;

const resourceOf = (base: string, link: Result): Resource =>
  defined({
    schemas: [GROUP_SCHEMA],
    id: String(link.group),
    externalId: link.externalId,
    displayName: link.displayName,
    meta: metaOf(GROUPS, base, String(link.group), link),
  }) as Resource;

const read = (send: Send, id: string) => send('scim-group.read', { group: idIn(id) });

const FINDING: Finding = {
  type: GROUPS,
  list: 'scim-group.list',
  lookUps: {
    id: async ({ send }, id) => [await read(send, id)],
    displayName: async ({ send }, displayName) => [await send('scim-group.find', { displayName })],
    externalId: async ({ send }, externalId) => [await send('scim-group.find', { externalId })],
    'members.value': ({ send }, user) => groupsOf(send, user),
  },
  resourceOf,
  special: membersNamedIn,
};

/** The groups of each user whom a filter names as a member, which are compared instead of all members of each group. */
async function membersNamedIn(send: Send, filter: Filter) {
  const named = comparisonsIn(filter).filter(
    (each) => 'attrPath' in each && GROUPS.find(each.attrPath)?.at[0] === 'members',
  );
  const groups = new Map<unknown, ReadonlySet<unknown>>();
  for (const each of named) {
    const [, sub = 'value'] = ('attrPath' in each && GROUPS.find(each.attrPath)?.at) || [];
    if (each.op !== 'eq' || sub !== 'value' || typeof each.compValue !== 'string')
      throw badRequest('invalidFilter', 'members are filtered by value eq "…"');
    const found = await groupsOf(send, each.compValue).catch(nothing);
    groups.set(each.compValue, new Set(found.map(({ group }) => group)));
  }
  return (resource: Resource, { at }: { readonly at: readonly [string, string?] }, compare: Filter) => {
    if (at[0] !== 'members' || !('compValue' in compare)) return undefined;
    return groups.get(compare.compValue)?.has(resource.id) ? [compare.compValue] : [];
  };
}

const memberOf = (base: string, user: unknown) => ({
  value: user,
  $ref: `${base}${USERS.endpoint}/${user}`,
  type: 'User',
});

/** The ids of a group's members. Throws ScimError `tooMany` beyond `most`. */
async function membersOf(send: Send, group: unknown, most: number): Promise<readonly string[]> {
  const members = await readAll(listing(send, 'scim-group.list-members', { group }), most);
  return members.map(({ user }) => String(user));
}

/** The resource with its members where they are wanted, as far as an answer has room. */
async function shown(
  { send, base, wanted }: Asked,
  resource: Resource,
  room: { left: number },
): Promise<Resource> {
  if (!wanted.has('members')) return wanted.of(resource);
  const members = (await membersOf(send, resource.id, room.left)).map((user) => memberOf(base, user));
  room.left -= members.length;
  return wanted.of({ ...resource, ...(members.length > 0 ? { members } : {}) });
}

const roomy = () => ({ left: MOST_MEMBERS });

/** Refuses members that are no users of the connection, before anything else is written. */
async function assertUsers({ areAll }: Asked, { add = [], replace = [] }: MemberChanges): Promise<void> {
  const inputs = [...add, ...replace].map((user) => ({ user }));
  if (!(await areAll('scim-user.read', inputs))) throw noUser();
}

async function changeMembers(send: Send, group: string, changes: MemberChanges): Promise<void> {
  try {
    await send('scim-group.members', { group, ...changes });
  } catch (error) {
    const isOfMember = error instanceof CommandError && error.failure.code === 'invalid';
    throw isOfMember ? noUser() : error;
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof CommandError && error.failure.code === 'conflict';

/** What a POST has made that stopped before the last member: a group of these names, with some of these members alone. */
async function begunWith(
  send: Send,
  names: { readonly displayName: string; readonly externalId?: string },
  members: readonly string[],
): Promise<Result | undefined> {
  const link = await send('scim-group.find', { displayName: names.displayName }).catch(() => undefined);
  if (!link || link.displayName !== names.displayName || link.externalId !== names.externalId)
    return undefined;
  const there = await membersOf(send, link.group, MOST_MEMBERS);
  const isBegun = there.length < members.length && there.every((user) => members.includes(user));
  return isBegun ? link : undefined;
}

/** A group of the request's body, with the name that each has to have. */
function readGroup(body: unknown): GroupChanges & { readonly displayName: string } {
  const { displayName, ...rest } = groupChanges(attributesOf(body, GROUPS));
  if (displayName === undefined) throw badRequest('invalidValue', 'displayName is required');
  return { displayName, ...rest };
}

/** Changes what a request says, members last: until all of it is judged, nothing is written. */
async function change(
  asked: Asked,
  group: string,
  { members, ...attributes }: GroupChanges,
): Promise<Result | undefined> {
  const { send } = asked;
  const isAboutItself = Object.keys(attributes).length > 0;
  if (isAboutItself && members) await assertUsers(asked, members);
  const link = isAboutItself ? await send('scim-group.update', { group, ...attributes }) : undefined;
  if (members) await changeMembers(send, group, members);
  return link;
}

export const groups: Resources = {
  type: GROUPS,
  create: async (asked, body) => {
    const { members = {}, displayName, externalId } = readGroup(body);
    await assertUsers(asked, members);
    const { replace: add = [] } = members;
    const names = { displayName, ...(externalId ? { externalId } : {}) };
    const link = await asked.send('scim-group.create', names).catch(async (error: unknown) => {
      const begun = isTaken(error) && (await begunWith(asked.send, names, add));
      if (!begun) throw error;
      return begun;
    });
    if (add.length > 0) await changeMembers(asked.send, String(link.group), { add });
    return shown(asked, resourceOf(asked.base, link), roomy());
  },
  read: async (asked, id) => shown(asked, resourceOf(asked.base, await read(asked.send, id)), roomy()),
  list: (asked) => {
    const room = roomy();
    return answerToQuery(asked, FINDING, (resource) => shown(asked, resource, room));
  },
  replace: async (asked, id, body) => {
    const before = await read(asked.send, id);
    const { members = { replace: [] }, ...attributes } = readGroup(body);
    const link = await change(asked, id, { ...attributes, members });
    return shown(asked, resourceOf(asked.base, link ?? before), roomy());
  },
  patch: async (asked, id, body) => {
    const before = await read(asked.send, id);
    const link = await change(asked, id, groupChanges(readPatch(body, GROUPS), id));
    if (!asked.wanted.isSaid) return undefined;
    return shown(asked, resourceOf(asked.base, link ?? before), roomy());
  },
  delete: (asked, id) => asked.send('scim-group.delete', { group: idIn(id) }),
};
