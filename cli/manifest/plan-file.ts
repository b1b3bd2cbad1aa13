import {
  changesBeyond,
  type PlannedChange,
  readSavedPlan,
  type SavedPlan,
} from '../../provisioning/index.ts';
import { ProblemsError, type Source } from '../../testing/document.ts';
import { NothingDoneError } from '../context.ts';
import { count } from '../print.ts';

/** The plan in a file, with its manifest as a source; undefined for a file of another kind. Throws ProblemsError. */
export function readPlan(source: Source): { readonly plan: SavedPlan; readonly source: Source } | undefined {
  const { data, file } = source;
  const read = readSavedPlan(data);
  if (!read) return undefined;
  if ('problem' in read) throw new ProblemsError([{ file, message: read.problem }]);
  const placeOf: Source['placeOf'] = (path) => source.placeOf(['manifest', ...path]);
  return { plan: read.plan, source: { file, data: read.plan.manifest, placeOf } };
}

/** Throws NothingDoneError where a change is not in the plan. Those that are done already may be missing. */
export async function assertCurrent(
  file: string,
  plan: SavedPlan,
  changes: readonly PlannedChange[],
): Promise<void> {
  const others = await changesBeyond(plan, changes);
  const [first] = others;
  if (!first) return;
  const rest = others.length > 1 ? `, and ${count(others.length - 1, 'other change')}` : '';
  throw new NothingDoneError(
    'out_of_date',
    `${file} is out of date: since ${plan.madeAt} the table has changed, and it takes ${first.verb} ${first.kind} ${first.label}${rest} that the plan does not have. Nothing was done: plan again`,
  );
}
