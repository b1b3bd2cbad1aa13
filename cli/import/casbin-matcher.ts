/** How a matcher of Casbin compares a part of a request with that of a line. */
export type Comparison =
  | 'equal'
  /** Equal, or the line has `*`. */
  | 'equal or *'
  /** By a function of patterns, `keyMatch` and the like. */
  | 'pattern'
  /** By roles of objects or actions: `g2`. */
  | 'g2';

/** What a matcher asks, in the parts that a manifest can say. */
export interface Matcher {
  /** Whether roles are followed; otherwise a line is of the subject itself. */
  readonly hasRoles: boolean;
  /** Whether roles are within domains. */
  readonly hasRoleDomains: boolean;
  /** Whether a line is of one domain. */
  readonly hasDomains: boolean;
  readonly object: Comparison;
  readonly action: Comparison;
}

/** Casbin writes `r.sub` as `r_sub`. */
const COMPARED = {
  roles: /^g\(r_sub,p_sub(,r_dom)?\)$/,
  subject: /^(?:r_sub==p_sub|p_sub==r_sub)$/,
  domain: /^(?:r_dom==p_dom|p_dom==r_dom)$/,
};

/**
 * Reads one alternative of a matcher.
 *
 * @returns the part that cannot be said, as a text, where there is one
 */
export function readMatcher(alternative: string): Matcher | string {
  let [hasRoles, hasRoleDomains, hasDomains] = [false, false, false];
  let hasSubject = false;
  let object: Comparison | undefined;
  let action: Comparison | undefined;
  for (const part of partsOf(alternative, '&&')) {
    const roles = COMPARED.roles.exec(part);
    if (roles) {
      [hasSubject, hasRoles, hasRoleDomains] = [true, true, roles[1] !== undefined];
      continue;
    }
    if (COMPARED.subject.test(part)) hasSubject = true;
    else if (COMPARED.domain.test(part)) hasDomains = true;
    else if (comparisonOf('obj', part)) object = comparisonOf('obj', part);
    else if (comparisonOf('act', part)) action = comparisonOf('act', part);
    else return part;
  }
  if (!hasSubject) return 'no comparison of r.sub with p.sub';
  if (!object || !action) return `no comparison of r.${object ? 'act' : 'obj'}`;
  return { hasRoles, hasRoleDomains, hasDomains, object, action };
}

function comparisonOf(name: 'obj' | 'act', part: string): Comparison | undefined {
  const isEqual = (text: string) => text === `r_${name}==p_${name}` || text === `p_${name}==r_${name}`;
  if (isEqual(part)) return 'equal';
  if (part === `g2(r_${name},p_${name})`) return 'g2';
  if (new RegExp(`^(?:keyMatch[2-5]?|globMatch|regexMatch)\\(r_${name},p_${name}\\)$`).test(part))
    return 'pattern';
  const either = partsOf(part, '||');
  const isAny = (text: string) => text === `p_${name}=="*"` || text === `p_${name}=='*'`;
  return either.length === 2 && either.some(isEqual) && either.some(isAny) ? 'equal or *' : undefined;
}

/** The parts of an expression between operators that stand in no parentheses, without blanks and outer parentheses. */
export function partsOf(expression: string, operator: '&&' | '||'): readonly string[] {
  const text = withoutParentheses(expression.replaceAll(/\s+/g, ''));
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth > 0 || !text.startsWith(operator, at)) continue;
    parts.push(text.slice(from, at));
    from = at + operator.length;
  }
  return [...parts, text.slice(from)].map(withoutParentheses);
}

/** Without parentheses around the whole. */
function withoutParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0 && at < text.length - 1) return text;
  }
  return withoutParentheses(text.slice(1, -1));
}
