import type { Plan, Planning } from './plan.ts';

/**
 * The steps of a command, one transaction each. Each `yield` hands out the plan of one step; it answers with the
 * planning of the next one, whose reader sees what was written. The plan that is returned is of the last step.
 */
export type Steps = AsyncGenerator<Plan, Plan, Planning>;

/** How a command plans that is written as steps. They go on where an earlier sending has stopped, as the table says. */
export const inSteps = <I>(begin: (planning: Planning, input: I) => Steps) =>
  async function plan(planning: Planning, input: I): Promise<Plan> {
    const steps = begin(planning, input);
    let taken = 0;
    const take = async (position: number, later: Planning): Promise<Plan> => {
      // What was planned before was not written: the same command, planned anew, goes on.
      if (position < taken) return plan({ ...later, again: true }, input);
      taken += 1;
      const { done, value } = await steps.next(later);
      return done ? value : { ...value, next: (after) => take(position + 1, after) };
    };
    return take(0, planning);
  };
