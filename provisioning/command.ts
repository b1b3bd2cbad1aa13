import type * as z from 'zod';
import { isObject } from '../table/json.ts';
import type { Reader } from '../table/reader.ts';
import { inSteps, type Steps } from './in-steps.ts';
import type { OneTransaction, Plan, Planning } from './plan.ts';

/**
 * A command: a name, the schema of its input, and what it does. Commands are data; all-commands.ts lists
 * them.
 */
interface Shared {
  /** `entity.verb`, as `user.create`. */
  readonly name: string;
  /** One or two sentences for the documents. */
  readonly summary: string;
  readonly input: z.ZodType;
}

/** What a read command may use. */
export interface ReadContext {
  readonly reader: Reader;
  /** ISO 8601. */
  readonly now: string;
}

export interface ReadCommand extends Shared {
  readonly kind: 'read';
  readonly run: (context: ReadContext, input: never) => Promise<Readonly<Record<string, unknown>>>;
}

/** Of a command that takes access or data away. */
export interface Destructive {
  /** How to bring back what it took away, or that nothing does; for people. */
  readonly undo: string;
  /** Of a command that takes away with some inputs only. */
  readonly when?: (input: Readonly<Record<string, unknown>>) => boolean;
  /** Of a command that may also take access away with other inputs, such as a new end. */
  readonly possiblyWhen?: (input: Readonly<Record<string, unknown>>) => boolean;
}

/** Attributes beside the status on which decisions rest. */
const OF_ACCESS = [
  'effect',
  'when',
  'properties',
  'roles',
  'startsAt',
  'endsAt',
  'mandateOptional',
  'startDate',
  'endDate',
  'enterprise',
  'parent',
  'combination',
  'module',
  'soldBySubscription',
];
export const changesAccess = (given: object): boolean => OF_ACCESS.some((name) => name in given);

/** Of a command that takes access away with some inputs, which only who loses access says. */
export const POSSIBLY = { when: () => false, possiblyWhen: changesAccess } satisfies Partial<Destructive>;

export interface WriteCommand extends Shared {
  readonly kind: 'write';
  /** Reads what it must and says what is to be written. Sends nothing; may be called again after a race. */
  readonly plan: (planning: Planning, input: never) => Promise<Plan>;
  /** Its plans may have a step after the first one. */
  readonly inSteps?: true;
  /**
   * The plan rests on a comparison with the table: a conflict, or something that is gone, may only mean that the table
   * has changed since. So it is planned anew, and refused when the same reason comes again.
   */
  readonly compares?: true;
  /**
   * Many at once write one item. So it goes alone, and where it meets others for as long as a write tries, it is planned
   * anew until its time is up.
   */
  readonly contends?: true;
  readonly destructive?: Destructive;
  /** It carries out other commands. Its plans say in `carries` all that these change. */
  readonly carries?: true;
}

export type Command = ReadCommand | WriteCommand;

/** Commands whose input lists others. */
export const LISTS = new Set(['transaction.write', 'access.compare']);

/** The schemas of the fields of a command's input, by name. */
export const fieldsOf = (command: Pick<Command, 'input'> | undefined): Readonly<Record<string, z.ZodType>> =>
  (command?.input as Partial<z.ZodObject> | undefined)?.shape ?? {};

/**
 * The input of one of several commands, with the `ifExists` of the whole where it takes one and says nothing itself.
 * What is no object stays as it is: its own schema refuses it.
 */
export const keeping = <I>(
  ifExists: 'keep' | undefined,
  commands: ReadonlyMap<string, Command>,
  { command, input }: { readonly command: string; readonly input: I },
): I =>
  ifExists !== undefined && isObject(input) && 'ifExists' in fieldsOf(commands.get(command))
    ? { ifExists, ...input }
    : input;

/** How what has no undo can be restored; to be said before it is deleted. */
export const RESTORE =
  'to be able to restore it, run gatehouse export before, and gatehouse apply of that file after';

/** Whether a command takes access or data away with this input. */
export const takesAway = (
  command: Command | undefined,
  input: Readonly<Record<string, unknown>>,
): command is WriteCommand & { readonly destructive: Destructive } =>
  command?.kind === 'write' &&
  command.destructive !== undefined &&
  (command.destructive.when?.(input) ?? true);

/** Whether a command takes access away with this input, or may: who loses access says whether it does. */
export const mayTakeAway = (
  command: Command | undefined,
  input: Readonly<Record<string, unknown>>,
): command is WriteCommand & { readonly destructive: Destructive } =>
  takesAway(command, input) ||
  (command?.kind === 'write' && command.destructive?.possiblyWhen?.(input) === true);

interface ReadSpec<I> extends Shared {
  readonly run: (context: ReadContext, input: I) => Promise<Readonly<Record<string, unknown>>>;
}

/** A command whose plans may have a step after the first one has to say so. */
type Plans<I> =
  | { readonly steps: (planning: Planning, input: I) => Steps; readonly plan?: never }
  | { readonly inSteps: true; readonly carries?: never; readonly plan: Planner<I, Plan> }
  | { readonly inSteps: true; readonly carries: true; readonly plan: Planner<I, Plan & Carrying> }
  | { readonly inSteps?: never; readonly carries?: never; readonly plan: Planner<I, OneTransaction> }
  | {
      readonly inSteps?: never;
      readonly carries: true;
      readonly plan: Planner<I, OneTransaction & Carrying>;
    };
type Planner<I, P> = (planning: Planning, input: I) => Promise<P>;
type Carrying = Required<Pick<Plan, 'carries'>>;

type WriteSpec<I> = Shared & Pick<WriteCommand, 'compares' | 'contends' | 'destructive'> & Plans<I>;

/** The input reaches `run` and `plan` only after `input` has parsed it: hence the one cast. */
export const readCommand = <S extends z.ZodType, I = z.infer<S>>(
  spec: ReadSpec<I> & { input: S },
): ReadCommand => ({
  kind: 'read',
  ...spec,
  run: spec.run as ReadCommand['run'],
});

export const writeCommand = <S extends z.ZodType, I = z.infer<S>>(
  spec: WriteSpec<I> & { input: S },
): WriteCommand => {
  if (spec.plan) return { kind: 'write', ...spec, plan: spec.plan as WriteCommand['plan'] };
  const { steps, ...rest } = spec;
  return { kind: 'write', ...rest, inSteps: true, plan: inSteps(steps) };
};
