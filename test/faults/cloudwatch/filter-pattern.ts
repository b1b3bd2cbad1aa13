/** Whether a log event matches. */
export type Matches = (line: string) => boolean;

/**
 * Filter patterns of CloudWatch Logs (CWL FilterAndPatternSyntax), as far as a stack uses them:
 *
 * - `{ $.message = "text" }` with `=`, `!=`, `<`, `<=`, `>`, `>=`, `IS TRUE`, `NOT EXISTS`, `&&`, `||` and
 *   parentheses, for events that are JSON; `*` in a text stands for any characters;
 * - terms: all of them must be in the event; of those with `?` one; none of those with `-`; quoted where they hold
 *   other characters than letters, digits and `_`.
 *
 * @throws Error for anything else
 */
export function filterPattern(pattern: string): Matches {
  const text = pattern.trim();
  if (!text.startsWith('{')) return termsPattern(text);
  const matches = jsonPattern(text.slice(1, -1));
  return (line) => {
    const event = parsed(line);
    return event !== undefined && matches(event);
  };
}

/** An event that is a JSON object; undefined for any other. */
function parsed(line: string): object | undefined {
  if (!line.trim().startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function termsPattern(text: string): Matches {
  const terms = [...text.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\w+))|(\S)/g)].map(
    ([all, sign, quoted, word, other]) => {
      if (other !== undefined) throw new Error(`filter pattern ${text}: ${all}`);
      return { sign, term: quoted?.replaceAll(/\\(.)/g, '$1') ?? word ?? '' };
    },
  );
  const of = (wanted: string) => terms.filter(({ sign }) => sign === wanted).map(({ term }) => term);
  const [required, optional, excluded] = [of(''), of('?'), of('-')];
  return (line) =>
    required.every((term) => line.includes(term)) &&
    (optional.length === 0 || optional.some((term) => line.includes(term))) &&
    !excluded.some((term) => line.includes(term));
}

type Test = (event: object) => boolean;

const TOKEN = /\s*(&&|\|\||[()]|!=|<=|>=|[=<>]|\$(?:\.[\w-]+)+|"(?:[^"\\]|\\.)*"|[\w.*+-]+)/y;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`filter pattern {${text}}: ${text.slice(at)}`);
    tokens.push(token);
  }
  return tokens;
}

function jsonPattern(text: string): Test {
  const tokens = tokensOf(text);
  const either = (): Test => {
    const first = both();
    if (tokens[0] !== '||') return first;
    tokens.shift();
    const second = either();
    return (event) => first(event) || second(event);
  };
  const both = (): Test => {
    const first = single();
    if (tokens[0] !== '&&') return first;
    tokens.shift();
    const second = both();
    return (event) => first(event) && second(event);
  };
  const single = (): Test => {
    const token = tokens.shift();
    if (token === '(') {
      const inner = either();
      tokens.shift();
      return inner;
    }
    if (!token?.startsWith('$.')) throw new Error(`filter pattern {${text}}: ${token}`);
    const path = token.slice(2).split('.');
    return comparison((event) => valueAt(event, path), tokens.shift() ?? '', tokens.shift() ?? '', text);
  };
  const whole = either();
  if (tokens.length > 0) throw new Error(`filter pattern {${text}}: ${tokens.join(' ')}`);
  return whole;
}

const valueAt = (event: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], event);

function comparison(read: (event: object) => unknown, operator: string, operand: string, text: string): Test {
  if (operator === 'NOT' && operand === 'EXISTS') return (event) => read(event) === undefined;
  if (operator === 'IS') {
    const wanted: unknown = { TRUE: true, FALSE: false, NULL: null }[operand];
    return (event) => read(event) === wanted;
  }
  const isText = operand.startsWith('"');
  if (operator === '=' || operator === '!=') {
    const wanted = isText || Number.isNaN(Number(operand)) ? asText(operand) : Number(operand);
    const equals = (value: unknown): boolean =>
      typeof wanted === 'number' ? value === wanted : typeof value === 'string' && wanted.test(value);
    return (event) => {
      const value = read(event);
      return value !== undefined && equals(value) === (operator === '=');
    };
  }
  const bound = Number(operand);
  const compare = { '<': -1, '<=': -1, '>': 1, '>=': 1 }[operator];
  if (isText || Number.isNaN(bound) || compare === undefined) throw new Error(`filter pattern {${text}}`);
  return (event) => {
    const value = read(event);
    if (typeof value !== 'number') return false;
    return Math.sign(value - bound) === compare || (operator.endsWith('=') && value === bound);
  };
}

/** A text in which `*` stands for any characters. */
function asText(operand: string): RegExp {
  const text = operand.startsWith('"') ? operand.slice(1, -1).replaceAll(/\\(.)/g, '$1') : operand;
  const escaped = text.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's');
}
