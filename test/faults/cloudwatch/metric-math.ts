/** A value of one period; undefined where there is no datum. */
type Value = number | undefined;

type Evaluate = (read: (id: string) => Value) => Value;

const TOKEN = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|>=|[-+*/>(),])/y;

const LEVELS: readonly (readonly string[])[] = [
  ['>', '>='],
  ['+', '-'],
  ['*', '/'],
];

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '>': (a, b) => (a > b ? 1 : 0),
  '>=': (a, b) => (a >= b ? 1 : 0),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const FUNCTIONS: Readonly<Record<string, (values: readonly Value[]) => Value>> = {
  IF: ([condition, then, otherwise]) =>
    condition === undefined ? undefined : condition === 0 ? otherwise : then,
  FILL: ([value, fill]) => value ?? fill,
};

/**
 * Metric math of CloudWatch (CW using-metric-math), as far as a stack uses it: arithmetic, `>`, `>=`, IF and FILL, for the
 * metrics of one period.
 *
 * @returns a function from the values of metrics by id to the expression's; undefined where a datum is missing
 * @throws Error for anything else
 */
export function metricMath(expression: string): (read: (id: string) => Value) => Value {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(expression) ?? [];
    if (token === undefined) throw new Error(`expression ${expression}: ${expression.slice(at)}`);
    tokens.push(token);
  }
  const take = (token: string): boolean => {
    const is = tokens[0] === token;
    if (is) tokens.shift();
    return is;
  };
  /** What stands up to a closing parenthesis. */
  const list = (): readonly Evaluate[] => {
    const values: Evaluate[] = [];
    while (!take(')')) {
      values.push(level(0));
      take(',');
      if (tokens.length === 0) throw new Error(`expression ${expression}: ) is missing`);
    }
    return values;
  };
  const primary = (): Evaluate => {
    const token = tokens.shift() ?? '';
    if (/^\d/.test(token)) return () => Number(token);
    if (token === '(') {
      const [inner = () => undefined] = list();
      return inner;
    }
    if (take('(')) {
      const apply = FUNCTIONS[token];
      if (apply === undefined) throw new Error(`expression ${expression}: ${token}`);
      const values = list();
      return (read) => apply(values.map((value) => value(read)));
    }
    if (!/^[a-z]\w*$/.test(token)) throw new Error(`expression ${expression}: ${token}`);
    return (read) => read(token);
  };
  const level = (depth: number): Evaluate => {
    const operators = LEVELS[depth];
    if (operators === undefined) return primary();
    let left = level(depth + 1);
    for (let [operator = ''] = tokens; operators.includes(operator); [operator = ''] = tokens) {
      tokens.shift();
      const [first, second, apply] = [left, level(depth + 1), OPERATORS[operator]];
      left = (read) => {
        const [a, b] = [first(read), second(read)];
        return a === undefined || b === undefined ? undefined : apply?.(a, b);
      };
    }
    return left;
  };
  const whole = level(0);
  if (tokens.length > 0) throw new Error(`expression ${expression}: ${tokens.join(' ')}`);
  return whole;
}
