import type { PermissionFacts, RoleTable } from '../table/decision/facts.ts';
import type { CheckedPermission } from './needs.ts';
import { type Bits, bitsOf, numbered } from './numbering.ts';
import type { View } from './view.ts';

/** What a permission is, and what each role does to it under one root: steps 3, 5 and 7 of SPEC section 2. */
export interface Effects {
  readonly isRegistered: boolean;
  /** Its module, where that is sold by subscription. */
  readonly soldModule: string | undefined;
  /** The roles that allow it, and those that deny it, by their numbers: of those that the root owns. */
  readonly ownAllow: Bits;
  readonly ownDeny: Bits;
  /** The same of the roles that hold everywhere. */
  readonly globalAllow: Bits;
  readonly globalDeny: Bits;
}

type Asked = Pick<View, 'permission' | 'owned' | 'global'> & { readonly roles: RoleTable | undefined };

/** Brings the effects on a permission, exact and by wildcard, down to bits. `roles` are those of the root. */
export function effectsOn({ permission, owned, global, roles }: Asked): Effects {
  const module = permission?.module;
  const own = roles ? marksOf(roles, owned, permission) : NONE;
  const everywhere = marksOf(global.roles, permission, permission);
  return {
    isRegistered: permission?.registered === true,
    soldModule: module !== undefined && global.soldModules.has(module) ? module : undefined,
    ownAllow: bitsOf(own.allow),
    ownDeny: bitsOf(own.deny),
    globalAllow: bitsOf(everywhere.allow),
    globalDeny: bitsOf(everywhere.deny),
  };
}

/** Numbers of roles of one owner. */
interface Marks {
  readonly allow: readonly number[];
  readonly deny: readonly number[];
}

const NONE: Marks = { allow: [], deny: [] };

function marksOf(
  table: RoleTable,
  exact: PermissionFacts | null,
  permission: CheckedPermission | null,
): Marks {
  const { numbers, patterned } = numbered(table);
  // A role that its owner does not list is not in force.
  const listed = (roles: ReadonlySet<string> | undefined): number[] =>
    [...(roles ?? [])].flatMap((role) => numbers.get(role) ?? []);
  const marks = { allow: listed(exact?.allow), deny: listed(exact?.deny) };
  for (const { number, patterns } of patterned) {
    for (const pattern of permission?.covering ?? []) {
      const effect = patterns.get(pattern);
      if (effect) (effect === 'ALLOW' ? marks.allow : marks.deny).push(number);
    }
  }
  return marks;
}
