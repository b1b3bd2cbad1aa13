/** Columns of a line. */
const WIDTH = 100;

/** A line of text with its children. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
  readonly colour?: keyof typeof COLOURS | undefined;
}

const COLOURS = { green: 32, red: 31, dim: 2 } as const;

/** Draws branches as an ASCII tree, wrapped at 100 columns. */
export function draw(branches: readonly Branch[], indent: string, colours: boolean): readonly string[] {
  return branches.flatMap(({ text, below = [], colour }, position) => {
    const isLast = position === branches.length - 1;
    const rest = `${indent}${isLast ? '   ' : '|  '}`;
    return [
      ...wrap(text, `${indent}${isLast ? '`- ' : '|- '}`, `${rest}  `, colour, colours),
      ...draw(below, rest, colours),
    ];
  });
}

/** Escapes everything but printable ASCII as `\u{…}`, so that no text can steer the terminal. */
const safe = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Escapes a text and breaks it at spaces; breaks a word only when it is longer than a line. */
export function wrap(
  text: string,
  first: string,
  next: string,
  colour?: keyof typeof COLOURS,
  colours = false,
): readonly string[] {
  const rows: string[] = [];
  let start = first;
  let rest = safe(text);
  do {
    const room = WIDTH - start.length;
    const space = rest.length > room ? rest.lastIndexOf(' ', room) : rest.length;
    const end = space > 0 ? space : room;
    const row = rest.slice(0, end);
    const paint = colours && colour !== undefined;
    rows.push(`${start}${paint ? `\u001b[${COLOURS[colour]}m${row}\u001b[0m` : row}`);
    rest = rest.slice(end).trimStart();
    start = next;
  } while (rest !== '');
  return rows;
}
