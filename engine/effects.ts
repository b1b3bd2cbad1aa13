import type { Effect, PermissionFacts, RoleTable } from '../table/decision/facts.ts';
import type { CheckedPermission } from './needs.ts';
import { type Bits, numbered, setBit } from './numbering.ts';
import type { View } from './view.ts';

/** Which roles of one owner allow a permission, and which deny it, by their numbers. */
interface Marks {
  readonly allow: Bits;
  readonly deny: Bits;
}

/** What a permission is, and what each role does to it under one root: steps 3, 5 and 7 of SPEC section 2. */
export interface Effects {
  readonly isRegistered: boolean;
  /** Its module, where that is sold by subscription. */
  readonly soldModule: string | undefined;
  /** Of the roles that the root owns. */
  readonly own: Marks;
  /** Of the roles that hold everywhere. */
  readonly everywhere: Marks;
}

type Asked = Pick<View, 'permission' | 'owned' | 'global'> & { readonly roles: RoleTable | undefined };

/** Brings the effects on a permission, exact and by wildcard, down to bits. `roles` are those of the root. */
export function effectsOn({ permission, owned, global, roles }: Asked): Effects {
  const module = permission?.module;
  return {
    isRegistered: permission?.registered === true,
    soldModule: module !== undefined && global.soldModules.has(module) ? module : undefined,
    own: roles ? marksOf(roles, owned, permission) : NONE,
    everywhere: marksOf(global.roles, permission, permission),
  };
}

const NONE: Marks = { allow: [], deny: [] };

function marksOf(
  table: RoleTable,
  exact: PermissionFacts | null,
  permission: CheckedPermission | null,
): Marks {
  const marks = { allow: [] as number[], deny: [] as number[] };
  const { numbers, patterned } = numbered(table);
  const markAll = (roles: Iterable<string>, bits: number[]) => {
    for (const role of roles) {
      const number = numbers.get(role);
      // A role that its owner does not list is not in force.
      if (number !== undefined) setBit(bits, number);
    }
  };
  if (exact) {
    markAll(exact.allow, marks.allow);
    markAll(exact.deny, marks.deny);
  }
  const mark = (effect: Effect, number: number) =>
    setBit(effect === 'ALLOW' ? marks.allow : marks.deny, number);
  for (const { number, patterns } of patterned) {
    for (const pattern of permission?.covering ?? []) {
      const effect = patterns.get(pattern);
      if (effect) mark(effect, number);
    }
  }
  return marks;
}
