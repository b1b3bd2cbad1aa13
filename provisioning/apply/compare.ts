import { defined } from '../../table/defined.ts';
import { isBuiltIn } from '../../table/entities/scope-types.ts';
import type { Declarations } from '../../table/properties.ts';
import { fieldsOf } from '../command.ts';
import { isClosed, isOpen } from '../kinds/entries.ts';
import { stepsOfCondition } from './conditions.ts';
import { type Entry, nameOf, pick, type Row, same } from './entry.ts';
import { type Phase, SCOPE_KINDS, type Verb } from './phase.ts';
import type { Problem } from './problem.ts';
import { isSet } from './sections.ts';
import type { Commands } from './state.ts';

/** One command that brings an entry nearer to its desired state, before its place in the order is known. */
export interface Change {
  readonly verb: Verb;
  readonly entry: Entry;
  readonly command: string;
  readonly input: Row;
  /** Current values, of what is changed or removed. */
  readonly before: Row | undefined;
  /** Where the input alone does not say whether it takes away or adds. */
  readonly phase?: Phase;
}

const given = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

const creation = (entry: Entry): Change => ({
  verb: 'create',
  entry,
  command: `${entry.kind}.create`,
  input: { ...entry.identity, ...given({ ...entry.initial, ...entry.fixed, ...entry.values }) },
  before: undefined,
});

/**
 * The changes that make a new entry: one; for a scope type that names others a second one, because these may be new
 * and name it in turn.
 */
export function creationsOf(entry: Entry): readonly Change[] {
  const change = creation(entry);
  if (entry.kind !== 'scope-type') return [change];
  const isOther = (type: unknown) => !isBuiltIn(String(type)) && type !== entry.identity.name;
  const naming = ['parents', 'children'].filter((field) =>
    ((change.input[field] ?? []) as readonly unknown[]).some(isOther),
  );
  if (naming.length === 0) return [change];
  const alone = Object.fromEntries(Object.entries(change.input).filter(([field]) => !naming.includes(field)));
  return [
    { ...change, input: alone },
    {
      verb: 'change',
      entry,
      command: `${entry.kind}.update`,
      before: alone,
      input: { ...nameOf(entry), ...pick(change.input, naming) },
    },
  ];
}

export const removal = (entry: Entry): Change =>
  SCOPE_KINDS.has(entry.kind)
    ? {
        verb: 'remove',
        entry,
        command: 'scope.delete-tree',
        before: entry.values,
        input: { scope: `${entry.identity.type ?? entry.kind}:${entry.identity.id}` },
      }
    : { verb: 'remove', entry, command: `${entry.kind}.delete`, input: nameOf(entry), before: entry.values };

export function fixedProblems(
  { fixed = {}, path }: Entry,
  now: Entry,
  names: ReadonlyMap<string, string>,
): readonly Problem[] {
  const name = (each: unknown) => names.get(String(each)) ?? String(each ?? 'nothing');
  return Object.entries(fixed).flatMap(([field, value]) => {
    if (same(value, now.values[field])) return [];
    const advice =
      field === 'parent' ? 'move it first (the command scope.move)' : 'give the new one another name or id';
    const message = `in the table its ${field} is ${name(now.values[field])}, not ${name(value)}, and that is fixed: ${advice}`;
    return [{ path, message }];
  });
}

export const rolesOf = (values: Row | undefined): readonly string[] =>
  (values?.roles ?? []) as readonly string[];

/** The changes of an entry that exists: one, or one that takes away and one that adds. */
export function changesOf(
  entry: Entry,
  { values: now }: Entry,
  prune: boolean,
  commands: Commands,
  declarations: Declarations,
): readonly Change[] {
  const inOrder = (field: string, value: unknown): unknown =>
    isSet(entry.section, field) && Array.isArray(value) ? [...value].sort() : (value ?? null);
  const differs = ([field, value]: [string, unknown]) =>
    !same(inOrder(field, value), inOrder(field, now[field]));
  const update = (values: Row, phase?: Phase): Change => ({
    verb: 'change',
    entry,
    command: `${entry.kind}.update`,
    before: now,
    input: { ...nameOf(entry), ...values },
    ...defined({ phase }),
  });
  if (entry.kind === 'grant') {
    const [granted, desired] = [rolesOf(now), rolesOf(entry.values)];
    const stay = granted.filter((role) => desired.includes(role) || !prune);
    const added = desired.filter((role) => !granted.includes(role));
    return [
      ...(stay.length < granted.length ? [update({ roles: stay }, 'close')] : []),
      ...(added.length > 0 ? [update({ roles: [...stay, ...added] }, 'open')] : []),
    ];
  }
  const changed = Object.fromEntries(
    Object.entries(prune ? { ...entry.implied, ...entry.values } : entry.values).filter(differs),
  );
  if (Object.keys(changed).length === 0) return [];
  if (entry.kind === 'role-permission' && !('effect' in changed))
    return stepsOfCondition(now.effect, now, changed, declarations).map(([when, phase]) =>
      update({ when }, phase),
    );
  const validity = VALIDITY[entry.kind];
  if (validity?.some((field) => field in changed))
    return changeValidity(entry, now, changed, validity, update, commands);
  const byPhase = new Map<Phase | undefined, Record<string, unknown>>();
  for (const [field, value] of Object.entries(changed)) {
    const phase = attributePhase(entry.kind, field, now[field], value);
    // An inheritance ends before another one begins.
    if (entry.kind === 'role' && field === 'parent' && now.parent !== undefined && value !== null)
      byPhase.set('close', { ...byPhase.get('close'), parent: null });
    byPhase.set(phase, { ...byPhase.get(phase), [field]: value });
  }
  // Fields that no decision rests on go along with the rest.
  const others = byPhase.get(undefined);
  if (others && byPhase.size > 1) {
    byPhase.delete(undefined);
    const [first] = [...byPhase.keys()];
    byPhase.set(first, { ...others, ...byPhase.get(first) });
  }
  return [...byPhase].map(([phase, values]) => update(values, phase));
}

