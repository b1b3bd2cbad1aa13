import { isPermissionPattern } from '../../table/permission-name.ts';
import type { Declarations } from '../../table/properties.ts';
import { afterMarks, allowOnlyProblems } from './allow-only.ts';
import { type Change, changesOf, creationsOf, fixedProblems, removal, rolesOf } from './compare.ts';
import { type Entry, keyOf, nameOf, type Row, subjectName } from './entry.ts';
import { timed } from './order.ts';
import type { Phase, Verb } from './phase.ts';
import type { Path, Problem } from './problem.ts';
import type { Commands, State } from './state.ts';

/** One command of a plan, and what is shown of it. */
export interface Step {
  readonly verb: Verb;
  readonly kind: string;
  readonly command: string;
  readonly input: Row;
  readonly label: string;
  /** What changes, for people: `status: active > disabled`. */
  readonly details: readonly string[];
  /** Why somebody should look twice. */
  readonly danger: string | undefined;
  readonly path: Path;
  readonly phase: Phase;
  /** Steps of one unit are one transaction, as long as it holds them. */
  readonly unit: string;
}

/** What is in the table and not in the manifest, and stays. */
export interface Kept {
  readonly kind: string;
  readonly label: string;
  /** It belongs to no tenant. */
  readonly shared: boolean;
}

/** A comparison of desired and current state. */
export interface Comparison {
  /** In the order in which they are safe. */
  readonly steps: readonly Step[];
  readonly kept: readonly Kept[];
  /** How many entries are as desired. */
  readonly unchanged: number;
  readonly problems: readonly Problem[];
}

export interface Pruning {
  readonly prune: boolean;
  /** Also what belongs to no tenant. */
  readonly shared: boolean;
}

/** Compares desired and current state; routes are compared by themselves (routes.ts). */
export function compare(
  state: State,
  declared: ReadonlySet<string>,
  pruning: Pruning,
  commands: Commands,
  declarations: Declarations,
): Comparison {
  const current = new Map(state.current.map((entry) => [keyOf(entry), entry]));
  const desired = new Map<string, Entry>();
  const problems: Problem[] = [];
  for (const entry of state.desired) {
    const twin = desired.get(keyOf(entry));
    if (!twin) desired.set(keyOf(entry), entry);
    else {
      const message = `is the same ${entry.kind} as ${twin.path.join('.')}: give one of them another name, or leave it out`;
      problems.push({ path: entry.path, message });
    }
  }
  const changes: Change[] = [];
  let unchanged = 0;
  for (const [key, entry] of desired) {
    const now = current.get(key);
    if (now) {
      problems.push(...fixedProblems(entry, now, state.names));
      const differences = changesOf(entry, now, pruning.prune, commands, declarations);
      if (differences.length === 0) unchanged += 1;
      changes.push(...differences);
    } else if (entry.madeWith === undefined || current.has(entry.madeWith))
      changes.push(...creationsOf(entry));
  }
  const beyond = [...current]
    .filter(([key, entry]) => !desired.has(key) && declared.has(entry.section))
    .map(([, entry]) => entry);
  const isPruned = ({ shared }: Entry) => (shared ? pruning.shared : pruning.prune);
  const rest = withoutEdgesOf(beyond);
  changes.push(...rest.filter(isPruned).map(removal));
  const left = rest.filter((entry) => !isPruned(entry));
  problems.push(...allowOnlyProblems(desired, current, left, pruning.prune));
  const kept = left.map(({ kind, label, shared = false }): Kept => ({ kind, label, shared }));
  const dangerOf = dangersIn(state);
  const steps = timed(afterMarks(changes, desired, current), state).map(({ change, phase, unit }): Step => {
    const { verb, command, input, entry } = change;
    const { kind, label, path } = entry;
    return {
      verb,
      kind,
      command,
      input,
      label,
      path,
      phase,
      unit,
      details: detailsOf(change, state.names),
      danger: dangerOf(change),
    };
  });
  return {
    steps,
    kept: [...kept, ...(pruning.prune ? [] : keptRoles(desired, current, state.names))],
    unchanged,
    problems,
  };
}

