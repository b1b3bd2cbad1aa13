import * as z from 'zod';
import { idOf, type PlannedChange } from './commands.ts';

const VERSION = 1;

/** A plan as a document: what was approved. It is compared anew before it is applied; it is no list of commands. */
const schema = z.strictObject({
  gatehousePlan: z.literal(VERSION, `this release reads version ${VERSION}`),
  /** The table or the function that it is of. */
  place: z.string(),
  madeAt: z.string(),
  prune: z.boolean(),
  pruneShared: z.boolean(),
  /** The ids of all changes: they follow from what a change does. */
  changes: z.array(z.string().max(16)).max(10_000),
  manifest: z.record(z.string(), z.unknown()),
});
export type SavedPlan = Omit<z.infer<typeof schema>, 'gatehousePlan'>;

export const idsOf = (changes: readonly PlannedChange[]): Promise<readonly string[]> =>
  Promise.all(changes.map(idOf));

/** A plan as it is saved, as JSON. */
export const savedPlan = (plan: SavedPlan): Readonly<Record<string, unknown>> => ({
  gatehousePlan: VERSION,
  ...plan,
});

/**
 * Reads a plan from data that was JSON.
 *
 * @returns undefined for data of another kind; `problem` says what is wrong with a plan
 */
export function readSavedPlan(
  data: unknown,
): { readonly plan: SavedPlan } | { readonly problem: string } | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'gatehousePlan')) return undefined;
  const parsed = schema.safeParse(data);
  if (parsed.success) return { plan: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    problem: `is not a plan that gatehouse plan --out wrote: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`,
  };
}

/** The changes that a plan does not have: there are some where it is out of date. Those that are done may be missing. */
export async function changesBeyond(
  plan: SavedPlan,
  changes: readonly PlannedChange[],
): Promise<readonly PlannedChange[]> {
  const approved = new Set(plan.changes);
  const ids = await idsOf(changes);
  return changes.filter((_, position) => !approved.has(ids[position] ?? ''));
}
