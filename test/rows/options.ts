import { parseArgs } from 'node:util';

export interface Options {
  /** The file to write the rows to as JSON. */
  readonly json?: string;
}

const USAGE = 'usage: npm run rows [-- --json FILE]';

/** Reads the command line; throws an error of one line for what it does not know. */
export function readOptions(args: readonly string[]): Options {
  // Not strict: its own messages take several lines and give advice that does not fit here.
  const { tokens } = parseArgs({
    args: [...args],
    options: { json: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  let json: string | undefined;
  for (const token of tokens) {
    if (token.kind !== 'option' || token.name !== 'json') {
      throw new Error(`unknown argument ${args[token.index]}; ${USAGE}`);
    }
    if (!token.value || (!token.inlineValue && token.value.startsWith('-'))) {
      throw new Error(`--json needs a file; ${USAGE}`);
    }
    json = token.value;
  }
  return json === undefined ? {} : { json };
}
