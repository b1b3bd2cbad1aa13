import { defined } from '../../../table/defined.ts';
import type { Change } from '../../access-difference/carry-out.ts';
import type { Row } from '../../apply/entry.ts';
import { type Grant, peopleIn, subjectOf } from './grants-of-people.ts';
import { createModel, type Model, type UsageOptions } from './model.ts';
import { type Used, usedOf } from './used.ts';
import type { AdminUse } from './uses.ts';

/** Something that nobody used, or that somebody never used, all the time, and what ends it. */
export interface Unused {
  readonly is: 'permission' | Grant['is'] | 'admin';
  /** References, and ids of roles and groups. */
  readonly subject?: string;
  readonly group?: string;
  readonly scope?: string;
  readonly roles: readonly string[];
  /** A permission or a pattern that a role allows. */
  readonly permission?: string;
  readonly ends: readonly Change[];
  /** Why an operator cannot end it. */
  readonly givenBy?: string;
}

export interface Usage {
  /** Rights of roles first, then those of people. */
  readonly unused: readonly Unused[];
  /** By reference: what administrators did as such; undefined where that is nothing. */
  readonly admins: ReadonlyMap<string, AdminUse | undefined>;
  /** Permissions of which nothing is said: they may be checked without the log. */
  readonly unlogged: readonly string[];
  /** How many unused rights are left out, because they may not have been there all the time. */
  readonly unsteady: number;
}

interface Found {
  readonly unused: Unused;
  readonly isSteady: boolean;
}

/** Says what nobody used. Where the log or the table leaves a doubt, it says nothing. */
export function usageOf(options: UsageOptions): Usage {
  const model = createModel(options);
  const used = usedOf(options, model);
  const admins = adminsOf(options);
  const found = [
    ...unusedOfRoles(options, model, used),
    ...unusedOfPeople(options, model, used),
    ...unusedOfAdmins(options, model, admins),
  ];
  const steady = found.filter(({ isSteady }) => isSteady);
  return {
    unused: steady.map(({ unused }) => unused),
    admins,
    unlogged: model.unlogged,
    unsteady: found.length - steady.length,
  };
}

function unusedOfRoles({ gathered, changes, tenant }: UsageOptions, model: Model, used: Used): Found[] {
  const found: Found[] = [];
  for (const [role, { scope, effects }] of gathered.rows.roles)
    for (const row of effects as readonly Row[]) {
      const permission = String(row.permission);
      if (row.effect !== 'ALLOW' || (tenant !== undefined && scope !== tenant)) continue;
      if (!model.isSpeakable(permission) || used.isUsed(role, permission)) continue;
      found.push({
        isSteady: model.wasSteady(role, permission) && model.isOld(row) && !changes.lostRoles.has(role),
        unused: {
          is: 'permission',
          roles: [role],
          permission,
          ends: [{ command: 'role-permission.delete', input: { role, permission } }],
        },
      });
    }
  return found;
}

/** Subjects by reference, for as long as they are active. */
function activeIn({ gathered: { rows }, at }: UsageOptions): (subject: string) => boolean {
  const people = peopleIn(rows);
  return (subject) => {
    const { status = 'active', endsAt } = people.get(subject) ?? { status: 'gone' };
    return status === 'active' && (endsAt === undefined || Date.parse(String(endsAt)) > at);
  };
}

function unusedOfPeople(options: UsageOptions, model: Model, used: Used): Found[] {
  const { gathered, tenant } = options;
  const { isTouched, isOld, pathOf, roles } = model;
  const isActive = activeIn(options);
  const isOpen = (scope: string): boolean =>
    (gathered.rows.scopes.get(scope)?.status ?? 'active') === 'active';
  return model.grants.flatMap((grant): Found[] => {
    const { is, subject, edge, entity, rolesAt, links, ends, givenBy } = grant;
    if (used.grants.has(grant) || (tenant !== undefined && is === 'global-role')) return [];
    const [scope] = rolesAt.flatMap(({ scope }) => scope ?? []);
    const path = scope === undefined ? [] : pathOf(scope);
    const allows = rolesAt.flatMap(({ role }) => roles.allowsOf(role));
    if (allows.length === 0 || !allows.every(({ name }) => model.isSpeakable(name))) return [];
    if (!isActive(subject) || !path.every(isOpen)) return [];
    const isSteady =
      isOld(edge) &&
      !isTouched(entity, subject, ...links, ...path) &&
      !model.mayHaveBeenDenied(subject) &&
      rolesAt.every(({ role }) => !isTouched(...roles.chainOf(role).map((each) => `role:${each}`))) &&
      allows.every(({ role, name }) => model.wasSteady(role, name));
    const group = is === 'membership' ? String(edge.group) : undefined;
    const unused = {
      is,
      subject,
      roles: rolesAt.map(({ role }) => role),
      ends,
      ...defined({ group, scope, givenBy }),
    };
    return [{ unused, isSteady }];
  });
}

const adminsOf = ({ gathered, uses, logged, tenant }: UsageOptions): Usage['admins'] =>
  new Map(
    (tenant === undefined ? gathered.edges.admin : []).map((edge) => {
      const subject = subjectOf(edge);
      return [subject, uses.byAdmin.get(logged.textOf(subject))];
    }),
  );

function unusedOfAdmins(
  { gathered, changes, tenant }: UsageOptions,
  { unlogged, isOld, isTouched }: Model,
  admins: Usage['admins'],
): Found[] {
  // An administrator may do anything: also what is checked without the log.
  if (tenant !== undefined || unlogged.length > 0) return [];
  return gathered.edges.admin.flatMap((edge): Found[] => {
    const subject = subjectOf(edge);
    const hasActed = [subject, String(edge.user)].some((each) => changes.actors.has(each));
    if (admins.get(subject) || hasActed) return [];
    return [
      {
        isSteady: isOld(edge) && !isTouched(`admin:${edge.user}`, subject),
        unused: {
          is: 'admin',
          subject,
          roles: [],
          ends: [{ command: 'admin.delete', input: { user: edge.user } }],
        },
      },
    ];
  });
}
