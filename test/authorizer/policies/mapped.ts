import { createBudget } from '../../../authorizer/policies/compile.ts';
import type { RouteRule } from '../../../authorizer/routes/rule.ts';

/** Whether some rule has a path of this form: any other cannot reach an API that is closed. */
export const isMapped = (rules: readonly RouteRule[], verb: string, path: string): boolean => {
  const given = path === '/' ? [] : path.slice(1).split('/');
  return rules.some(
    ({ method, segments }) =>
      (method === verb || method === 'ANY') &&
      (segments.at(-1)?.kind === 'rest'
        ? given.length >= segments.length
        : given.length === segments.length) &&
      segments.every((each, at) => each.kind !== 'literal' || each.text === given[at]),
  );
};

/** A budget that is never spent. */
export const unlimited = () =>
  createBudget({
    baseBytes: 0,
    maxBytes: Number.POSITIVE_INFINITY,
    maxComparisons: Number.POSITIVE_INFINITY,
  });