/** Kinds that are valid from one instant until another, and the fields that say so. */
const VALIDITY: Readonly<Record<string, readonly [string, string]>> = {
  assignment: ['startsAt', 'endsAt'],
  subscription: ['startDate', 'endDate'],
  license: ['startDate', 'endDate'],
};
const FIRST = '';
const LAST = '\uffff';
const later = (a: string, b: string) => (a > b ? a : b);
const sooner = (a: string, b: string) => (a < b ? a : b);

/** First the period that the old and the new one share, then the new one. Without a shared one: removal and creation. */
function changeValidity(
  entry: Entry,
  now: Row,
  changed: Row,
  [start, end]: readonly [string, string],
  update: (values: Row, phase?: Phase) => Change,
  commands: Commands,
): readonly Change[] {
  if (isClosed(now.status))
    return [update(changed, isClosed({ ...now, ...changed }.status) ? 'close' : 'open')];
  if ('status' in changed && isClosed(changed.status)) return [update(changed, 'close')];
  const after = { ...now, ...changed };
  const from = later(String(now[start] ?? FIRST), String(after[start] ?? FIRST));
  const until = sooner(String(now[end] ?? LAST), String(after[end] ?? LAST));
  const shared = { [start]: from === FIRST ? null : from, [end]: until === LAST ? null : until };
  if (from >= until) {
    const made = creation({
      ...entry,
      initial: { ...entry.initial, ...('id' in entry.identity ? {} : pick(now, ['id'])) },
    });
    const kept = pick(now, Object.keys(fieldsOf(commands.get(made.command))));
    const input = { ...given(kept), ...made.input };
    const cleared = ([field]: [string, unknown]) => entry.values[field] !== null;
    return [
      { ...removal({ ...entry, values: now }), phase: 'close' },
      { ...made, input: Object.fromEntries(Object.entries(input).filter(cleared)), phase: 'open' },
    ];
  }
  const isSame = (fields: Row, other: Row) =>
    [start, end].every((field) => same(fields[field] ?? null, other[field] ?? null));
  if (isSame(shared, now)) return [update(changed, 'open')];
  if (isSame(shared, after)) return [update(changed, 'close')];
  const narrowed = Object.fromEntries(
    Object.entries(shared).filter(([field, value]) => !same(value, now[field] ?? null)),
  );
  return [update(narrowed, 'close'), update(changed, 'open')];
}

/** Whether a new value of an attribute takes away, adds, or does neither; undefined where no decision rests on it. */
function attributePhase(kind: string, field: string, from: unknown, to: unknown): Phase | undefined {
  const narrower = (is: boolean): Phase => (is ? 'close' : 'open');
  if (field === 'status' && kind !== 'setting') return narrower(!isOpen(to));
  if (field === 'endsAt') return narrower(to !== null && (from === undefined || String(to) < String(from)));
  if (field === 'combination') return narrower(to === 'deny-overrides');
  if (field === 'soldBySubscription') return narrower(to === true);
  if (field === 'effect') return narrower(to === 'DENY');
  if (field === 'allowOnly') return 'mark';
  if (field === 'mandateOptional') return narrower(to !== true);
  if (field === 'properties') return 'switch';
  if (field === 'enterprise') return 'switch';
  if (kind === 'page' && field === 'module')
    return from === undefined ? 'close' : to === null ? 'open' : 'switch';
  if (kind === 'role' && field === 'parent') return to === null ? 'close' : 'open';
  return undefined;
}
