import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, inject } from 'vitest';
import type { Context } from '../../cli/context.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { runProgram } from '../../cli/program.ts';
import { tableInMemory } from '../support/store.ts';

/** Runs the command line in this process, on the DynamoDB engine of the run or on the table of a light world. */
export async function gatehouse(args: readonly string[], changes: Partial<Context> = {}) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runProgram(args, {
    out: (text) => out.push(text),
    error: (text) => error.push(text),
    isTerminal: false,
    now: Date.now,
    tableInMemory,
    ...changes,
    env: { DYNAMODB_ENDPOINT: inject('endpoint'), ...changes.env },
  });
  assertDocumented(args, code);
  return { code, out: out.join(''), error: error.join('') };
}

/**
 * Runs a subcommand that listens, until `use` is done with what it prints first; then it is interrupted. It is not used where
 * it ends by itself.
 */
export async function whileListening(
  args: readonly string[],
  use: (out: string) => Promise<void>,
  changes: Partial<Context> = {},
) {
  let [out, interrupt, started] = ['', () => {}, () => {}];
  const printed = new Promise<void>((resolve) => {
    started = resolve;
  });
  const ended = gatehouse(args, {
    out: (text) => {
      out += text;
      started();
    },
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
    ...changes,
  });
  await Promise.race([printed, ended]);
  try {
    if (out !== '') await use(out);
  } finally {
    interrupt();
  }
  return { ...(await ended), out };
}

/** A signal as soon as the subcommand listens: the first listener is that of the whole command line. */
export const asItListens = () => {
  let listeners = 0;
  return (listener: () => void) => {
    if (++listeners > 1) listener();
    return () => {};
  };
};

/** Runs it at a terminal, where this is typed as soon as something is asked; without a text, input ends. */
export async function atTerminal(typed: string, args: readonly string[], changes: Partial<Context> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let asked = '';
  output.on('data', (chunk) => {
    if (asked === '')
      if (typed === '') input.end();
      else for (const line of typed.split(/(?<=\n)/)) input.write(line);
    asked += chunk;
  });
  const ran = await gatehouse(args, { isTerminal: true, terminal: { input, output }, ...changes });
  return { ...ran, asked };
}

/** The subcommands that a help lists. */
export const subcommandsIn = (help: string): readonly string[] =>
  help
    .split('\n\n')
    .filter((part) => /^[A-Z][\w ]+:\n {2}[a-z]/.test(part) && !/^(?:Example|Argument|Exit)/.test(part))
    .flatMap((part) => [...part.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => String(name)));

/** Subcommands that have subcommands. */
const GROUPS = ['route', 'rows', 'scim'];

/** Every subcommand, such as `check` and `route add`. */
export async function allSubcommands(): Promise<readonly string[]> {
  const namesIn = async (...path: readonly string[]) =>
    subcommandsIn((await gatehouse([...path, '--help'])).out).map((name) => [...path, name].join(' '));
  const own = (await namesIn()).filter((name) => !GROUPS.includes(name));
  return [...own, ...(await Promise.all(GROUPS.map((name) => namesIn(name)))).flat()];
}

/** Every run of every test holds the table of exit codes to the code. */
function assertDocumented(args: readonly string[], code: number): void {
  const words = args.filter((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith('-'));
  const row = EXIT_CODES.find(({ of }) => of.some((name) => words.join(' ').startsWith(name)));
  if (row) expect(row, `exit code ${code} of ${args.join(' ')}`).toHaveProperty(String(code));
}

let folder: string | undefined;
let written = 0;

/** Writes a file that goes when the tests of this file have ended. */
export function fileOf(text: string, extension = 'yaml'): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
    folder = made;
  }
  const file = join(folder, `${++written}.${extension}`);
  writeFileSync(file, text);
  return file;
}

/** To be called by test files that write: `afterAll(removeFiles)`. */
export const removeFiles = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
};
afterAll(removeFiles);
