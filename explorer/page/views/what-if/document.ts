import {
  changesBeyond,
  type PlannedChange,
  readSavedPlan,
  type SavedPlan,
} from '../../../../provisioning/index.ts';
import { ProblemsError, readDocument } from '../../../../testing/model.ts';

/** Loaded when a file is opened: it reads YAML. */

/** What a text holds. */
export type Opened =
  | { readonly manifest: Readonly<Record<string, unknown>>; readonly plan?: SavedPlan }
  | { readonly problem: string };

/** Reads a manifest (YAML or JSON), or a plan that `gatehouse plan --out` wrote. */
export function open(name: string, text: string): Opened {
  let data: unknown;
  try {
    ({ data } = readDocument(name, text));
  } catch (error) {
    if (error instanceof ProblemsError) return { problem: error.message };
    throw error;
  }
  const saved = readSavedPlan(data);
  if (saved !== undefined)
    return 'problem' in saved
      ? { problem: `${name} ${saved.problem}` }
      : { manifest: saved.plan.manifest, plan: saved.plan };
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return { problem: `${name} is neither a manifest nor a plan` };
  return { manifest: data as Readonly<Record<string, unknown>> };
}

/** How a saved plan compares with what its manifest takes now. */
export interface Currency {
  /** Changes that it takes now and that the plan does not have: with any, the plan is out of date. */
  readonly beyond: ReadonlySet<PlannedChange>;
  /** How many changes of the plan are done already. */
  readonly done: number;
}

export async function currencyOf(plan: SavedPlan, changes: readonly PlannedChange[]): Promise<Currency> {
  const beyond = await changesBeyond(plan, changes);
  const kept = changes.length - beyond.length;
  return { beyond: new Set(beyond), done: plan.changes.length - kept };
}
