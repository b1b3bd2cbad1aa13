import { verifyOnce } from '../authorizer/credentials/verify-once.ts';
import { createLambdaHandler, type LambdaAnswer } from '../authorizer/service/lambda.ts';
import { untraced } from '../authorizer/trace.ts';
import type { Clock } from '../engine/clock.ts';
import { createMadeUpReader, createMadeUpToken, MADE_UP, type WarmUp } from '../engine/warm-up.ts';
import { decisionKey } from '../table/keys.ts';
import { DEFAULT_RESOURCE_TYPE, permissionOf } from '../table/resource-type.ts';
import { type Composed, compose } from './compose.ts';
import type { AuthzenConfiguration } from './configuration.ts';
import { PATHS } from './metadata.ts';
import { EVALUATE } from './questions.ts';

/** What of the AuthZEN API does not depend on a request. */
export const warmUpOf = ({ configuration, issuers, prefetch }: Composed, clock: Clock): WarmUp => ({
  requests: [prefetch, () => verifyOnce(issuers, clock)],
  compute: () => evaluateOnce(configuration),
});

const RESOURCE = { type: 'location', id: MADE_UP };

/** As a function behind an HTTP API gets it. */
const eventWith = (authorization: string) => ({
  version: '2.0',
  rawPath: PATHS.evaluation,
  headers: { authorization, 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST' } },
  body: JSON.stringify({
    subject: { type: 'user', id: MADE_UP },
    action: { name: 'read' },
    resource: RESOURCE,
  }),
});

/**
 * Sends a made-up evaluation to an API of its own: as configured, over a table that is made up, without the issuers. It
 * shares nothing with the real one, writes nothing, and nobody gets its answer.
 *
 * @returns its answer, for the test that it is the longest way: an allow
 */
export async function evaluateOnce(configuration: AuthzenConfiguration): Promise<LambdaAnswer> {
  const token = await createMadeUpToken();
  const permissions = [EVALUATE, permissionOf(DEFAULT_RESOURCE_TYPE, RESOURCE.type, 'read')];
  const { handle } = compose({ ...configuration, publicUrl: undefined }, untraced, {
    reader: createMadeUpReader(
      permissions.map((id) => decisionKey({ type: 'permission', id })),
      [token.item],
    ),
    fetch: () => Promise.reject(new Error('nothing is fetched')),
    log: () => undefined,
    writeMetrics: () => undefined,
  });
  return createLambdaHandler(handle)(eventWith(token.authorization));
}
