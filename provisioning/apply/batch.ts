import { defined } from '../../table/defined.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Action } from '../../table/write/action.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { auditOf, createAssembly, explaining, inFewReads, isOfAlone, planCommand } from '../assembly.ts';
import { auditSize } from '../audit.ts';
import { fits } from '../nodes/steps.ts';
import type { AuditEntry, Plan, Planning } from '../plan.ts';
import { pointerOf } from './problem.ts';
import type { Commands } from './state.ts';
import type { Step } from './steps.ts';
import { WORDS } from './words.ts';

/** The steps that the next transaction carries out, from the front of a plan. */
export type Batch = Pick<Plan, 'actions' | 'audit' | 'next'> & {
  /** How many steps it is. Zero only for a removal of what is gone already. */
  readonly taken: number;
};

/** More steps than this never fit: each has an audit record beside what it writes. */
const MOST = MAX_ACTIONS / 2;

/** How a step reports an error: with what was to be done, and its place in the manifest as a JSON Pointer. */
export const explainerOf =
  ({ verb, kind, label, path }: Step) =>
  (error: GatehouseError): GatehouseError => {
    if (isOfAlone(error)) return error;
    const { code, message, field, holder } = error;
    const of = field === undefined || path.length === 0 ? [] : [WORDS[field] ?? field];
    return new GatehouseError(code, `${verb} ${kind} ${label}: ${message}`, {
      field: `manifest${pointerOf([...path, ...of])}`,
      ...defined({ holder }),
      cause: error,
    });
  };

/** The steps that may share the next transaction: whole units from the front, `together` only with their like. */
export function candidates(steps: readonly Step[], atOnce: number = MOST): readonly Step[] {
  const [first] = steps;
  const isTogether = first?.phase === 'together';
  const most = isTogether ? MOST : Math.min(atOnce, MOST);
  const chosen: Step[] = [];
  for (let from = 0; from < steps.length; ) {
    const { unit, phase } = steps[from] as Step;
    let end = from + 1;
    while (steps[end]?.unit === unit && steps[end]?.phase === phase) end++;
    if (from > 0 && (end > most || (phase === 'together') !== isTogether)) break;
    chosen.push(...steps.slice(from, end));
    from = end;
  }
  return chosen.slice(0, MOST);
}

/**
 * Whether one transaction holds these actions with their audit records and the record of the operation; `fits` counts
 * one audit record.
 */
export const hasRoom = (
  actions: readonly Action[],
  audit: readonly AuditEntry[],
  splits: Planning['splits'],
): boolean => actions.length + auditSize(audit) + 1 <= MAX_ACTIONS && fits(actions, splits);

interface BatchOptions {
  readonly atOnce?: number | undefined;
  /** What is added to the transaction afterwards. */
  readonly beside?: readonly Action[];
}

/**
 * Plans the next transaction: as many steps from the front as it holds. A unit is divided only where it alone is too
 * large. What cannot share a transaction, such as a removal of much, comes alone.
 */
export async function nextBatch(
  planning: Planning,
  commands: Commands,
  steps: readonly Step[],
  { atOnce, beside = [] }: BatchOptions = {},
): Promise<Batch> {
  const chosen = candidates(steps, atOnce);
  const assembly = createAssembly(await inFewReads(planning, commands, chosen), commands);
  const audit: AuditEntry[] = [];
  let [whole, partly]: (Batch | undefined)[] = [];
  for (const [position, step] of chosen.entries()) {
    try {
      const plan = await assembly.plan(step.command, step.input, explainerOf(step));
      audit.push(...auditOf(step.command, plan));
    } catch (error) {
      // It is planned again, alone, when its turn comes.
      if (error instanceof GatehouseError) break;
      throw error;
    }
    const actions = assembly.actions();
    if (!hasRoom([...actions, ...beside], audit, planning.splits)) break;
    partly = { actions, audit: [...audit], taken: position + 1 };
    const after = chosen[position + 1];
    if (after?.unit !== step.unit || after.phase !== step.phase) whole = partly;
  }
  return whole ?? partly ?? (await alone(planning, commands, steps[0] as Step));
}

/** One step by itself, which may take several transactions. */
async function alone(planning: Planning, commands: Commands, step: Step): Promise<Batch> {
  const explain = explainerOf(step);
  const { command } = step;
  const asBatch = (plan: Plan): Batch => {
    const { actions, next } = plan;
    return {
      actions,
      audit: auditOf(command, plan),
      taken: 1,
      ...(next ? { next: (again) => explaining(explain, () => next(again)).then(named) } : {}),
    };
  };
  const named = (plan: Plan): Plan => ({ ...plan, ...asBatch(plan) });
  try {
    return asBatch(await explaining(explain, () => planCommand(commands, planning, command, step.input)));
  } catch (error) {
    const isGone = step.verb === 'remove' && error instanceof GatehouseError && error.code === 'not_found';
    if (isGone) return { actions: [], audit: [], taken: 0 };
    throw error;
  }
}