/** The edges of a node go with it, and need no step of their own. */
function withoutEdgesOf(entries: readonly Entry[]): readonly Entry[] {
  const gone = new Set(
    entries.flatMap(({ kind, identity: { type, id } }) => {
      if (id === undefined) return [];
      return [kind === 'subject' ? `${kind}:${type}:${id}` : `${kind}:${id}`];
    }),
  );
  return entries.filter(
    ({ kind, identity: { user, group, role } }) =>
      kind === 'user' ||
      !(
        (user !== undefined && gone.has(subjectName(user))) ||
        [`group:${group}`, `role:${role}`].some((ref) => gone.has(ref))
      ),
  );
}

/** Roles of a grant, and parents of a role, that the manifest does not have. */
const keptRoles = (
  desired: ReadonlyMap<string, Entry>,
  current: ReadonlyMap<string, Entry>,
  names: State['names'],
): readonly Kept[] =>
  [...desired].flatMap(([key, entry]) => {
    const now = current.get(key)?.values;
    const nameOf = (role: unknown) => names.get(`role:${role}`) ?? String(role);
    const keep = (what: string): Kept => ({
      kind: entry.kind,
      label: `${entry.label}: ${what}`,
      shared: false,
    });
    const parent = entry.implied?.parent === null ? now?.parent : undefined;
    if (parent !== undefined) return [keep(`inherits from ${nameOf(parent)}`)];
    if (entry.kind !== 'grant') return [];
    const beyond = rolesOf(now).filter((role) => !rolesOf(entry.values).includes(role));
    return beyond.length === 0 ? [] : [keep(beyond.map(nameOf).join(', '))];
  });

/** What is shown of a new entry beside its label. */
const SHOWN: ReadonlySet<string> = new Set([
  'effect',
  'when',
  'type',
  'source',
  'properties',
  'startsAt',
  'endsAt',
  'status',
  'soldBySubscription',
]);

function detailsOf({ verb, entry, input, before }: Change, names: State['names']): readonly string[] {
  if (verb === 'remove') return [];
  const show = (field: string, value: unknown): string => {
    if (value === null || value === undefined) return 'none';
    const named = (each: unknown) => names.get(String(each)) ?? names.get(`role:${each}`) ?? String(each);
    if (field === 'roles') return `[${(value as readonly unknown[]).map(named).join(', ')}]`;
    return typeof value === 'object' ? JSON.stringify(value) : named(value);
  };
  const named = verb === 'create' ? entry.identity : nameOf(entry);
  const fields = Object.keys(input).filter((field) => !(field in named));
  if (verb === 'create')
    return fields
      .filter(
        (field) =>
          SHOWN.has(field) ||
          (field === 'roles' && entry.kind === 'grant') ||
          (field !== 'description' && entry.kind === 'resource-type'),
      )
      .map((field) => `${field} ${show(field, input[field])}`);
  return fields.map((field) => `${field} ${show(field, before?.[field])} > ${show(field, input[field])}`);
}

/** Why a change is dangerous; undefined for what is not. */
function dangersIn({ desired, current }: State): (change: Change) => string | undefined {
  const all = [...desired, ...current];
  const dangerous = new Set(
    all
      .filter(({ kind, values }) => kind === 'permission' && values.isDangerous === true)
      .map(({ identity }) => identity.name),
  );
  const ofPermission = (permission: unknown): string | undefined => {
    if (isPermissionPattern(String(permission)))
      return 'a wildcard: it also allows permissions that are added later';
    return dangerous.has(permission) ? 'a permission that is marked as dangerous' : undefined;
  };
  return ({ verb, entry, input, before }) => {
    const { kind, identity } = entry;
    if (verb === 'remove') return undefined;
    if (kind === 'admin') return 'an administrator may do everything everywhere';
    if (kind === 'global-role' && verb === 'create') return 'a global role is in force in every tenant';
    if (kind === 'permission' && before?.isDangerous === true && input.isDangerous === false)
      return 'no longer marked as dangerous';
    if (kind === 'role' && verb === 'create')
      return desired
        .filter(({ madeWith, values }) => madeWith === keyOf(entry) && values.effect === 'ALLOW')
        .map((each) => ofPermission(each.identity.permission))
        .find((each) => each !== undefined);
    const effect = input.effect ?? (input.when === null ? before?.effect : undefined);
    if (kind !== 'role-permission' || effect !== 'ALLOW') return undefined;
    return ofPermission(identity.permission);
  };
}
