import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';
import { SUBJECT_NODES } from '../../table/identifiers.ts';
import { isAllowOnly } from '../edges/allow-only.ts';
import type { Change } from './compare.ts';
import { type Belonging, belongings, type Placed } from './inseparable.ts';
import { PHASES, type Phase, phaseOf, roleEffects, SCOPE_KINDS, type Verb } from './phase.ts';
import type { State } from './state.ts';

/** A change with when it is due; those of one unit are one transaction as long as that holds them. */
export interface Timed {
  readonly change: Change;
  readonly phase: Phase;
  readonly unit: string;
}

/** Kinds in the order in which they can be made: each rests on those before it. */
const ORDER: readonly string[] = [
  'scope-type',
  'subject-type',
  'property',
  'module',
  'page',
  'permission',
  'SCOPES',
  'role',
  'group',
  'resource-type',
  'user',
  'technical-user',
  'subject',
  'subscription',
  'license',
  'external-group',
  'invariant',
  ...PLAIN_ENTITIES.map(({ type }) => type),
  'setting',
  'role-permission',
  'group-role',
  'membership',
  'grant',
  'assignment',
  'global-role',
  'admin',
];
const rankOf = (kind: string): number => ORDER.indexOf(SCOPE_KINDS.has(kind) ? 'SCOPES' : kind);
const EDGE_RANK = ORDER.indexOf('group-role');
/** Names are free before others take them; what types may stand where is said when all are there. */
const verbRank = (kind: string, verb: Verb): number =>
  (kind === 'scope-type' ? ['create', 'change', 'remove'] : ['change', 'create', 'remove']).indexOf(verb);

type Keys = readonly number[];
const inOrder = (a: Keys, b: Keys): number => {
  const at = a.findIndex((key, position) => key !== b[position]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
};

/** The changes in the order in which they are safe and each finds what it rests on. */
export function timed(changes: readonly Change[], state: State): readonly Timed[] {
  const effectsOf = roleEffects(state);
  const depths = depthsOf(state);
  const isMixed = ({ entry }: Change): boolean => {
    const { allows, denies } = effectsOf(entry);
    return allows && denies;
  };
  const placed = changes
    .map((change): Placed => {
      const { verb, entry, before, phase: known } = change;
      return { change, phase: phaseOf(verb, entry, before, known, effectsOf, change.input) };
    })
    .filter(({ change, phase }) => !(phase === 'undeny' && isHalf(change, changes)));
  const keysOf = ({ change, phase }: Placed, position: number): Keys => {
    const { verb, entry } = change;
    const { kind } = entry;
    const takesAway = verb === 'remove';
    const depth = kind === 'role' ? (depths.get(String(entry.identity.id)) ?? 0) : 0;
    return [
      PHASES.indexOf(phase),
      // A module that is sold closes; what opens a person or a place is last; roles that both allow and deny come before
      // those that only allow.
      phase === 'close' ? (verb === 'create' ? 0 : takesAway ? 2 : 1) : 0,
      phase === 'undeny' && takesAway ? 1 : 0,
      phase === 'mark' && !isAllowOnly(change.input) ? 1 : 0,
      phase === 'open' ? (isGate(change) ? 2 : EDGE_RANK <= rankOf(kind) && !isMixed(change) ? 1 : 0) : 0,
      takesAway ? -rankOf(kind) : rankOf(kind),
      verbRank(kind, verb),
      takesAway ? -depth : depth,
      position,
    ];
  };
  const sorted = placed
    .map((each, position) => ({ ...each, keys: keysOf(each, position) }))
    .sort((a, b) => inOrder(a.keys, b.keys));
  const belongingOf = belongings(
    sorted.filter(({ phase }) => phase !== 'mark'),
    state,
    isMixed,
  );
  const first = new Map<string, number>();
  return sorted
    .map(({ change, phase: alone, keys }, position) => {
      const { phase = alone, unit = `${position}`, group }: Belonging = belongingOf(change);
      if (!first.has(unit)) first.set(unit, position);
      const at = [first.get(unit) ?? position, position];
      // By itself it goes by its own keys; together with others, by those of the first of them.
      const place =
        group === undefined ? [PHASES.indexOf(phase), 0, ...keys] : [PHASES.indexOf(phase), 1 + group, ...at];
      return { change, phase, unit, place };
    })
    .sort((a, b) => inOrder(a.place, b.place));
}

/** A status, a date, a rule of a person or a place, on which all depends that is held there. */
const isGate = ({ verb, entry: { kind } }: Change): boolean =>
  verb === 'change' && (SUBJECT_NODES.includes(kind) || SCOPE_KINDS.has(kind));

/** The end of an inheritance that another one follows: where the first only refuses, one change does both. */
const isHalf = ({ entry, verb, input }: Change, changes: readonly Change[]): boolean =>
  verb === 'change' &&
  entry.kind === 'role' &&
  input.parent === null &&
  changes.some((other) => other.entry === entry && typeof other.input.parent === 'string');

/** How many roles each role inherits from, one above the other. */
function depthsOf({ inherits }: State): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (id: string, trail: readonly string[]): number => {
    const known = depths.get(id);
    if (known !== undefined || trail.includes(id)) return known ?? 0;
    const above = [...(inherits.get(id) ?? [])].map((parent) => 1 + depthOf(parent, [...trail, id]));
    const depth = Math.max(0, ...above);
    depths.set(id, depth);
    return depth;
  };
  for (const id of inherits.keys()) depthOf(id, []);
  return depths;
}
