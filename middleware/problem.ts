import type { Reason } from '../engine/index.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';

/** The titles of the statuses (RFC 9110), which go with the type `about:blank` (RFC 9457 section 4.2.1). */
const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  503: 'Service Unavailable',
} as const;

export interface ProblemDetails {
  /** What is wrong with the request. Fixed text: it quotes nothing of the request. */
  readonly detail?: string;
  /** Why the engine refused. */
  readonly reason?: Reason | undefined;
}

/** Problem details (RFC 9457) as an answer. */
export const problem = (
  status: keyof typeof TITLES,
  { detail, reason }: ProblemDetails = {},
  headers: HttpAnswer['headers'] = {},
): HttpAnswer => ({
  status,
  headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
  body: JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail, reason }),
});

/** A fault: no decision could be made. The client may try again after a second. */
export const unavailable = (): HttpAnswer =>
  problem(503, { detail: 'no decision can be made now' }, { 'Retry-After': '1' });

/**
 * The answer to a request line that frameworks read in different ways: a target that does not begin with `/`
 * (RFC 9112 section 3.2: all but the origin form), or holds a `#`, which no target may.
 */
export const refusedTarget = ({ target }: HttpRequest): HttpAnswer | undefined =>
  target === undefined || /^\/[^#]*$/.test(target)
    ? undefined
    : problem(400, { detail: 'the target of the request is not a path' });
