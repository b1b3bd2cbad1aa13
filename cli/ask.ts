import { createInterface } from 'node:readline/promises';

/** Where a person can be asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks a person several questions. */
export interface Asker {
  /** The answer without blanks around it; undefined at the end of the input and after Ctrl-C. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly say: (line: string) => void;
  readonly close: () => void;
}

export function createAsker({ input, output }: Terminal): Asker {
  // As a terminal: Ctrl-C is no signal then, and closes it.
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  let closed = false;
  lines.once('close', () => {
    closed = true;
  });
  // What was typed ahead is the answer to a later question.
  const typed = lines[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      lines.setPrompt(question);
      if (!closed) lines.prompt();
      const { value, done } = await typed.next();
      return done ? undefined : value.trim();
    },
    say: (line) => void output.write(`${line}\n`),
    close: () => lines.close(),
  };
}

/** Asks a person. Whatever is not yes is no: another answer, the end of the input, Ctrl-C. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const { ask, say, close } = createAsker(terminal);
  const answer = await ask(`${question} [y/N] `);
  // Nobody has pressed Enter.
  if (answer === undefined) say('');
  close();
  return /^y(?:es)?$/i.test(answer ?? '');
}
