import type * as z from 'zod';
import type { Reader } from '../table/reader.ts';
import type { Plan, Planning } from './plan.ts';

/**
 * A command: a name, the schema of its input, and what it does. Commands are data; commands/index.ts lists
 * them.
 */
interface Shared {
  /** `entity.verb`, as `user.create`. */
  readonly name: string;
  /** One or two sentences for the documents. */
  readonly summary: string;
  readonly input: z.ZodType;
}

export interface ReadCommand extends Shared {
  readonly kind: 'read';
  readonly run: (
    context: { readonly reader: Reader },
    input: never,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface WriteCommand extends Shared {
  readonly kind: 'write';
  /** Reads what it must and says what is to be written. Sends nothing; may be called again after a race. */
  readonly plan: (planning: Planning, input: never) => Promise<Plan>;
  /**
   * The plan rests on a comparison with the table: a conflict, or something that is gone, may only mean that the table
   * has changed since. So it is planned anew, and refused when the same reason comes again.
   */
  readonly compares?: true;
}

export type Command = ReadCommand | WriteCommand;

interface ReadSpec<I> extends Shared {
  readonly run: (
    context: { readonly reader: Reader },
    input: I,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

interface WriteSpec<I> extends Shared, Pick<WriteCommand, 'compares'> {
  readonly plan: (planning: Planning, input: I) => Promise<Plan>;
}

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
): WriteCommand => ({ kind: 'write', ...spec, plan: spec.plan as WriteCommand['plan'] });
