import * as z from 'zod';
import { isByScope } from '../../table/decision/split.ts';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { conflict, invalid, notFound } from '../../table/errors.ts';
import { formatRef, parseRef, SUBJECT_NODES } from '../../table/identifiers.ts';
import { edgeKey } from '../../table/keys.ts';
import {
  BY_HAND,
  hasOrigin,
  isByHand,
  isInForce,
  originsOf,
  readOrigins,
  withOrigin,
  withoutOrigin,
} from '../../table/membership-origins.ts';
import { edgesFrom, edgesToSubjects } from '../../table/partition-queries.ts';
import type { Names } from '../edges/names-beside-ids.ts';
import { group, subject } from '../edges/rights.ts';
import { type EdgeKind, rootOfEdge } from '../kinds/edge-commands.ts';
import { by } from '../kinds/lists.ts';
import { loadNode, textOf } from '../nodes/nodes.ts';
import type { Attributes } from '../visible.ts';

/** What lists show beside the ids. */
const GROUP_NAMES: Names = {
  of: (edge) => group(String(edge.group)),
  as: { groupName: 'name', groupType: 'groupType' },
};
export const USER_NAMES: Names = {
  of: (edge) => subject(String(edge.user)),
  as: { userDisplayName: 'displayName', userType: 'userType' },
  // An operator of one tenant may put anybody into a group whose id they know.
  withinTenant: true,
};

/** What takes one origin of a membership away. */
export const endOfMembership = (of: Attributes, origin: string) => ({
  command: 'membership.delete',
  input: { user: of.user, group: of.group, ...(origin === BY_HAND ? {} : { origin }) },
});

/** What ends a membership, whoever gives it. */
export const endsOfMembership = (edge: Attributes) =>
  originsOf(readOrigins(edge)).map((origin) => endOfMembership(edge, origin));

/** An operator's commands give a membership by hand, and take that away; connections have their own. */
const MEMBERSHIP_ORIGINS: NonNullable<EdgeKind['origins']> = {
  isGiven: (there) => there !== undefined && isByHand(there),
  join: (there, made) => {
    const before = readOrigins(there);
    // What counts already is listed where it is.
    return { ...there, ...withOrigin(before, BY_HAND), isByScope: !isInForce(before) && made.isByScope };
  },
  details: z.strictObject({
    origin: field.id
      .optional()
      .describe(`whose membership ends: the id of a connection; \`${BY_HAND}\`, if left out`),
  }),
  leave: (there, { origin }) => {
    const origins = readOrigins(there);
    const ending = origin === undefined ? BY_HAND : String(origin);
    if (hasOrigin(origins, ending)) {
      const left = withoutOrigin(origins, ending);
      const { origins: _, suspended: __, ...edge } = there;
      return left && { ...edge, ...left };
    }
    if (origin !== undefined) throw notFound('origin', `a membership that ${ending} gives`);
    const others = originsOf(origins).join(', ');
    throw conflict('origin', `nobody gives this membership by hand, but ${others}: name one as origin`);
  },
};

/** Nearly all members of a group are users: the few others are a range of their own. */
const NO_USERS = SUBJECT_NODES.filter((type) => type !== 'user');

export const membershipKind: EdgeKind = {
  type: 'membership',
  summary: 'the membership of a user in a group',
  identity: z.strictObject({ user: field.subject, group: field.id }),
  since: 'joinedAt',
  keyOf: (of) => edgeKey(subject(String(of.user)), group(String(of.group))),
  tenantOf: rootOfEdge,
  origins: MEMBERSHIP_ORIGINS,
  complete: async (planning, input) => {
    const node = await loadNode(planning, 'group', String(input.group), 'group');
    if (node.item.everyone === true)
      throw invalid('group', 'everyone is in this group: it has no memberships');
    return {
      attributes: {
        scope: textOf(node.item, 'scope'),
        isByScope: isByScope(node.item),
      },
      tenant: parseRef(textOf(node.item, 'root'), 'root'),
    };
  },
  lists: [
    by(
      { user: field.subject },
      ({ user, scope }) => {
        const query = edgesFrom(subject(user), 'group');
        if (scope === undefined) return query;
        const at = formatRef(parseScopeRef(scope, 'scope'));
        return { ...query, keep: (edge) => edge.scope === at };
      },
      { optional: { scope: field.ref }, names: GROUP_NAMES },
    ),
    by(
      { group: field.id },
      ({ group: id, withoutUsers }) => edgesToSubjects(group(id), withoutUsers ? NO_USERS : SUBJECT_NODES),
      { optional: { withoutUsers: z.boolean() }, names: USER_NAMES },
    ),
  ],
};
