import { patternsCovering } from '../../table/permission-name.ts';
import type { Part } from './compare.ts';
import type { Phase } from './phase.ts';
import { SCOPE_KINDS, TIES } from './phase.ts';
import type { Survey } from './survey.ts';

/**
 * What no order makes safe, and so goes into one transaction (docs/manifests.md): what changes for somebody in roles
 * that both allow and deny; pages, permissions and places that are there for somebody as soon as they are made, with
 * what refuses them. And somebody new comes with all that they hold.
 */
export interface Placed {
  readonly part: Part;
  readonly phase: Phase;
}

/** Where a part goes instead of its own place; nothing of it is said where it stays there. */
export interface Belonging {
  readonly phase?: Phase;
  readonly unit?: string;
  /** Of units in one phase, those of a lower number come first. */
  readonly group?: number;
}

const ALONE: Belonging = {};
/** What comes before `together`. */
const EARLY: ReadonlySet<Phase> = new Set(['prepare', 'deny', 'switch']);
const PERMISSIONS: ReadonlySet<string> = new Set(['page', 'permission']);
const SUBJECTS: ReadonlySet<string> = new Set(['user', 'technical-user']);

/** What other commands call a thing by, told apart from names for people. */
export const namesOf = ({ kind, identity }: Pick<Part['fact'], 'kind' | 'identity'>): readonly string[] =>
  PERMISSIONS.has(kind)
    ? [asPermission(identity.name)]
    : identity.id === undefined
      ? []
      : [String(identity.id), `${identity.type ?? kind}:${identity.id}`];

/** The things that a command names. */
export const namedIn = (input: Part['input']): readonly string[] => [
  ...Object.values(input)
    .flat()
    .filter((value): value is string => typeof value === 'string'),
  ...('permission' in input ? [asPermission(input.permission)] : []),
];
const asPermission = (name: unknown): string => `permission ${name}`;

/** Whose change it is: of a tie, who holds it. */
const holderOf = ({ fact: { kind, identity } }: Part): string =>
  kind === 'group-role'
    ? `group ${identity.group}`
    : TIES.has(kind)
      ? `subject ${identity.user}`
      : `${kind} ${identity.id}`;

/** `placed` in the order in which each rests on those before it. */
export function belongings(
  placed: readonly Placed[],
  { wanted, present, inherits }: Survey,
  isMixed: (part: Part) => boolean,
): (part: Part) => Belonging {
  const found = new Map<Part, Belonging>();
  const made = placed.filter(({ part }) => part.verb === 'create').map(({ part }) => part);
  const isNew = new Set(made.flatMap(({ fact }) => namesOf(fact)));
  // It has no members yet: what it carries gives nobody anything.
  const isOfNewGroup = ({ fact: { kind, identity } }: Part): boolean =>
    kind === 'group-role' && isNew.has(String(identity.group));

  // Somebody new: nobody asks for them before they are there, with all that they hold.
  const comes = new Map<string, string>();
  for (const { fact } of made)
    if (SUBJECTS.has(fact.kind))
      for (const name of namesOf(fact)) comes.set(name, `subject ${fact.identity.id}`);
  for (const { part } of placed) {
    const unit = [...namesOf(part.fact), ...namedIn(part.input)]
      .map((name) => comes.get(name))
      .find((each) => each !== undefined);
    if (unit !== undefined) found.set(part, { phase: 'open', unit, group: 2 });
  }

  const effects = [...wanted, ...present].filter(({ kind }) => kind === 'role-permission');
  if (!effects.some(({ values }) => values.effect === 'DENY')) return (part) => found.get(part) ?? ALONE;

  // What is there at once for whom a role covers it: pages and permissions by a pattern, places by what is above them.
  const patterns = new Set(
    present
      .filter(({ kind, values }) => kind === 'role-permission' && values.effect === 'ALLOW')
      .map(({ identity }) => identity.permission),
  );
  const units = new Map<string, string>();
  const places = new Set<string>();
  for (const { part, phase } of placed) {
    const { fact, verb } = part;
    if (verb !== 'create' || found.has(part)) continue;
    const { kind, identity } = fact;
    const isCovered =
      PERMISSIONS.has(kind) &&
      patternsCovering(String(identity.name)).some((pattern) => patterns.has(pattern));
    const { parent } = part.input;
    const isBelow = SCOPE_KINDS.has(kind) && typeof parent === 'string';
    const isReached = isBelow && (units.has(parent) || !isNew.has(parent));
    const above = namedIn(part.input)
      .map((name) => units.get(name))
      .find((each) => each !== undefined);
    const follows = above !== undefined && (isOfNewGroup(part) || EARLY.has(phase));
    if (!isCovered && !isReached && !follows) continue;
    const unit = isCovered || isReached ? `${kind} ${identity.id ?? identity.name}` : String(above);
    const isPlace = isReached || (above !== undefined && places.has(above));
    if (isPlace) places.add(unit);
    found.set(part, { phase: 'together', unit, group: isPlace ? 2 : 1 });
    if (!TIES.has(kind) && kind !== 'role-permission')
      for (const name of namesOf(fact)) units.set(name, unit);
  }

  // What changes in roles that both allow and deny, for whom they hold already.
  const isChange = ({ part }: Placed): boolean => {
    const { fact, verb, input } = part;
    if (found.has(part) || !isMixed(part)) return false;
    if (fact.kind === 'group-role') return !isOfNewGroup(part);
    if (fact.kind === 'role') return verb === 'remove' || (verb === 'change' && 'parent' in input);
    return TIES.has(fact.kind) || (fact.kind === 'group' && verb === 'remove');
  };
  const changes = placed.filter(isChange);
  // A role goes after those that inherit from it.
  const above = new Set<string>();
  const rise = (id: string): void => {
    for (const parent of inherits.get(id) ?? []) {
      if (above.has(parent)) continue;
      above.add(parent);
      rise(parent);
    }
  };
  for (const { part } of changes) if (part.fact.kind === 'role') rise(String(part.fact.identity.id));
  const isAbove = ({ part: { fact, verb }, phase }: Placed): boolean =>
    phase === 'close' && verb === 'remove' && fact.kind === 'role' && above.has(String(fact.identity.id));
  const mixed = placed.filter((each) => isChange(each) || isAbove(each));
  const late = new Set(
    mixed
      .filter(({ part }) => namedIn(part.input).some((name) => units.has(name)))
      .map(({ part }) => holderOf(part)),
  );
  for (const { part } of mixed) {
    const unit = holderOf(part);
    const isEnd = part.fact.kind === 'role' && part.verb === 'remove';
    found.set(part, { phase: 'together', unit, group: isEnd ? 4 : late.has(unit) ? 3 : 0 });
  }

  for (const { part } of placed)
    if (isOfNewGroup(part) && !found.has(part))
      found.set(part, { phase: 'prepare', group: 0, unit: `group-role ${part.fact.label}` });
  return (part) => found.get(part) ?? ALONE;
}
