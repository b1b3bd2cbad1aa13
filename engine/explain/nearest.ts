import type { View } from '../view.ts';
import { type Elsewhere, rootOf } from './elsewhere.ts';
import { MAX_SHOWN, type Nearest, type PeriodState, type Relation, type Some } from './explanation.ts';
import type { Names } from './names.ts';
import {
  type Hold,
  helpOf,
  holdState,
  type Reached,
  roleRef,
  sourceOf,
  type Tables,
  tablesOf,
} from './ways.ts';

/** How a role would help with what was asked for, by what is known of roles where it is held. */
type HelpOf = (role: string, known: Tables) => Reached | undefined;

/** What would have helped, by what the view and the reads elsewhere tell. */
export function nearestOf(
  view: View,
  permission: string,
  held: Iterable<Hold>,
  elsewhere: Elsewhere,
  at: number,
  names: Names,
): Nearest {
  const denyOverrides = view.scopes.at(-1)?.combination === 'deny-overrides';
  const help: HelpOf = (role, known) => helpOf(role, permission, known, denyOverrides);
  return {
    held: some(heldThatHelps(holdsAround(view, held, elsewhere), at, help), (each) => ({
      from: sourceOf(each.hold, names),
      roles: each.roles.map((id) => names.of(roleRef(id))),
      relation: each.relation,
      period: each.period,
    })),
    groups: some(groupsThatHelp(view, help), ({ group, scope, role }) => ({
      group: names.of(`group:${group}`),
      scope: names.of(scope),
      role: names.of(roleRef(role)),
    })),
    roles: some(rolesThatHelp(tablesOf(view), help), ({ role, by }) => ({
      role: names.of(roleRef(role)),
      by,
    })),
    lookedAt: elsewhere.lookedAt,
  };
}

/** What is held, how it stands to what was asked for, and what is known of roles there. */
interface Around {
  readonly hold: Hold;
  readonly relation: Relation;
  readonly known: Tables;
}

/** On the path first, then what is held elsewhere. */
function* holdsAround(view: View, held: Iterable<Hold>, elsewhere: Elsewhere): Generator<Around> {
  const tables = tablesOf(view);
  const here = view.scopes[0]?.ref ?? '';
  const root = view.scopes.at(-1)?.ref;
  for (const hold of held) {
    if ('scope' in hold) yield { hold, relation: hold.scope === here ? 'here' : 'above', known: tables };
  }
  for (const hold of elsewhere.holds) {
    const place = 'scope' in hold ? elsewhere.places.get(hold.scope) : undefined;
    if (!place) continue;
    if (rootOf(place) === root) {
      yield { hold, relation: place.ancestors.includes(here) ? 'below' : 'beside', known: tables };
    } else {
      const theirs = elsewhere.places.get(rootOf(place))?.roles ?? new Map();
      const owned = elsewhere.owned.get(rootOf(place)) ?? null;
      yield { hold, relation: 'other_tenant', known: { ...tables, root: theirs, owned } };
    }
  }
}

const RELATIONS: readonly Relation[] = ['here', 'above', 'below', 'beside', 'other_tenant'];

/** Tables have no order of their own, and the same question is to be answered in the same words. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Held, but not in force here: nearest first. */
function heldThatHelps(around: Iterable<Around>, at: number, helping: HelpOf) {
  const found: { hold: Hold; roles: readonly string[]; relation: Relation; period: PeriodState }[] = [];
  for (const { hold, relation, known } of around) {
    const period = holdState(hold, at);
    const isOnPath = relation === 'here' || relation === 'above';
    // On the path only the time can be wrong: what counts there has been looked at.
    if (isOnPath && period === 'holds') continue;
    const help = helping(hold.role, known);
    if (help) found.push({ hold, roles: help.chain, relation, period });
  }
  const rank = ({ relation, period }: (typeof found)[number]) =>
    RELATIONS.indexOf(relation) * 2 + (period === 'holds' ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other) || inOrder(one.hold.role, other.hold.role));
}

/** Groups on the path that carry a role that helps, and that the subject is not in. */
function groupsThatHelp(view: View, helping: HelpOf) {
  const tables = tablesOf(view);
  const isMember = new Set(view.subject?.groups);
  return view.scopes.flatMap((scope) => {
    if (!scope) return [];
    const groups = [...scope.groups].sort(([one], [other]) => inOrder(one, other));
    return groups.flatMap(([group, carried]) => {
      const role = isMember.has(group) ? undefined : carried.find((each) => helping(each, tables));
      return role ? [{ group, scope: scope.ref, role }] : [];
    });
  });
}

/** Roles that can be granted here and help: those that allow least besides first. */
function rolesThatHelp(tables: Tables, helping: HelpOf) {
  const roles: { role: string; by: string; rank: number }[] = [];
  for (const role of new Set([...tables.root.keys(), ...tables.global.keys()])) {
    const help = helping(role, tables);
    const own = tables.root.has(role) ? 0 : 1;
    if (help) roles.push({ role, by: help.by.name, rank: (help.width * 100 + help.chain.length) * 2 + own });
  }
  return roles.sort((one, other) => one.rank - other.rank || inOrder(one.role, other.role));
}

/** The first few, shown; the rest is counted only. */
export const some = <T, S>(all: readonly T[], show: (one: T) => S): Some<S> => ({
  items: all.slice(0, MAX_SHOWN).map(show),
  more: Math.max(0, all.length - MAX_SHOWN),
});
