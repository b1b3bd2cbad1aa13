import * as z from 'zod/mini';
import { type Body, MAX_BODY, TOO_LARGE } from './body.ts';

/** The deepest nesting of a body. Deeper values could exhaust the stack where conditions compare them. */
const MAX_DEPTH = 32;

const text = z.string().check(z.minLength(1), z.maxLength(1_024));
const properties = z.optional(z.record(z.string(), z.unknown()));

const QUESTION = z.object({
  permission: text,
  scope: text,
  resource: z.optional(z.object({ type: z.optional(text), id: z.optional(text), properties })),
  action: z.optional(z.object({ properties })),
});

/** What a POST asks: whether one permission is allowed at a scope, for an object of the application. */
export type PermissionQuestion = z.output<typeof QUESTION>;

/** @returns the status of the answer if the body cannot be read: 400 or 413 */
export function readQuestion(body: Body): PermissionQuestion | 400 | 413 {
  if (body === TOO_LARGE || sizeOf(body) > MAX_BODY) return 413;
  const value = parsed(body);
  if (isDeeperThan(MAX_DEPTH, value)) return 400;
  // What a framework's parser read has no size of its own.
  if (value === body && JSON.stringify(value).length > MAX_BODY) return 413;
  const { success, data } = QUESTION.safeParse(value);
  return success ? data : 400;
}

const sizeOf = (body: unknown): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;

function parsed(body: unknown): unknown {
  try {
    if (typeof body === 'string') return JSON.parse(body);
    if (body instanceof Uint8Array) return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return body ?? null;
  } catch {
    return null;
  }
}

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each)));
