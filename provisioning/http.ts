import * as z from 'zod';
import { parseJson } from '../table/json.ts';
import type { Answer } from './answer.ts';

/**
 * Provisioning behind a Lambda function URL with `AuthType: AWS_IAM`, or an HTTP API with IAM authorisation: the event
 * is the request (payload format 2.0), whose body is the command, and names the principal that AWS has verified.
 */
const request = z.object({
  requestContext: z.object({ authorizer: z.object({ iam: z.object({ userArn: z.string().max(2_048) }) }) }),
  body: z.string().max(6_291_456).optional(),
  isBase64Encoded: z.boolean().optional(),
});

export interface HttpRequest {
  /** The command; undefined for a body that is no JSON. */
  readonly event: unknown;
  readonly principal: string;
}

/** Undefined for what is no such request, as a direct invocation, of whose caller Lambda tells nothing. */
export function readHttpRequest(event: unknown): HttpRequest | undefined {
  const parsed = request.safeParse(event);
  if (!parsed.success) return undefined;
  const { requestContext, body = '', isBase64Encoded } = parsed.data;
  const text = isBase64Encoded === true ? Buffer.from(body, 'base64').toString() : body;
  return { event: parseJson(text), principal: requestContext.authorizer.iam.userArn };
}

const STATUS: Readonly<Record<string, number>> = {
  approval_required: 202,
  not_permitted: 403,
  not_found: 404,
  conflict: 409,
  operation_mismatch: 409,
  erased: 409,
  invariant_violated: 409,
  apply_running: 409,
  throttled: 503,
  contended: 503,
  transient: 503,
  unfinished: 503,
  stale: 503,
  damaged_item: 500,
  internal: 500,
};

/** The answer to such a request; its body is that of provisioning. */
export const toHttpAnswer = (answer: Answer) => ({
  statusCode: answer.ok ? 200 : (STATUS[answer.error.code] ?? 400),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(answer),
});
