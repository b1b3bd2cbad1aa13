import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingIn, type Step } from './document.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** What of a document's text is another one here: ports that are taken, a package that is not published yet. */
export type Replace = (text: string) => string;

export interface Walk {
  /** The folder in which the reader begins. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly replace: Replace;
  /** Whether a command goes on until Ctrl-C; the next one is typed in another terminal. */
  readonly goesOn: (command: string) => boolean;
  /** Whether what it prints says that it has started, where the document does not say what it prints. */
  readonly hasStarted: (printed: string) => boolean;
}

/**
 * Does what a document says, in order: writes its files and types its commands.
 *
 * @returns what did not go as the document says, with what was printed; nothing comes after it
 */
export async function walk(steps: readonly Step[], around: Walk): Promise<string | undefined> {
  const { env, replace, goesOn, hasStarted } = around;
  const terminals: Terminal[] = [];
  let folder = around.folder;
  const open = () => {
    const terminal = openTerminal(folder, env);
    terminals.push(terminal);
    return terminal;
  };
  let terminal = open();
  try {
    for (const step of steps) {
      if (step.kind === 'file') {
        mkdirSync(dirname(join(folder, step.name)), { recursive: true });
        writeFileSync(join(folder, step.name), replace(step.text));
        continue;
      }
      const command = replace(step.command);
      const expected = step.output.map(replace);
      if (goesOn(step.command)) {
        await terminal.start(command, (printed) =>
          expected.length > 0 ? missingIn(printed, expected) === undefined : hasStarted(printed),
        );
        terminal = open();
        continue;
      }
      const { code, printed } = await terminal.run(command);
      const missing = missingIn(printed, expected);
      if (code !== 0 && expected.length === 0) return `${command}\nended with ${code}:\n${printed}`;
      if (missing !== undefined) return `${command}\ndid not print: ${missing}\nbut:\n${printed}`;
      folder = (await terminal.run('pwd')).printed.trim();
    }
    return undefined;
  } finally {
    for (const each of terminals.reverse()) await each.close();
  }
}
