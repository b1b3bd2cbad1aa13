/** A value of one period; undefined where there is no datum. */
type Value = number | undefined;

type Evaluate = (read: (id: string) => Value) => Value | readonly Value[];

const TOKEN = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|&&|\|\||==|!=|<=|>=|[-+*/<>(),[\]])/y;

const LEVELS: readonly (readonly string[])[] = [
  ['||', 'OR'],
  ['&&', 'AND'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
];

const truth = (is: boolean): number => (is ? 1 : 0);

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '||': (a, b) => truth(a !== 0 || b !== 0),
  OR: (a, b) => truth(a !== 0 || b !== 0),
  '&&': (a, b) => truth(a !== 0 && b !== 0),
  AND: (a, b) => truth(a !== 0 && b !== 0),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '<=': (a, b) => truth(a <= b),
  '>=': (a, b) => truth(a >= b),
  '<': (a, b) => truth(a < b),
  '>': (a, b) => truth(a > b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const given = (values: readonly Value[]): readonly number[] => values.filter((value) => value !== undefined);

const FUNCTIONS: Readonly<Record<string, (values: readonly Value[]) => Value>> = {
  IF: ([condition, then, otherwise]) =>
    condition === undefined ? undefined : condition === 0 ? otherwise : then,
  FILL: ([value, fill]) => value ?? fill,
  ABS: ([value]) => value && Math.abs(value),
  SUM: (values) => given(values).reduce((sum, value) => sum + value, 0),
  MAX: (values) => (given(values).length > 0 ? Math.max(...given(values)) : undefined),
  MIN: (values) => (given(values).length > 0 ? Math.min(...given(values)) : undefined),
};

/**
 * Metric math of CloudWatch (CW using-metric-math), as far as a stack uses it: arithmetic, comparisons, AND and OR,
 * IF, FILL, ABS, and SUM, MAX and MIN over lists, for the metrics of one period.
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
  const list = (end: string): readonly Evaluate[] => {
    const values: Evaluate[] = [];
    while (!take(end)) {
      values.push(level(0));
      take(',');
      if (tokens.length === 0) throw new Error(`expression ${expression}: ${end} is missing`);
    }
    return values;
  };
  const primary = (): Evaluate => {
    const token = tokens.shift() ?? '';
    if (/^\d/.test(token)) return () => Number(token);
    if (token === '(') {
      const [inner = () => undefined] = list(')');
      return inner;
    }
    if (token === '[') {
      const values = list(']');
      return (read) => values.map((value) => value(read) as Value);
    }
    if (token === '-') {
      const value = primary();
      return (read) => OPERATORS['-']?.(0, value(read) as number);
    }
    if (take('(')) {
      const apply = FUNCTIONS[token];
      if (apply === undefined) throw new Error(`expression ${expression}: ${token}`);
      const values = list(')');
      return (read) => apply(values.flatMap((value) => value(read)));
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
        return typeof a === 'number' && typeof b === 'number' ? apply?.(a, b) : undefined;
      };
    }
    return left;
  };
  const whole = level(0);
  if (tokens.length > 0) throw new Error(`expression ${expression}: ${tokens.join(' ')}`);
  return (read) => whole(read) as Value;
}
