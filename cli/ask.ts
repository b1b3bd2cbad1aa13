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

/** Asks a person several questions. */
export interface Asker {
  /** The answer without blanks around it; undefined at the end of the input and after Ctrl-C. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly say: (line: string) => void;
  readonly close: () => void;
}

export function createAsker({ input, output }: Terminal): Asker {
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  let closed = false;
  // What was typed ahead is the answer to a later question.
  const typed: string[] = [];
  let waiting: ((answer: string | undefined) => void) | undefined;
  const answer = (text: string | undefined): void => {
    waiting?.(text);
    waiting = undefined;
  };
  lines.on('line', (line) => (waiting ? answer(line.trim()) : typed.push(line.trim())));
  lines.once('close', () => {
    closed = true;
    answer(undefined);
  });
  return {
    ask: (question) => {
      lines.setPrompt(question);
      if (!closed) lines.prompt();
      const ahead = typed.shift();
      if (ahead !== undefined || closed) return Promise.resolve(ahead);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    say: (line) => void output.write(`${line}\n`),
    close: () => lines.close(),
  };
}
