import type { Interval, SubjectFacts } from '../table/decision/facts.ts';
import { DENIED, type Decision } from './decision.ts';
import { licensesAsked } from './entitlements.ts';
import { type Bits, bitsOf, numbered } from './numbering.ts';
import { eachRoleInForce } from './roles.ts';
import type { Place } from './view.ts';

/**
 * How a subject stands at a place, whatever it asks for there: steps 1, 2, 4 and 6 of SPEC section 2. It holds for
 * the instants of its `window`, in which no assignment or licence begins or ends, nor the subject itself.
 */
export interface Footing {
  readonly window: Interval;
  /** Why nothing is allowed here, if so. */
  readonly refusal: Decision | undefined;
  readonly isAdmin: boolean;
  readonly isLicensed: boolean;
  /** The roles in force that the root owns, inherited ones included. */
  readonly ownRoles: Bits;
  /** Those that hold everywhere. */
  readonly globalRoles: Bits;
  /** Whether one DENY refuses, or one ALLOW is enough. */
  readonly denyOverrides: boolean;
}

/** What nothing begins or ends. */
export const ALWAYS: Interval = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** How `subject` stands at `place` at the instant `at`, in epoch milliseconds. */
export function footingOf(subject: SubjectFacts | null, place: Place, at: number): Footing {
  const refusal = refusalOf(subject, place, at);
  const licenses = licensesAsked(place);
  const { ownRoles, globalRoles } = refusal ? NO_ROLES : rolesInForce(subject, place, at);
  return {
    window: subject ? windowOf(at, instantsOf(subject, place, licenses.flat())) : ALWAYS,
    refusal,
    ownRoles,
    globalRoles,
    denyOverrides: deniesOverride(place),
    isAdmin: subject?.isAdmin === true,
    isLicensed: licenses.every((some) => some.some(({ start, end }) => start <= at && at < end)),
  };
}

export const deniesOverride = ({ scopes }: Place): boolean => scopes.at(-1)?.combination === 'deny-overrides';

/** Steps 1 and 2. Asked this way round, an `at` that is no instant (NaN) is refused as well. */
function refusalOf(subject: SubjectFacts | null, { scopes }: Place, at: number): Decision | undefined {
  if (!subject) return DENIED.subject_unknown;
  if (!subject.active) return DENIED.subject_inactive;
  if (!(at < subject.endsAt)) return DENIED.subject_ended;
  for (const scope of scopes) {
    if (!scope) return DENIED.scope_unknown;
    if (!scope.active) return DENIED.scope_inactive;
  }
  return undefined;
}

/** Roles in force, inherited ones included: those that the root owns, and those that hold everywhere. */
export type RolesInForce = Pick<Footing, 'ownRoles' | 'globalRoles'>;

const NO_ROLES: RolesInForce = { ownRoles: 0, globalRoles: 0 };

/** Step 6 alone, whatever else refuses. */
export function rolesInForce(subject: SubjectFacts | null, place: Place, at: number): RolesInForce {
  const [own, everywhere]: [number[], number[]] = [[], []];
  const ofRoot = numbered(place.scopes.at(-1)?.roles ?? new Map()).numbers;
  const ofAll = numbered(place.global.roles).numbers;
  eachRoleInForce(subject, place, at, (role, _facts, isOwned) => {
    if (isOwned) own.push(ofRoot.get(role) as number);
    else everywhere.push(ofAll.get(role) as number);
  });
  return { ownRoles: bitsOf(own), globalRoles: bitsOf(everywhere) };
}

/** The instants at which something that the footing rests on begins or ends. */
function* instantsOf(
  { endsAt, assignments }: SubjectFacts,
  { scopes }: Place,
  licenses: readonly Interval[],
): Iterable<number> {
  yield endsAt;
  const assigned =
    assignments.size === 0 ? [] : scopes.map((scope) => assignments.get(scope?.ref ?? '') ?? []);
  for (const { start, end } of [...assigned.flat(), ...licenses]) {
    yield start;
    yield end;
  }
}

/** The instants around `at` up to the nearest of those given. */
function windowOf(at: number, instants: Iterable<number>): Interval {
  let { start, end } = ALWAYS;
  for (const instant of instants) {
    if (instant > at) end = Math.min(end, instant);
    else start = Math.max(start, instant);
  }
  return start === ALWAYS.start && end === ALWAYS.end ? ALWAYS : { start, end };
}
