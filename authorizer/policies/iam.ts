/** A statement of a policy, with lists instead of single values. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

export type Decision = 'allow' | 'explicit-deny' | 'implicit-deny';

/** The action of a call to an API. */
export const INVOKE_ACTION = 'execute-api:Invoke';

/**
 * Whether `text` fits `pattern`, in which `*` is any run of characters (none included) and `?` exactly one;
 * every other character stands for itself (IAM reference_policies_elements_resource).
 *
 * `*` crosses '/' and, here, ':' as well. IAM documents the latter only for a `*` that ends an ARN segment;
 * with the wider reading a test finds an Allow that is broader than meant.
 * Policy variables (`${…}`) are not documented for authorizer answers and are taken literally.
 *
 * Only the last `*` is retried, so the steps are bounded by the product of both lengths.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  let inPattern = 0;
  let inText = 0;
  let lastStar = -1;
  let retryFrom = 0;
  while (inText < text.length) {
    const expected = pattern[inPattern];
    if (expected === '*') {
      lastStar = inPattern++;
      retryFrom = inText;
    } else if (expected === '?' || expected === text[inText]) {
      inPattern++;
      inText++;
    } else if (lastStar >= 0) {
      inPattern = lastStar + 1;
      inText = ++retryFrom;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}

/**
 * Actions are compared without regard to case, resources with it (IAM reference_policies_elements_action).
 */
function applies(statement: Statement, action: string, arn: string): boolean {
  const wanted = action.toLowerCase();
  return (
    statement.actions.some((pattern) => matchesPattern(pattern.toLowerCase(), wanted)) &&
    statement.resources.some((pattern) => matchesPattern(pattern, arn))
  );
}

/** What a policy says, and the statement and the resource of it that decide; an implicit deny has none. */
export interface Evaluation {
  readonly decision: Decision;
  readonly statement?: Statement;
  readonly resource?: string;
}

/**
 * Decides as IAM does: one matching Deny refuses, else one matching Allow allows, else refused by default
 * (IAM reference_policies_evaluation-logic).
 */
export function evaluate(statements: readonly Statement[], action: string, arn: string): Evaluation {
  const matching = statements.filter((statement) => applies(statement, action, arn));
  const statement = matching.find(({ effect }) => effect === 'Deny') ?? matching[0];
  if (statement === undefined) return { decision: 'implicit-deny' };
  const resource = statement.resources.find((pattern) => matchesPattern(pattern, arn)) ?? '';
  return {
    decision: statement.effect === 'Deny' ? 'explicit-deny' : 'allow',
    statement,
    resource,
  };
}
