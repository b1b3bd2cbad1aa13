import { GatehouseError, invalid } from '../table/errors.ts';
import type { Action } from '../table/write/action.ts';
import { createBatchedReads } from './batched-reads.ts';
import type { Command } from './command.ts';
import { readInput } from './input.ts';
import { createPlanned } from './nodes/planned-writes.ts';
import type { AuditEntry, Plan, Planning, Sent } from './plan.ts';

/** How the whole reports an error of a part. */
export type Explain = (error: GatehouseError) => GatehouseError;

/** An action whose failure is reported by `explain`. */
export const explained = (action: Action, explain: Explain): Action => {
  const { failure } = action;
  return failure === undefined
    ? action
    : ({ ...action, failure: (found) => explain(failure(found)) } as Action);
};

/** A plan whose errors are reported by `explain`: those of its making, and those of its writing. */
export async function explaining(explain: Explain, work: () => Promise<Plan>): Promise<Plan> {
  try {
    const plan = await work();
    return { ...plan, actions: plan.actions.map((action) => explained(action, explain)) };
  } catch (error) {
    throw error instanceof GatehouseError ? explain(error) : error;
  }
}

/** The plan of a command by its name, for an input that its schema has not seen yet. */
export async function planCommand(
  commands: ReadonlyMap<string, Command>,
  planning: Planning,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Plan> {
  const command = commands.get(name);
  if (command?.kind !== 'write') throw invalid('command', `${name} is no command that can be a part`);
  return command.plan(planning, readInput(command, given) as never);
}

/** The audit entries of a part, under its name where they have none of their own. */
export const auditOf = (command: string, { audit }: Plan): readonly AuditEntry[] =>
  [audit].flat().map((entry) => ({ ...entry, command: entry.command ?? command }));

/** Whether an error says that a command cannot be a part of a transaction as things are. */
export const isOfAlone = ({ code, field }: GatehouseError): boolean =>
  code === 'invalid' && field === 'command';

/**
 * The same planning with a reader that has read what these parts look at, in few calls. They are planned side by side
 * for that, and these plans are thrown away: each part is planned again upon those before it, mostly without a read.
 */
export async function inFewReads(
  planning: Planning,
  commands: ReadonlyMap<string, Command>,
  parts: readonly Sent[],
): Promise<Planning> {
  const reads = createBatchedReads(planning.reader);
  const plan = ({ command, input }: Sent) =>
    reads.work((reader) => planCommand(commands, { ...planning, reader }, command, input));
  await Promise.allSettled(parts.map(plan));
  return { ...planning, reader: reads.reader };
}

/** Commands that are carried out in one transaction: each is planned by itself, upon what those before it planned. */
export function createAssembly(planning: Planning, commands: ReadonlyMap<string, Command>) {
  const planned = createPlanned(planning.reader);
  const upon = { ...planning, reader: planned.reader };
  return {
    add: planned.add,
    actions: planned.actions,
    /** Plans a part as its own command would. */
    plan: async (name: string, given: Readonly<Record<string, unknown>>, explain: Explain): Promise<Plan> => {
      const plan = await explaining(explain, async () => {
        const made = await planCommand(commands, upon, name, given);
        if (made.next)
          throw invalid('command', `${name} takes more than one transaction here: send it alone`);
        return made;
      });
      await planned.add(plan.actions);
      return plan;
    },
  };
}
