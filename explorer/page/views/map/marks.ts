import { isInForce, originsOf, readOrigins } from '../../../../table/index.ts';
import type { Item } from '../../load-page.ts';
import { type Entitlements, isSoon, lastDayOf, licenceCoverage, modulesOf } from './entitlements.ts';
import type { Scope } from './levels.ts';

/** Line drawings, of the kinds of marks. */
export const MARK_ICONS = {
  suspended: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.5 5.8v4.4M9.5 5.8v4.4',
  closed: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  paid: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.2 8.2l2 2 3.6-4',
  missing: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  unlicensed: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  ending: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5',
  moving: 'M2 8h11M9.5 4.5 13 8l-3.5 3.5',
  deleting: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.7 9.5h5.6l.7-9.5',
} as const;

/** What is to be seen of a scope at a glance. Each has an icon and words. */
export interface Mark {
  readonly kind: keyof typeof MARK_ICONS;
  readonly text: string;
  /** The whole of it, where the text is short. */
  readonly title?: string;
}

/**
 * The marks of a scope.
 *
 * @param isClosed whether a scope above it is not active
 * @param entitlements undefined while they are not known
 */
export function marksOf(
  scope: Scope,
  isClosed: boolean,
  entitlements: Entitlements | undefined,
  now: number,
): readonly Mark[] {
  const marks: Mark[] = [];
  if (scope.isBeingDeleted) marks.push({ kind: 'deleting', text: 'being deleted' });
  if (scope.isMoving) marks.push({ kind: 'moving', text: 'being moved' });
  if (scope.status !== 'active')
    marks.push({
      kind: 'suspended',
      text: scope.status,
      title: `${scope.status}: nobody is allowed anything here`,
    });
  else if (isClosed)
    marks.push({ kind: 'closed', text: 'closed above', title: 'a scope above it is not active' });
  return entitlements ? [...marks, ...paidMarks(scope, entitlements, now)] : marks;
}

/** The mark of a membership that counts for nothing, because whoever gives it says that the person is not active. */
export function membershipMarks(membership: Item): readonly Mark[] {
  const of = readOrigins(membership);
  if (isInForce(of)) return [];
  const title = `not active in ${originsOf(of).join(', ')}`;
  return [{ kind: 'suspended', text: 'suspended', title }];
}

/** What ends, has ended or lacks a licence. A module that was never subscribed to is no mark: few tenants have all. */
function paidMarks(scope: Scope, entitlements: Entitlements, now: number): readonly Mark[] {
  const { ref } = scope;
  const { unread } = entitlements;
  const marks: Mark[] = [];
  for (const [module, coverage] of modulesOf(scope, entitlements, now)) {
    const isOwn = coverage.state !== 'none' && coverage.owner === ref;
    if (coverage.state === 'covered' && isOwn && isSoon(coverage.end, now))
      marks.push({ kind: 'ending', text: `${module} ends ${lastDayOf(coverage.end)}` });
    if (coverage.state === 'over' && isOwn && !unread.includes('subscriptions'))
      marks.push({ kind: 'unlicensed', text: `${module} is over` });
  }
  const licence = licenceCoverage(scope, entitlements, now);
  if (licence?.state === 'covered' && isSoon(licence.end, now))
    marks.push({ kind: 'ending', text: `licence ends ${lastDayOf(licence.end)}` });
  if (licence?.state === 'over' && !unread.includes('licences'))
    marks.push({ kind: 'unlicensed', text: 'licence is over' });
  if (licence?.state === 'none' && !unread.includes('licences'))
    marks.push({ kind: 'unlicensed', text: 'no licence' });
  const licences = (entitlements.licences.get(ref) ?? []).filter(
    ({ isOpen, end }) => isOpen && isSoon(end, now),
  ).length;
  if (licences > 0) marks.push({ kind: 'ending', text: `${counted(licences, 'licence')} soon` });
  const users = entitlements.endingUsers.filter(({ tenant }) => tenant === ref).length;
  if (users > 0) marks.push({ kind: 'ending', text: `${counted(users, 'user')} soon` });
  return marks;
}

const counted = (count: number, word: string): string =>
  count === 1 ? `1 ${word} ends` : `${count} ${word}s end`;
