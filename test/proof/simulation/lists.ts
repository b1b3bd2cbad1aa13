import type { Model } from '../oracle/model.ts';
import type { Random } from '../oracle/random.ts';
import type { SmallNames } from './worlds.ts';

/** A list that an administrator asks for, and what is right to answer. */
export interface List {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What tells an item of the answer. */
  readonly nameOf: (item: Readonly<Record<string, unknown>>) => string;
  /** The same of all that the list has, by a model. */
  readonly namesIn: (model: Model) => readonly string[];
}

/** Members of a group, roles of a group, effects of a role; as many as one page holds. */
export function drawList(random: Random, { groups, roles }: SmallNames): List {
  const [group, role, limit] = [random.pick(groups), random.pick(roles), random.pick([1, 2, 100])];
  switch (random.below(3)) {
    case 0:
      return {
        command: 'membership.list',
        input: { group, limit },
        nameOf: ({ user }) => (String(user).includes(':') ? String(user) : `user:${user}`),
        namesIn: ({ memberships }) =>
          memberships.filter((each) => each.group === group).map(({ subject }) => subject),
      };
    case 1:
      return {
        command: 'group-role.list',
        input: { group, limit },
        nameOf: (item) => String(item.role),
        namesIn: ({ groupRoles }) =>
          groupRoles.filter((each) => each.group === group).map((each) => each.role),
      };
    default:
      return {
        command: 'role-permission.list',
        input: { role, limit },
        nameOf: ({ permission, effect, when }) => `${permission} ${effect} ${when ?? ''}`,
        namesIn: ({ effects }) =>
          effects
            .filter((each) => each.role === role)
            .map(({ on, effect, when }) => `${on} ${effect} ${when ?? ''}`),
      };
  }
}

/** What was answered to a list. */
export interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly cursor?: string | undefined;
}

/** Whether a page is one of what a model has: all of it, or as much as one page holds. */
export function isPageOf({ input, nameOf, namesIn }: List, { items, cursor }: Listed, model: Model): boolean {
  const [shown, all] = [items.map(nameOf), namesIn(model)];
  const isAmong = new Set(shown).size === shown.length && shown.every((name) => all.includes(name));
  return isAmong && (cursor === undefined ? shown.length === all.length : shown.length === input.limit);
}
