import { GatehouseError, invalid } from '../table/errors.ts';
import type { Action } from '../table/write/action.ts';
import { toInvalid } from './answer.ts';
import type { Command } from './command.ts';
import { createPlanned } from './nodes/together.ts';
import type { Plan, Planning } from './plan.ts';

/** How the whole calls the fields of a part. */
export type Renamed = (field: string) => string;

const renamed = (error: GatehouseError, rename: Renamed): GatehouseError =>
  new GatehouseError(error.code, error.message, {
    ...(error.field === undefined ? {} : { field: rename(error.field) }),
    ...(error.holder === undefined ? {} : { holder: error.holder }),
    cause: error,
  });

const withField = (action: Action, rename: Renamed): Action => {
  const { failure } = action;
  return failure === undefined
    ? action
    : ({ ...action, failure: (found) => renamed(failure(found), rename) } as Action);
};

async function naming<T>(rename: Renamed, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GatehouseError ? renamed(error, rename) : error;
  }
}

/** Commands that are carried out in one transaction: each is planned by itself, upon what those before it planned. */
export function createAssembly(planning: Planning, commands: ReadonlyMap<string, Command>) {
  const planned = createPlanned(planning.reader);
  return {
    add: planned.add,
    actions: planned.actions,
    /** Plans a part as its own command would; its errors name the fields that it has here. */
    plan: async (name: string, given: Readonly<Record<string, unknown>>, rename: Renamed): Promise<Plan> => {
      const plan = await naming(rename, async () => {
        const command = commands.get(name);
        if (command?.kind !== 'write') throw invalid('command', `${name} is no command that can be a part`);
        const parsed = command.input.safeParse(given);
        if (!parsed.success) throw toInvalid(parsed.error, 'input');
        const made = await command.plan({ ...planning, reader: planned.reader }, parsed.data as never);
        if (made.next)
          throw invalid('command', `${name} takes more than one transaction here: send it alone`);
        return made;
      });
      await planned.add(plan.actions.map((action) => withField(action, rename)));
      return plan;
    },
  };
}
