import { styleText } from 'node:util';
import type { Reader } from '../table/reader.ts';
import type { Writer } from '../table/writer.ts';
import type { Terminal } from './ask.ts';
import type { Line } from './gathered-lines.ts';
import type { Written } from './written.ts';

/** A table to read and to write. */
export interface Store {
  readonly reader: Reader;
  readonly writer: Writer;
}

/** What the command line takes from its process; tests inject their own. */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Writes a line of a log, soon. Without it: as an error. */
  readonly log?: (line: Line) => void;
  /** Whether the output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether messages go to one; only then progress is shown. */
  readonly isErrorTerminal?: boolean;
  /** Calls the listener on SIGINT or SIGTERM instead of ending at once; returns a function that stops listening. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** The terminal for questions; undefined when input or output is not one. */
  readonly terminal?: Terminal;
  /** Reads all of the standard input. Throws ProblemsError for what is no text, or too large. */
  readonly input?: () => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The table of a name that is not in DynamoDB; undefined for all others. */
  readonly tableInMemory?: (name: string) => Store | undefined;
}

/** What a subcommand takes from around it. */
export interface Context extends Process {
  readonly written: Written;
}

/** What SIGINT or SIGTERM interrupts. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Resolves when it is interrupted. */
  readonly interrupted: Promise<void>;
  /** From then on signals end the process again. */
  readonly ignore: () => void;
}

export function interruptionOf({ onInterrupt }: Pick<Process, 'onInterrupt'>): Interruption {
  const controller = new AbortController();
  let ignore: (() => void) | undefined;
  const interrupted = new Promise<void>((resolve) => {
    ignore = onInterrupt?.(() => {
      controller.abort();
      resolve();
    });
  });
  return { signal: controller.signal, interrupted, ignore: () => ignore?.() };
}

/** A usage error, with a message of one line that says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code: string = 'usage';
}

/** Nothing was done: nobody agreed, what was agreed to is out of date, it is there already, or somebody else is at it. */
export class NothingDoneError extends Error {
  override readonly name = 'NothingDoneError';
  readonly code: 'not_agreed' | 'out_of_date' | 'exists' | 'apply_running';
  /** For programs: what it would have done. */
  readonly data: Readonly<Record<string, unknown>>;
  constructor(code: NothingDoneError['code'], message: string, data: NothingDoneError['data'] = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Work that ended early and is run again; what it did is in its data, for `--json`. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
  readonly code = 'incomplete';
  readonly retryable = true;
  readonly data: Readonly<Record<string, unknown>>;
  constructor(message: string, data: Readonly<Record<string, unknown>>) {
    super(message);
    this.data = data;
  }
}

export type Paint = (colour: 'green' | 'red' | 'dim', text: string) => string;

/** Colours are for terminals, unless NO_COLOR is set (https://no-color.org). */
export const wantsColours = ({ isTerminal, env }: Context): boolean => isTerminal && !env.NO_COLOR;

export const painter = (colours: boolean): Paint =>
  colours ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_, text) => text;

/** A decision in one word. */
export const verdict = (paint: Paint, allowed: boolean): string =>
  allowed ? paint('green', 'ALLOWED') : paint('red', 'REFUSED');
