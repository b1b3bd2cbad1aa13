import type {
  Assignment,
  GlobalItem,
  Interval,
  RoleItem,
  RoleTable,
  ScopeItem,
  SubjectItem,
} from '../table/decision/items.ts';
import type { DenyReason } from './decision.ts';
import { holdsAt } from './validity.ts';

/** Where a subject is asked about: a scope with its ancestors up to the root, and what holds everywhere. */
export interface Place {
  readonly scopes: readonly (ScopeItem | null)[];
  readonly global: GlobalItem;
}

/** A role that a subject holds on the path of a scope, and how. */
export type Holding =
  | { readonly kind: 'group'; readonly group: string; readonly scope: string; readonly role: string }
  | ({ readonly kind: 'assignment'; readonly scope: string; readonly role: string } & Interval)
  | { readonly kind: 'grant'; readonly scope: string; readonly role: string }
  | { readonly kind: 'global_role'; readonly role: string };

/** Step 6 of SPEC section 2: what a subject holds at a scope, from there up to the root, whether its time has come or not. */
export function holdingsOf(
  subject: SubjectItem | null,
  { scopes }: Pick<Place, 'scopes'>,
): readonly Holding[] {
  const root = scopes.at(-1);
  if (!subject || !root) return NOTHING;
  const holdings: Holding[] = [];
  for (const scope of scopes) {
    if (!scope) continue;
    const { ref } = scope;
    for (const group of subject.groups)
      for (const role of scope.groups.get(group) ?? NONE)
        holdings.push({ kind: 'group', group, scope: ref, role });
    if (subject.assignments.size === 0) continue;
    for (const { role, start, end } of subject.assignments.get(ref) ?? NOTHING_ASSIGNED)
      holdings.push({ kind: 'assignment', scope: ref, role, start, end });
  }
  if (subject.grants.size > 0)
    for (const role of subject.grants.get(root.ref) ?? NONE)
      holdings.push({ kind: 'grant', scope: root.ref, role });
  for (const role of subject.globalRoles) holdings.push({ kind: 'global_role', role });
  return holdings;
}

const NOTHING: readonly Holding[] = [];
const NONE: readonly string[] = [];
const NOTHING_ASSIGNED: readonly Assignment[] = [];

/** Whether a holding is in force at an instant. */
export const isInForce = (holding: Holding, at: number): boolean =>
  holding.kind !== 'assignment' || holdsAt(holding, at);

/** A role as its owner lists it: the root of the scope, or everybody. A role of another tenant is in neither table. */
export const findRole = (role: string, own: RoleTable, global: RoleTable): RoleItem | undefined =>
  own.get(role) ?? global.get(role);

/** A role and all that it inherits from, as far as they are listed. It ends at a cycle, should damaged data hold one. */
export function* inheritance(first: string, own: RoleTable, global: RoleTable): Generator<string> {
  const seen = new Set<string>();
  for (let role: string | undefined = first; role !== undefined && !seen.has(role); ) {
    const item = findRole(role, own, global);
    if (item === undefined) return;
    seen.add(role);
    yield role;
    role = item.parent;
  }
}

const NO_ROLES: RoleTable = new Map();

/** The roles that the root of a place owns. */
export const ownRoles = ({ scopes }: Pick<Place, 'scopes'>): RoleTable => scopes.at(-1)?.roles ?? NO_ROLES;

/** The roles in force at a place for the instant `at` (epoch milliseconds), by id, inherited ones included. */
export function effectiveRoles(subject: SubjectItem | null, place: Place, at: number): readonly string[] {
  const own = ownRoles(place);
  const roles = new Set<string>();
  for (const holding of holdingsOf(subject, place)) {
    if (!isInForce(holding, at)) continue;
    for (const role of inheritance(holding.role, own, place.global.roles)) roles.add(role);
  }
  return [...roles];
}

/** The intervals in time that what a subject holds at a place rests on: its own life, and its assignments. */
export const intervalsOf = (subject: SubjectItem | null, place: Place): readonly Interval[] => [
  { start: Number.NEGATIVE_INFINITY, end: subject?.endsAt ?? Number.POSITIVE_INFINITY },
  ...holdingsOf(subject, place).filter((holding) => holding.kind === 'assignment'),
];

/** Steps 1 and 2: why nothing is allowed here, whatever is asked for. An `at` that is no instant (NaN) is refused as well. */
export function refusalOf(
  subject: SubjectItem | null,
  { scopes }: Pick<Place, 'scopes'>,
  at: number,
): DenyReason | undefined {
  if (!subject) return 'subject_unknown';
  if (!subject.active) return 'subject_inactive';
  if (!(at < subject.endsAt)) return 'subject_ended';
  for (const scope of scopes) {
    if (!scope) return 'scope_unknown';
    if (!scope.active) return 'scope_inactive';
  }
  return undefined;
}
