import { isBuiltIn } from '../../table/entities/scope-types.ts';
import type { Problem } from '../document.ts';
import { type Fact, pick, same } from './fact.ts';
import type { Row } from './look.ts';
import { type Phase, SCOPE_KINDS, type Verb } from './phase.ts';

/** How one fact becomes what it should be: commands, and whether they take away or add. */

/** A step before it is known when it is due. */
export interface Part {
  readonly verb: Verb;
  readonly fact: Fact;
  readonly command: string;
  readonly input: Row;
  /** Values as they are, of what is changed or removed. */
  readonly before: Row | undefined;
  /** Where the input alone does not tell whether it takes away or adds. */
  readonly phase?: Phase;
}

const given = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

export const creation = (fact: Fact): Part => ({
  verb: 'create',
  fact,
  command: `${fact.kind}.create`,
  input: { ...fact.identity, ...given({ ...fact.initial, ...fact.fixed, ...fact.values }) },
  before: undefined,
});

/**
 * What a new fact takes: one step; for a scope type that names others another one, for these may be new themselves and
 * name it in turn.
 */
export function creationsOf(fact: Fact): readonly Part[] {
  const part = creation(fact);
  if (fact.kind !== 'scope-type') return [part];
  const isOther = (type: unknown) => !isBuiltIn(String(type)) && type !== fact.identity.name;
  const naming = ['parents', 'children'].filter((field) =>
    ((part.input[field] ?? []) as readonly unknown[]).some(isOther),
  );
  if (naming.length === 0) return [part];
  const entries = Object.entries(part.input);
  const alone = Object.fromEntries(entries.filter(([field]) => !naming.includes(field)));
  return [
    { ...part, input: alone },
    {
      ...{ verb: 'change', fact, command: `${fact.kind}.update`, before: alone },
      input: { ...fact.identity, ...pick(part.input, naming) },
    },
  ];
}

export const removal = (fact: Fact): Part =>
  SCOPE_KINDS.has(fact.kind)
    ? {
        ...{ verb: 'remove', fact, command: 'scope.delete-tree', before: fact.values },
        input: { scope: `${fact.identity.type ?? fact.kind}:${fact.identity.id}` },
      }
    : { verb: 'remove', fact, command: `${fact.kind}.delete`, input: fact.identity, before: fact.values };

export function fixedProblems(fact: Fact, now: Fact, names: ReadonlyMap<string, string>): readonly Problem[] {
  return Object.entries(fact.fixed ?? {}).flatMap(([field, value]) => {
    if (same(value, now.values[field])) return [];
    const name = (each: unknown) => names.get(String(each)) ?? String(each ?? 'nothing');
    const advice =
      field === 'parent' ? 'move it first (the command scope.move)' : 'give the new one another name or id';
    return [
      {
        path: fact.path,
        message: `in the table its ${field} is ${name(now.values[field])}, not ${name(value)}, and that is fixed: ${advice}`,
      },
    ];
  });
}

export const rolesOf = (values: Row | undefined): readonly string[] =>
  (values?.roles ?? []) as readonly string[];

/** What is to be changed of a fact: one step, or one that takes away and one that adds. */
export function changesOf(fact: Fact, { values: now }: Fact, prune: boolean): readonly Part[] {
  const differs = ([field, value]: [string, unknown]) => !same(value ?? null, now[field] ?? null);
  const update = (changes: Row, phase?: Phase): Part => ({
    ...{ verb: 'change', fact, command: `${fact.kind}.update`, before: now },
    input: { ...fact.identity, ...changes },
    ...(phase === undefined ? {} : { phase }),
  });
  if (fact.kind === 'grant') {
    const [held, wanted] = [rolesOf(now), rolesOf(fact.values)];
    const stay = held.filter((role) => wanted.includes(role) || !prune);
    const comes = wanted.filter((role) => !held.includes(role));
    return [
      ...(stay.length < held.length ? [update({ roles: stay }, 'close')] : []),
      ...(comes.length > 0 ? [update({ roles: [...stay, ...comes] }, 'open')] : []),
    ];
  }
  const changed = Object.fromEntries(
    Object.entries(prune ? { ...fact.implied, ...fact.values } : fact.values).filter(differs),
  );
  if (Object.keys(changed).length === 0) return [];
  const window = WINDOWS[fact.kind];
  if (window?.some((field) => field in changed)) return shiftWindow(fact, now, changed, window, update);
  const parts = new Map<Phase | undefined, Record<string, unknown>>();
  for (const [field, value] of Object.entries(changed)) {
    const phase = attributePhase(fact.kind, field, now[field], value);
    // An inheritance ends before another one begins.
    if (fact.kind === 'role' && field === 'parent' && now.parent !== undefined && value !== null)
      parts.set('close', { ...parts.get('close'), parent: null });
    parts.set(phase, { ...parts.get(phase), [field]: value });
  }
  // What no decision rests on goes along with the rest.
  const plain = parts.get(undefined);
  if (plain && parts.size > 1) {
    parts.delete(undefined);
    const [first] = [...parts.keys()];
    parts.set(first, { ...plain, ...parts.get(first) });
  }
  return [...parts].map(([phase, changes]) => update(changes, phase));
}

