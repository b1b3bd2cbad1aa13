import { type Fact, keyOf } from './fact.ts';
import type { Row } from './look.ts';
import type { Survey } from './survey.ts';

export type Verb = 'create' | 'change' | 'remove';

/**
 * The order of an apply (docs/manifests.md): each state in between allows nothing that neither the table as it was nor
 * the manifest allows. First everything that only takes away; then what gives nobody anything; refusals; what is
 * neither, as the permission that a route needs, while all that is allowed is what both allow; what has no order, in one
 * transaction (together.ts); then what only adds; and last, refusals go.
 */
export const PHASES = ['close', 'prepare', 'deny', 'switch', 'together', 'open', 'undeny'] as const;
export type Phase = (typeof PHASES)[number];

export const SCOPE_KINDS: ReadonlySet<string> = new Set([
  ...['tenant', 'location', 'client', 'project', 'building', 'zone', 'device'],
  ...['account', 'enterprise', 'workstream', 'scope'],
]);

/** Kinds that hand out what roles allow and deny. */
export const TIES: ReadonlySet<string> = new Set([
  'membership',
  'group-role',
  'grant',
  'assignment',
  'global-role',
]);

/** What roles do, with all that they inherit, in the table or in the manifest. */
export interface Polarity {
  readonly allows: boolean;
  readonly denies: boolean;
}

export type PolarityOf = (fact: Fact) => Polarity;

export function polarities({ wanted, present, inherits }: Survey): PolarityOf {
  const own = new Map<string, { allows: boolean; denies: boolean }>();
  const carried = new Map<string, Set<string>>();
  for (const { kind, identity, values } of [...wanted, ...present]) {
    const carry = (by: string, roles: readonly unknown[]) =>
      carried.set(by, new Set([...(carried.get(by) ?? []), ...roles.map(String)]));
    if (kind === 'group-role') carry(String(identity.group), [identity.role]);
    if (kind === 'grant') carry(keyOf({ kind, identity }), (values.roles ?? []) as readonly unknown[]);
    if (kind !== 'role-permission') continue;
    const entry = own.get(String(identity.role)) ?? { allows: false, denies: false };
    if (values.effect === 'DENY') entry.denies = true;
    else entry.allows = true;
    own.set(String(identity.role), entry);
  }
  const rolesOf = ({ kind, identity }: Fact): readonly string[] => {
    if (kind === 'membership') return [...(carried.get(String(identity.group)) ?? [])];
    if (kind === 'group') return [...(carried.get(String(identity.id)) ?? [])];
    if (kind === 'grant') return [...(carried.get(keyOf({ kind, identity })) ?? [])];
    return [String(kind === 'role' ? identity.id : identity.role)];
  };
  return (fact) => {
    const seen = new Set<string>();
    const collect = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const parent of inherits.get(id) ?? []) collect(parent);
    };
    for (const role of rolesOf(fact)) collect(role);
    const all = [...seen].flatMap((id) => own.get(id) ?? []);
    return { allows: all.some(({ allows }) => allows), denies: all.some(({ denies }) => denies) };
  };
}

/** When a step is due. `known` is what its own comparison says of it. */
export function phaseOf(
  verb: Verb,
  fact: Fact,
  before: Row | undefined,
  known: Phase | undefined,
  polarityOf: PolarityOf,
  input: Row = {},
): Phase {
  const { kind, values } = fact;
  // A role that is given another parent: it is the parent that allows or refuses.
  if (kind === 'role' && verb === 'change' && known !== undefined) {
    const onlyDenies = (parent: unknown): boolean => {
      const { allows, denies } = polarityOf({ ...fact, identity: { id: parent } });
      return parent !== undefined && denies && !allows;
    };
    if (known === 'close') return onlyDenies(before?.parent) ? 'undeny' : known;
    if (!onlyDenies(input.parent)) return known;
    return onlyDenies(before?.parent) ? 'switch' : 'deny';
  }
  if (kind === 'role-permission' && known === undefined) {
    const denies = (verb === 'create' ? values : before)?.effect === 'DENY';
    return verb === 'create' ? (denies ? 'deny' : 'open') : denies ? 'undeny' : 'close';
  }
  const isTie = TIES.has(kind);
  const { allows, denies } = isTie || kind === 'group' || kind === 'role' ? polarityOf(fact) : NEITHER;
  const onlyRefuses = denies && !allows;
  // What only refuses comes before what allows, and goes after it.
  const turned = (phase: Phase): Phase => {
    if (!onlyRefuses) return phase;
    return phase === 'close' ? 'undeny' : phase === 'open' ? 'deny' : phase;
  };
  if (known !== undefined) return turned(known);
  if (verb === 'change') return 'prepare';
  // Where a role gives nothing, those that inherit from it may only refuse, and go last: it goes after them.
  if (verb === 'remove' && kind === 'role' && !allows) return 'undeny';
  if (verb === 'remove') return kind === 'module' || kind === 'scope-type' ? 'undeny' : turned('close');
  if (kind === 'module') return 'close';
  return isTie || OPENS.has(kind) ? turned('open') : 'prepare';
}

const NEITHER: Polarity = { allows: false, denies: false };
const OPENS: ReadonlySet<string> = new Set(['admin', 'subscription', 'license']);
