import { GatehouseError } from '../../table/errors.ts';
import type { AccessDifference, AccessSide } from '../access-difference/index.ts';
import type { ManifestPlan } from './plan.ts';
import type { State } from './state.ts';
import type { Step } from './steps.ts';

/** Who loses and who gains what by some of the steps. */
type DifferenceOf = (steps: readonly Step[]) => Promise<AccessDifference>;

const isNobody = ({ loses, gains, incomplete }: AccessDifference): boolean =>
  loses.people === 0 && gains.people === 0 && incomplete === undefined;

const isClose = ({ phase }: Step): boolean => phase === 'close';

/** Attributes by which what is decided now is not what is decided at another time, or for another request. */
const DATES = ['startsAt', 'endsAt', 'startDate', 'endDate', 'when'];

/** Whether all that the manifest speaks of only allows, always, and whatever is asked with. */
const isPlain = ({ desired, current }: State): boolean =>
  [...desired, ...current].every(
    ({ values }) =>
      values.effect !== 'DENY' &&
      values.combination !== 'deny-overrides' &&
      (values.status ?? 'active') === 'active' &&
      !DATES.some((name) => values[name] !== undefined && values[name] !== null),
  );

/**
 * The steps of a plan in an order in which nobody is refused in between, where there is one: what gives access, and then
 * what takes it away. An entry that is renamed is such a plan: it is made under its new name, and removed under the old one.
 *
 * This is safe only if nobody gains or loses anything, neither by all steps nor by those that give access alone. Then it
 * holds in each state between them, too: each step that gives can only add to what is allowed, each that takes away
 * only take from it. So there may be no DENY, and nothing that hangs on time or on a condition.
 *
 * @returns the steps as they are where that is not so, or is not known
 */
export async function withoutGap(
  { steps, state }: Pick<ManifestPlan, 'steps' | 'state'>,
  differenceOf: DifferenceOf,
): Promise<readonly Step[]> {
  const closing = steps.filter(isClose);
  const others = steps.filter((step) => !isClose(step));
  const isRename =
    closing.length > 0 &&
    closing.every(({ verb }) => verb === 'remove') &&
    others.some(({ phase }) => phase === 'open') &&
    others.every(({ phase }) => phase === 'prepare' || phase === 'open');
  if (!isRename || state === undefined || !isPlain(state)) return steps;
  const turned = [...others, ...closing];
  try {
    const isSafe = isNobody(await differenceOf(others)) && isNobody(await differenceOf(turned));
    return isSafe ? turned : steps;
  } catch (error) {
    // Both cannot be there at once: a name that is taken until the old entry is gone.
    if (error instanceof GatehouseError && !error.retryable) return steps;
    throw error;
  }
}

/** Who is refused while a plan is carried out, though nobody is when all of it is done; undefined for nobody. */
export async function refusedBetween(
  steps: readonly Step[],
  { loses }: AccessDifference,
  differenceOf: DifferenceOf,
): Promise<AccessSide | undefined> {
  const first = steps.findIndex((step) => !isClose(step));
  if (loses.people > 0 || first <= 0) return undefined;
  const { loses: between } = await differenceOf(steps.slice(0, first));
  return between.people > 0 ? between : undefined;
}
