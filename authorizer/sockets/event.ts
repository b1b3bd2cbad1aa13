import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { isRef } from '../../table/identifiers.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import { type Connection, UNKNOWN } from './connection.ts';

const ref = z.string().check(z.refine(isRef));

/** What the authorizer put into the context of an allowed `$connect` (docs/routes.md). */
const context = z.object({
  subject: ref,
  tenant: ref,
  scope: ref,
  permission: z.string().check(z.refine((text) => readPermissionName(text) !== undefined)),
  credential: z._default(z.string().check(z.refine((text) => text === 'none' || isRef(text))), UNKNOWN),
});

const request = z.object({
  requestContext: z.object({
    eventType: z.enum(['CONNECT', 'DISCONNECT']),
    connectionId: z.string().check(z.regex(/^[\w=+/-]{1,128}$/)),
    apiId: z.string().check(z.regex(/^[\w-]{1,64}$/)),
    stage: z.string().check(z.regex(/^[\w$-]{1,128}$/)),
    authorizer: z.optional(z.unknown()),
  }),
});

/** A stream delivers at most 10,000 records at once (Lambda API_CreateEventSourceMapping). */
const feed = z.object({ Records: z.array(z.unknown()).check(z.maxLength(10_000)) });

export interface SocketRequest {
  readonly kind: 'connect' | 'disconnect';
  /** Undefined where the authorizer's context is missing. */
  readonly connection: Connection | undefined;
}

/**
 * Reads an event of `$connect` or `$disconnect` (AG apigateway-websocket-api-mapping-template-reference), or a batch of
 * the change feed (Lambda with-ddb).
 *
 * @throws Error for any other event, without quoting it
 */
export function readSocketEvent(
  event: unknown,
): SocketRequest | { readonly kind: 'change'; readonly records: readonly DynamoDBRecord[] } {
  const batch = feed.safeParse(event);
  if (batch.success) return { kind: 'change', records: batch.data.Records as readonly DynamoDBRecord[] };
  const parsed = request.safeParse(event);
  if (!parsed.success) throw new Error('neither $connect, $disconnect nor the change feed');
  const { eventType, connectionId: id, apiId: api, stage, authorizer } = parsed.data.requestContext;
  const caller = context.safeParse(authorizer);
  return {
    kind: eventType === 'CONNECT' ? 'connect' : 'disconnect',
    connection: caller.success ? { id, api, stage, ...caller.data } : undefined,
  };
}
