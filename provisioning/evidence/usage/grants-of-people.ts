import { formatRef, readSubject } from '../../../table/identifiers.ts';
import { isByHand, isInForce, readOrigins } from '../../../table/membership-origins.ts';
import { namesCovering } from '../../../table/permission-name.ts';
import type { Change } from '../../access-difference/carry-out.ts';
import type { Row } from '../../apply/entry.ts';
import { ACCESS_OF } from '../../apply/sections.ts';
import { endsOfMembership } from '../../commands/memberships.ts';
import type { Gathered } from '../../export/gather.ts';
import { chainOf as chainIn } from '../../matrix/matrix.ts';
import { remembered } from '../../remembered.ts';

/** Who holds which roles where, and what roles allow: what edges of the table say. */

/** A role at a scope and below it; without a scope everywhere. */
export interface RoleAt {
  readonly role: string;
  readonly scope: string | undefined;
}

/** What one edge gives somebody. */
export interface Grant {
  readonly is: 'membership' | 'assignment' | 'grant' | 'global-role';
  /** A reference. */
  readonly subject: string;
  readonly edge: Row;
  /** As audit records name it. */
  readonly entity: string;
  readonly rolesAt: readonly RoleAt[];
  /** Links that have to be there, too, as audit records name them. */
  readonly links: readonly string[];
  readonly ends: readonly Change[];
  /** Why an operator cannot end it. */
  readonly givenBy?: string;
}

/** An ALLOW of a role, or of one that it inherits from. */
export interface Allow {
  /** The role that has it. */
  readonly role: string;
  /** A permission or a pattern. */
  readonly name: string;
}

export const subjectOf = ({ user }: Row): string => formatRef(readSubject(String(user), 'user'));

/** Those of whom the table knows more than an edge, by reference. */
export const peopleIn = ({ users, technicalUsers, subjects }: Gathered['rows']): ReadonlyMap<string, Row> =>
  new Map([...[...users].map(([id, row]) => [`user:${id}`, row] as const), ...technicalUsers, ...subjects]);

/** The roles of a table with what each allows. */
export function createRoles({ roles }: Gathered['rows']) {
  const chainOf = remembered((id: string) => chainIn(id, roles));
  const own = new Map<string, ReadonlySet<string>>(
    [...roles].map(([id, { effects }]) => [
      id,
      new Set(
        (effects as readonly Row[]).flatMap(({ effect, permission }) =>
          effect === 'ALLOW' ? [String(permission)] : [],
        ),
      ),
    ]),
  );
  const allowsOf = (id: string): readonly Allow[] =>
    chainOf(id).flatMap((role) => [...(own.get(role) ?? [])].map((name) => ({ role, name })));
  /** By which of its ALLOWs a role gives a permission. */
  const allowing = (id: string, permission: string): readonly Allow[] => {
    const names = namesCovering(permission);
    return chainOf(id).flatMap((role) =>
      names.filter((name) => own.get(role)?.has(name)).map((name) => ({ role, name })),
    );
  };
  return { chainOf, allowsOf, allowing };
}

type Word = Exclude<keyof typeof ACCESS_OF, 'admin'>;

/**
 * The edges that count at an instant, and the roles that people hold by no edge: those of `everyone`, and of groups that
 * stand in tokens.
 *
 * @param at epoch milliseconds
 */
export function grantsIn({ rows: { groups, externalGroups }, edges }: Gathered, at: number) {
  const rolesAt = (roles: unknown, scope?: unknown): readonly RoleAt[] =>
    [roles ?? []].flat().map((role) => ({
      role: String(role),
      scope: scope === undefined ? undefined : String(scope),
    }));
  const ofGroup = (id: unknown): readonly RoleAt[] => {
    const { roles, scope } = groups.get(String(id)) ?? {};
    return rolesAt(roles, scope);
  };
  const isNow = ({ startsAt, endsAt }: Row): boolean =>
    (startsAt === undefined || Date.parse(String(startsAt)) <= at) &&
    (endsAt === undefined || Date.parse(String(endsAt)) > at);
  const counts: Readonly<Record<Word, (edge: Row) => boolean>> = {
    groups: (edge) => isInForce(readOrigins(edge)),
    assignments: isNow,
    grants: () => true,
    globalRoles: () => true,
  };
  function grantOf(word: Word, edge: Row): Grant {
    const { kind, names } = ACCESS_OF[word];
    const input = Object.fromEntries(names.map((name) => [name, edge[name]]));
    const isMembership = word === 'groups';
    const roles = isMembership ? ofGroup(edge.group) : rolesAt(edge.roles ?? edge.role, edge.scope);
    return {
      is: kind,
      subject: subjectOf(edge),
      edge,
      entity: `${kind}:${kind === 'grant' ? edge.id : Object.values(input).join(' ')}`,
      rolesAt: roles,
      links: isMembership ? roles.map(({ role }) => `group-role:${edge.group} ${role}`) : [],
      ends: isMembership ? endsOfMembership(edge) : [{ command: `${kind}.delete`, input }],
      ...(isMembership && !isByHand(edge)
        ? { givenBy: 'a connection gives it: end it at the identity provider' }
        : {}),
    };
  }
  const grants = (Object.keys(counts) as Word[]).flatMap((word) =>
    edges[word].filter(counts[word]).map((edge) => grantOf(word, edge)),
  );
  const inTokens = new Set([...externalGroups.values()].map(({ group }) => String(group)));
  const open = [...groups].flatMap(([id, { everyone }]) =>
    everyone === true || inTokens.has(id) ? ofGroup(id) : [],
  );
  return { grants, open };
}