const WINDOWS: Readonly<Record<string, readonly [string, string]>> = {
  assignment: ['startsAt', 'endsAt'],
  subscription: ['startDate', 'endDate'],
  license: ['startDate', 'endDate'],
};
const FIRST = '';
const LAST = '\uffff';
const later = (a: string, b: string) => (a > b ? a : b);
const sooner = (a: string, b: string) => (a < b ? a : b);

/** First what the old and the new period share, then the new one. Where they share nothing, it goes and comes again. */
function shiftWindow(
  fact: Fact,
  now: Row,
  changed: Row,
  [start, end]: readonly [string, string],
  update: (changes: Row, phase?: Phase) => Part,
): readonly Part[] {
  const counts = (status: unknown) => status === undefined || status === 'active' || status === 'trial';
  if (!counts(now.status)) return [update(changed, counts({ ...now, ...changed }.status) ? 'open' : 'close')];
  if ('status' in changed && !counts(changed.status)) return [update(changed, 'close')];
  const after = { ...now, ...changed };
  const from = later(String(now[start] ?? FIRST), String(after[start] ?? FIRST));
  const until = sooner(String(now[end] ?? LAST), String(after[end] ?? LAST));
  const shared = { [start]: from === FIRST ? null : from, [end]: until === LAST ? null : until };
  if (from >= until) {
    const { id } = now;
    const fresh = creation({
      ...fact,
      initial: { ...fact.initial, ...(id === undefined || 'id' in fact.identity ? {} : { id }) },
    });
    const whole = { ...given(pickAll(now, fact)), ...fresh.input };
    return [
      { ...removal({ ...fact, values: now }), phase: 'close' },
      { ...fresh, input: without(whole, fact.values), phase: 'open' },
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

/** What a thing keeps of its attributes when it is made anew. */
const pickAll = (now: Row, { kind }: Fact): Row =>
  Object.fromEntries(
    (kind === 'assignment'
      ? ['startsAt', 'endsAt']
      : ['status', 'tier', 'autoRenew', 'usageQuota', 'startDate', 'endDate', 'name']
    )
      .filter((field) => now[field] !== undefined)
      .map((field) => [field, now[field]]),
  );
const without = (input: Row, values: Row): Row =>
  Object.fromEntries(Object.entries(input).filter(([field]) => values[field] !== null));

/** Whether a new value of an attribute takes away, adds, or does neither; undefined where no decision rests on it. */
function attributePhase(kind: string, field: string, from: unknown, to: unknown): Phase | undefined {
  const narrower = (is: boolean): Phase => (is ? 'close' : 'open');
  if (field === 'status' && kind !== 'setting') return narrower(to !== 'active' && to !== 'trial');
  if (field === 'endsAt') return narrower(to !== null && (from === undefined || String(to) < String(from)));
  if (field === 'combination') return narrower(to === 'deny-overrides');
  if (field === 'soldBySubscription') return narrower(to === true);
  if (field === 'effect') return narrower(to === 'DENY');
  if (field === 'enterprise') return 'switch';
  if (kind === 'page' && field === 'module')
    return from === undefined ? 'close' : to === null ? 'open' : 'switch';
  if (kind === 'role' && field === 'parent') return to === null ? 'close' : 'open';
  return undefined;
}
