/** A value of one period; undefined where there is no datum. */
type Value = number | undefined;

const FUNCTIONS = {
  IF: (isTrue: boolean, then: number, otherwise: number) => (isTrue ? then : otherwise),
  FILL: (value: Value, fill: number) => value ?? fill,
};

/**
 * Metric math of CloudWatch (CW using-metric-math), as far as a stack uses it: arithmetic, `>`, `>=`, IF and FILL, for the
 * metrics of one period. That much of it is JavaScript, too.
 *
 * @returns a function from the values of metrics by id to the expression's; undefined where a datum is missing
 * @throws Error for anything else
 */
export function metricMath(expression: string): (read: (id: string) => Value) => Value {
  const ids = [...new Set(expression.match(/\b[a-z]\w*/g))];
  const needed = ids.filter((id) => new RegExp(`(?<!FILL\\()\\b${id}\\b`).test(expression));
  const evaluate = new Function(...Object.keys(FUNCTIONS), ...ids, `return ${expression}`);
  return (read) =>
    needed.some((id) => read(id) === undefined)
      ? undefined
      : Number(evaluate(...Object.values(FUNCTIONS), ...ids.map(read)));
}
