import { REGISTERED_SUBJECT, SUBJECT_NODES } from '../../table/identifiers.ts';
import { patternsCovering } from '../../table/permission-name.ts';
import type { Change } from './compare.ts';
import { keyOf } from './entry.ts';
import type { Phase } from './phase.ts';
import { ROLE_EDGES, SCOPE_KINDS } from './phase.ts';
import type { State } from './state.ts';

/**
 * What no order makes safe, and so goes into one transaction (docs/manifests.md): changes of somebody's roles that both
 * allow and deny; pages, permissions and scopes to which somebody has access as soon as they exist, with what refuses
 * them. A new subject comes with everything that it is granted.
 */
export interface Placed {
  readonly change: Change;
  readonly phase: Phase;
}

/** Where a change goes instead of its own place; empty where it keeps it. */
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

/** By which names other commands refer to a node. */
export const namesOf = ({
  kind,
  identity,
}: Pick<Change['entry'], 'kind' | 'identity'>): readonly string[] => {
  if (PERMISSIONS.has(kind)) return [asPermission(identity.name)];
  if (identity.id === undefined) return [];
  const ref = `${identity.type ?? kind}:${identity.id}`;
  // Commands name a user by its id, and a subject may have the reference of a scope.
  if (kind === REGISTERED_SUBJECT) return [`subject ${ref}`];
  if (SUBJECT_NODES.includes(kind)) return [`subject ${kind === 'user' ? identity.id : ref}`, ref];
  return [String(identity.id), ref];
};

/** The nodes that a command refers to. */
export const namedIn = ({ user, ...input }: Change['input']): readonly string[] => [
  ...Object.values(input)
    .flat()
    .filter((value): value is string => typeof value === 'string'),
  ...(user === undefined ? [] : [`subject ${user}`]),
  ...('permission' in input ? [asPermission(input.permission)] : []),
];
const asPermission = (name: unknown): string => `permission ${name}`;

/** Whose change it is: of an edge, the subject or group that has it. */
const holderOf = ({ entry: { kind, identity } }: Change): string =>
  kind === 'group-role'
    ? `group ${identity.group}`
    : ROLE_EDGES.has(kind)
      ? `subject ${identity.user}`
      : `${kind} ${identity.id}`;

/** `placed` in the order in which each rests on those before it. */
export function belongings(
  placed: readonly Placed[],
  { desired, current, inherits }: State,
  isMixed: (change: Change) => boolean,
): (change: Change) => Belonging {
  const found = new Map<Change, Belonging>();
  const made = placed.filter(({ change }) => change.verb === 'create').map(({ change }) => change);
  const isNew = new Set(made.flatMap(({ entry }) => namesOf(entry)));
  // Everyone is in such a group as soon as it is there.
  const ofEveryone = new Set(
    made.filter(({ input }) => input.everyone === true).map(({ entry }) => String(entry.identity.id)),
  );
  // It has no members yet: what it carries gives nobody anything.
  const isOfNewGroup = ({ entry: { kind, identity } }: Change): boolean =>
    kind === 'group-role' && isNew.has(String(identity.group)) && !ofEveryone.has(String(identity.group));

  // Somebody new: nobody asks for them before they are there, with all that they hold.
  const comes = new Map<string, string>();
  for (const { entry } of made)
    if (SUBJECT_NODES.includes(entry.kind))
      for (const name of namesOf(entry)) comes.set(name, `comes ${keyOf(entry)}`);
  for (const { change } of placed) {
    const unit = [...namesOf(change.entry), ...namedIn(change.input)]
      .map((name) => comes.get(name))
      .find((each) => each !== undefined);
    if (unit !== undefined) found.set(change, { phase: 'open', unit, group: 2 });
  }

  // Conditions may compare several of them.
  const values = placed.filter(({ change }) => change.verb === 'change' && 'properties' in change.input);
  // With another mapping, other permissions decide on the same objects.
  const mappings = placed.filter(({ change }) => change.entry.kind === 'resource-type');
  for (const { change } of [...values, ...mappings])
    found.set(change, { phase: 'switch', unit: 'properties', group: 0 });

  const effects = [...desired, ...current].filter(({ kind }) => kind === 'role-permission');
  if (values.length === 0 && !effects.some(({ values: { effect } }) => effect === 'DENY'))
    return (change) => found.get(change) ?? ALONE;

  // What is there at once for whom a role covers it: pages and permissions by a pattern, places by what is above them.
  const patterns = new Set(
    current
      .filter(({ kind, values }) => kind === 'role-permission' && values.effect === 'ALLOW')
      .map(({ identity }) => identity.permission),
  );
  const units = new Map<string, string>();
  const places = new Set<string>();
  for (const { change, phase } of placed) {
    const { entry, verb } = change;
    if (verb !== 'create' || found.has(change)) continue;
    const { kind, identity } = entry;
    const isCovered =
      PERMISSIONS.has(kind) &&
      patternsCovering(String(identity.name)).some((pattern) => patterns.has(pattern));
    const { parent } = change.input;
    const isBelow = SCOPE_KINDS.has(kind) && typeof parent === 'string';
    const isNewBelow = isBelow && (units.has(parent) || !isNew.has(parent));
    const above = namedIn(change.input)
      .map((name) => units.get(name))
      .find((each) => each !== undefined);
    const follows = above !== undefined && (isOfNewGroup(change) || EARLY.has(phase));
    if (!isCovered && !isNewBelow && !follows) continue;
    const unit = isCovered || isNewBelow ? `${kind} ${identity.id ?? identity.name}` : String(above);
    const isPlace = isNewBelow || (above !== undefined && places.has(above));
    if (isPlace) places.add(unit);
    found.set(change, { phase: 'together', unit, group: isPlace ? 2 : 1 });
    if (!ROLE_EDGES.has(kind) && kind !== 'role-permission')
      for (const name of namesOf(entry)) units.set(name, unit);
  }

  // What changes in roles that both allow and deny, for whom they hold already.
  const isChange = ({ change }: Placed): boolean => {
    const { entry, verb, input } = change;
    if (found.has(change) || !isMixed(change)) return false;
    if (entry.kind === 'group-role') return !isOfNewGroup(change);
    if (entry.kind === 'role') return verb === 'remove' || (verb === 'change' && 'parent' in input);
    return ROLE_EDGES.has(entry.kind) || (entry.kind === 'group' && verb === 'remove');
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
  for (const { change } of changes) if (change.entry.kind === 'role') rise(String(change.entry.identity.id));
  const isAbove = ({ change: { entry, verb }, phase }: Placed): boolean =>
    phase === 'close' && verb === 'remove' && entry.kind === 'role' && above.has(String(entry.identity.id));
  const mixed = placed.filter((each) => isChange(each) || isAbove(each));
  const late = new Set(
    mixed
      .filter(({ change }) => namedIn(change.input).some((name) => units.has(name)))
      .map(({ change }) => holderOf(change)),
  );
  for (const { change } of mixed) {
    const unit = holderOf(change);
    const isEnd = change.entry.kind === 'role' && change.verb === 'remove';
    found.set(change, { phase: 'together', unit, group: isEnd ? 4 : late.has(unit) ? 3 : 0 });
  }

  for (const { change } of placed)
    if (isOfNewGroup(change) && !found.has(change))
      found.set(change, { phase: 'prepare', group: 0, unit: `group-role ${change.entry.label}` });
  return (change) => found.get(change) ?? ALONE;
}
