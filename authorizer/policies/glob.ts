import { isFree } from '../routes/rule.ts';

// IAM patterns (`*` matches any run of characters including `/`, `?` any single one) that are made of
// segments, and whether a path of a route matches one: this finds what an Allow covers besides its own paths.

/** A segment of a path: a text or any segment; the last part may also be the rest of the path. */
export type PathPart = { readonly text: string } | { readonly any: 'segment' | 'rest' };

/** Counts comparisons of two segments. */
export interface ComparisonBudget {
  readonly spend: (comparisons: number) => void;
  readonly isSpent: () => boolean;
}

/** The pattern for a path: texts as they are, `?*` for any segment, since a segment is not empty. */
export const patternOf = (verb: string, parts: readonly PathPart[]): string =>
  `${verb}/${parts.map((part) => ('text' in part ? part.text : '?*')).join('/')}`;

const isText = (part: PathPart | undefined): part is { readonly text: string } =>
  part !== undefined && 'text' in part;

export const sameText = (a: PathPart | undefined, b: PathPart | undefined): boolean =>
  isText(a) && isText(b) && a.text === b.text;

/**
 * Whether the pattern of `pattern` matches some path of `path`, for one verb.
 *
 * The pattern has a `/` on both sides of each `?*`, and no segment of a path is empty. So a `?*` matches one
 * or more whole segments, and the two are compared segment by segment.
 *
 * @returns true as well if the budget is spent: a policy is then not written
 */
export function intersects(
  pattern: readonly PathPart[],
  path: readonly PathPart[],
  budget: ComparisonBudget,
): boolean {
  let start = 0;
  while (isText(pattern[start]) && isText(path[start])) {
    if (!sameText(pattern[start], path[start])) {
      budget.spend(start + 1);
      return false;
    }
    start++;
  }
  budget.spend(start + (pattern.length - start + 1) * (path.length - start + 1));
  if (budget.isSpent()) return true;
  const last = path.at(-1);
  const hasRest = last !== undefined && !isText(last) && last.any === 'rest';
  /** `covered[n]`: whether the parts of the pattern so far match the first `n` segments of a path. */
  let covered = path.map(() => false);
  covered[path.length] = false;
  covered[start] = true;
  for (let at = start; at < pattern.length; at++) {
    const part = pattern[at] as PathPart;
    const next = path.map(() => false);
    for (let n = start; n < path.length; n++) {
      const isReached = covered[n] || (!isText(part) && next[n]);
      next[n + 1] = isReached === true && isCommon(part, path[n] as PathPart);
    }
    // The rest of a path has any number of further segments.
    const isFurther = hasRest && covered[path.length] === true && isCommon(part, last);
    covered = isFurther ? [...next.slice(0, path.length), true] : next;
  }
  return covered[path.length] === true;
}

/** Whether some segment matches both: a text that a parameter may not hold matches no parameter. */
function isCommon(part: PathPart, segment: PathPart): boolean {
  if (!isText(part)) return true;
  return isText(segment) ? segment.text === part.text : isFree(part.text);
}
