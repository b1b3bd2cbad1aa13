import type { Interval } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { LAST_INSTANT } from '../../table/timing.ts';
import type { Holding } from '../effective-roles.ts';
import { holdsAt } from '../validity.ts';
import type { Names } from './explained-names.ts';
import type { Period, PeriodState, Source } from './explanation.ts';

/** Whether an instant is before, in or after a period (its end excluded). */
export function stateOf(period: Interval, at: number): PeriodState {
  if (holdsAt(period, at)) return 'holds';
  return at < period.start ? 'not_begun' : 'ended';
}

export const STATES = { holds: 'holds', ended: 'has ended', not_begun: 'has not begun' } as const;

/** The period of what has no start. */
export const untilOf = (end: number): Interval => ({ start: Number.NEGATIVE_INFINITY, end });

/** Only assignments and the groups of a token have a period. */
export function holdingState(holding: Holding, at: number): PeriodState {
  if (holding.kind === 'assignment') return stateOf(holding, at);
  return holding.kind === 'token_group' ? stateOf(untilOf(holding.end), at) : 'holds';
}

const isoOf = (time: number): string | undefined =>
  Math.abs(time) < LAST_INSTANT ? new Date(time).toISOString() : undefined;

/** A period as plain data, without the bounds that are not set. */
export function periodOf({ start, end }: Interval): Period {
  const [from, until] = [isoOf(start), isoOf(end)];
  return defined({ start: from, end: until });
}

export const periodText = ({ start, end }: Period): string =>
  `${start === undefined ? '' : ` from ${start}`}${end === undefined ? '' : ` until ${end}`}`;

/** The grant through which the subject has a role, with names. */
export function sourceOf(holding: Holding, names: Names): Source {
  if (holding.kind === 'global_role') return { kind: 'global_role' };
  const scope = names.of(holding.scope);
  if (holding.kind === 'grant') return { kind: 'grant', scope };
  if (holding.kind === 'assignment') return { kind: 'assignment', scope, ...periodOf(holding) };
  const group = `group:${holding.group}`;
  if (holding.kind === 'token_group')
    return { kind: 'token_group', group: names.of(group), scope, ...periodOf(untilOf(holding.end)) };
  const everyone = names.node(group)?.everyone === true ? ({ everyone: true } as const) : {};
  return { kind: 'group', group: names.of(group), scope, ...everyone };
}

export const roleRef = (id: string): string => `role:${id}`;
