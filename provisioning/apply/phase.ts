import { SCOPES } from '../../table/entities/scopes.ts';
import { type Entry, keyOf, type Row } from './entry.ts';
import type { State } from './state.ts';

export type Verb = 'create' | 'change' | 'remove';

/**
 * The order of an apply (docs/manifests.md): each state in between allows nothing that neither the table as it was nor
 * the manifest allows. `close` takes access away. `prepare` makes what gives nobody access. `deny` adds refusals.
 * `switch` changes what neither adds nor takes away, such as the permission that a route needs; at that time only what
 * both states allow is allowed. `together` does in one transaction what no order makes safe (together.ts). `open` adds
 * access, and `undeny` removes refusals last. Then `mark` says what is allow-only (allow-only.ts).
 */
export const PHASES = ['close', 'prepare', 'deny', 'switch', 'together', 'open', 'undeny', 'mark'] as const;
export type Phase = (typeof PHASES)[number];

/** Kinds of scopes: the types that come with the table, and `scope` for those that were added. */
export const SCOPE_KINDS: ReadonlySet<string> = new Set(Object.keys(SCOPES));

/** Kinds of edges that give subjects what roles allow and deny. */
export const ROLE_EDGES: ReadonlySet<string> = new Set([
  'membership',
  'group-role',
  'grant',
  'assignment',
  'global-role',
]);

/** Whether roles allow or deny anything, with all that they inherit, in the current or in the desired state. */
interface Effects {
  readonly allows: boolean;
  readonly denies: boolean;
}

export type EffectsOf = (entry: Entry) => Effects;

export function roleEffects({ desired, current, inherits }: State): EffectsOf {
  const own = new Map<string, { allows: boolean; denies: boolean }>();
  const carried = new Map<string, Set<string>>();
  for (const { kind, identity, values } of [...desired, ...current]) {
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
  const rolesOf = ({ kind, identity }: Entry): readonly string[] => {
    if (kind === 'membership') return [...(carried.get(String(identity.group)) ?? [])];
    if (kind === 'group') return [...(carried.get(String(identity.id)) ?? [])];
    if (kind === 'grant') return [...(carried.get(keyOf({ kind, identity })) ?? [])];
    return [String(kind === 'role' ? identity.id : identity.role)];
  };
  return (entry) => {
    const seen = new Set<string>();
    const collect = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const parent of inherits.get(id) ?? []) collect(parent);
    };
    for (const role of rolesOf(entry)) collect(role);
    const all = [...seen].flatMap((id) => own.get(id) ?? []);
    return { allows: all.some(({ allows }) => allows), denies: all.some(({ denies }) => denies) };
  };
}

/** The phase of a change; `known` is the one that its comparison has chosen. */
export function phaseOf(
  verb: Verb,
  entry: Entry,
  before: Row | undefined,
  known: Phase | undefined,
  effectsOf: EffectsOf,
  input: Row = {},
): Phase {
  const { kind, values } = entry;
  if (known === 'mark') return known;
  // A role that is given another parent: it is the parent that allows or refuses.
  if (kind === 'role' && verb === 'change' && known !== undefined) {
    const onlyDenies = (parent: unknown): boolean => {
      const { allows, denies } = effectsOf({ ...entry, identity: { id: parent } });
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
  const isEdge = ROLE_EDGES.has(kind);
  const { allows, denies } = isEdge || kind === 'group' || kind === 'role' ? effectsOf(entry) : NEITHER;
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
  if (verb === 'remove') return LAST.has(kind) ? 'undeny' : turned('close');
  // Conditions that come first look at what is declared.
  if (kind === 'module' || kind === 'property') return 'close';
  return isEdge || OPENS.has(kind) ? turned('open') : 'prepare';
}

const NEITHER: Effects = { allows: false, denies: false };
/** What the rest may use until it is gone. */
const LAST: ReadonlySet<string> = new Set(['module', 'scope-type', 'subject-type', 'property']);
const OPENS: ReadonlySet<string> = new Set(['admin', 'subscription', 'license', 'external-group']);
