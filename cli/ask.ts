import { createInterface } from 'node:readline';

/** Where a person can be asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks a person. Whatever is not yes is no: another answer, the end of the input, Ctrl-C. */
export function confirm({ input, output }: Terminal, question: string): Promise<boolean> {
  // As a terminal: Ctrl-C is no signal then, and closes it.
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    let isYes: boolean | undefined;
    lines.once('close', () => {
      // Nobody has pressed Enter.
      if (isYes === undefined) output.write('\n');
      resolve(isYes === true);
    });
    lines.question(`${question} [y/N] `, (answer) => {
      isYes = /^y(?:es)?$/i.test(answer.trim());
      lines.close();
    });
  });
}
