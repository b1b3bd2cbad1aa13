import { parseArgs } from 'node:util';

const LARGEST = 1_000_000_000;

/**
 * The options of a proof, each at most once: whole numbers from a least one on, or one word of several. Throws an error
 * of one line for what it does not know.
 */
export function readOptions<Name extends string>(
  args: readonly string[],
  known: Readonly<Record<Name, number | readonly string[]>>,
  usage: string,
): { readonly [name in Name]?: string } {
  const refuse = (problem: string) => new Error(`${problem}; usage: npm run proof -- ${usage}`);
  // Not strict: its own messages take several lines and give advice that does not fit here.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.keys(known).map((name) => [name, { type: 'string' }])),
    strict: false,
    tokens: true,
  });
  const given: { [name in Name]?: string } = {};
  for (const token of tokens) {
    const name = token.kind === 'option' ? (token.name as Name) : undefined;
    if (name === undefined || !Object.hasOwn(known, name))
      throw refuse(`unknown argument ${args[token.index]}`);
    if (Object.hasOwn(given, name)) throw refuse(`--${name} is given twice`);
    const { value = '' } = token as { value?: string };
    const takes = known[name];
    const isTaken =
      typeof takes === 'number'
        ? /^\d{1,10}$/.test(value) && Number(value) >= takes && Number(value) <= LARGEST
        : takes.includes(value);
    const what =
      typeof takes === 'number' ? `a whole number from ${takes} to ${LARGEST}` : takes.join(' or ');
    if (!isTaken) throw refuse(`--${name} takes ${what}`);
    given[name] = value;
  }
  return given;
}
