import * as z from 'zod';
import { idOf, type PlannedChange } from '../../provisioning/apply/commands.ts';
import { ProblemsError, type Source } from '../../testing/document.ts';
import { NothingDoneError } from '../context.ts';
import { isMapping } from '../json.ts';
import { writeNewFile } from '../output-file.ts';
import { asJson, count } from '../print.ts';

/** A plan in a file: what was approved. It is compared anew before it is applied; it is no list of commands. */
const schema = z.strictObject({
  gatehousePlan: z.literal(1, 'this release reads version 1'),
  /** The table or the function that it is of. */
  place: z.string(),
  madeAt: z.string(),
  prune: z.boolean(),
  pruneShared: z.boolean(),
  /** The ids of all changes: they follow from what a change does. */
  changes: z.array(z.string().max(16)).max(10_000),
  manifest: z.record(z.string(), z.unknown()),
});
export type PlanFile = Omit<z.infer<typeof schema>, 'gatehousePlan'>;

export const idsOf = (changes: readonly PlannedChange[]): Promise<readonly string[]> =>
  Promise.all(changes.map(idOf));

/** Writes a plan to a new file. Throws UsageError. */
export const writePlan = (path: string, plan: PlanFile): void =>
  writeNewFile(path, asJson({ gatehousePlan: 1, ...plan }));

/** The plan in a file, with its manifest as a source; undefined for a file of another kind. Throws ProblemsError. */
export function readPlan(source: Source): { readonly plan: PlanFile; readonly source: Source } | undefined {
  const { data, file } = source;
  if (!isMapping(data) || !Object.hasOwn(data, 'gatehousePlan')) return undefined;
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ProblemsError([
      {
        file,
        message: `is not a plan that gatehouse plan --out wrote: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`,
      },
    ]);
  }
  const { manifest } = parsed.data;
  const placeOf: Source['placeOf'] = (path) => source.placeOf(['manifest', ...path]);
  return { plan: parsed.data, source: { file, data: manifest, placeOf } };
}

/** Throws NothingDoneError where a change is not in the plan. Those that are done already may be missing. */
export async function assertCurrent(
  file: string,
  plan: PlanFile,
  changes: readonly PlannedChange[],
): Promise<void> {
  const approved = new Set(plan.changes);
  const ids = await idsOf(changes);
  const others = changes.filter((_, position) => !approved.has(ids[position] ?? ''));
  const [first] = others;
  if (!first) return;
  const rest = others.length > 1 ? `, and ${count(others.length - 1, 'other change')}` : '';
  throw new NothingDoneError(
    'out_of_date',
    `${file} is out of date: since ${plan.madeAt} the table has changed, and it takes ${first.verb} ${first.kind} ${first.label}${rest} that the plan does not have. Nothing was done: plan again`,
  );
}
