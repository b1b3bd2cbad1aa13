import type { Terminal } from './ask.ts';

/** What the command line takes from its process; tests give their own. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether the output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether messages go to one. */
  readonly isErrorTerminal?: boolean;
  /** Calls back when the person wants it to end, instead of ending at once; returns how to stop listening. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** Where a person can be asked; undefined where nobody sits. */
  readonly terminal?: Terminal;
  /** All of the standard input. */
  readonly input?: () => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The exit codes of every subcommand. */
export const OK = 0;
/** Refused, or a test has failed. */
export const REFUSED = 1;
/** Wrong use, or a fault. */
export const USAGE = 2;

export const EXIT_CODES = `
Exit codes:
  0  allowed; all tests passed; a route matches, has no gaps; nothing to do, all done; nothing wrong
  1  refused; a test failed; no route, gaps; changes to make, rows refused; something wrong
  2  wrong use, or a fault`;

/** Wrong use: one line that says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const CODES = { green: 32, red: 31, dim: 2 } as const;

export type Paint = (colour: keyof typeof CODES, text: string) => string;

/** Colours are for terminals, and for people who have not said no (https://no-color.org). */
export const wantsColours = ({ isTerminal, env }: Context): boolean => isTerminal && !env.NO_COLOR;

export const painter =
  (colours: boolean): Paint =>
  (colour, text) =>
    colours ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
