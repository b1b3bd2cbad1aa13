import type { Clock } from '../engine/clock.ts';
import {
  createMadeUpReader,
  createMadeUpToken,
  MADE_UP,
  madeUpItem,
  type WarmUp,
} from '../engine/warm-up.ts';
import type { Item } from '../table/item.ts';
import { apiRef, apiRevisionKey, decisionKey, edgeKey } from '../table/keys.ts';
import type { Answer } from './answer.ts';
import { type Composed, compose } from './compose.ts';
import type { Configuration } from './configuration.ts';
import { FROM_HEADER } from './credentials/credentials.ts';
import { verifyOnce } from './credentials/verify-once.ts';
import { DEFAULT_CACHE } from './routes/cache-key.ts';
import { untraced } from './trace.ts';

/** What of the authorizer does not depend on a request. */
export const warmUpOf = ({ configuration, issuers, prefetch }: Composed, clock: Clock): WarmUp => ({
  requests: [prefetch, () => verifyOnce(issuers, clock)],
  compute: () => decideOnce(configuration),
});

const ROUTE: Item = {
  ...edgeKey(apiRef(MADE_UP), { type: 'route', id: MADE_UP }),
  id: MADE_UP,
  method: 'GET',
  path: '/{id}',
  permission: MADE_UP,
  scope: 'location:{id}',
};

/** Of an HTTP API and of a REST API. */
function madeUpEvents(authorization: string): readonly object[] {
  const arn = (stage: string): string =>
    `arn:aws:execute-api:${MADE_UP}:000000000000:${MADE_UP}/${stage}/GET/${MADE_UP}`;
  const [path, requestId] = [`/${MADE_UP}`, MADE_UP];
  return [
    {
      version: '2.0',
      type: 'REQUEST',
      routeArn: arn('$default'),
      routeKey: '$default',
      rawPath: path,
      headers: { authorization },
      requestContext: { http: { method: 'GET', path }, stage: '$default', requestId },
    },
    {
      type: 'REQUEST',
      methodArn: arn(MADE_UP),
      httpMethod: 'GET',
      path,
      headers: { authorization },
      requestContext: { httpMethod: 'GET', stage: MADE_UP, requestId },
    },
  ];
}

/**
 * Sends made-up requests to an authorizer of its own: as configured, over a table that is made up, without the
 * issuers. It shares nothing with the real one, writes nothing, and nobody gets its answers.
 *
 * @returns its answers, for the test that they are the longest way: an allow
 */
export async function decideOnce(configuration: Configuration): Promise<readonly Answer[]> {
  const token = await createMadeUpToken();
  const { authorizer } = compose(
    {
      ...configuration,
      api: MADE_UP,
      // Whatever is configured, the requests have what the answer rests on.
      token: { ...configuration.token, credentialsFrom: [FROM_HEADER] },
      resultCaches: new Map([[DEFAULT_CACHE, { ttl: 0, identitySources: [], key: new Set() }]]),
    },
    untraced,
    {
      reader: createMadeUpReader(
        [decisionKey({ type: 'page', id: MADE_UP })],
        [token.item, madeUpItem(apiRevisionKey(MADE_UP)), ROUTE],
      ),
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      log: () => undefined,
      writeMetrics: () => undefined,
    },
  );
  const answers: Answer[] = [];
  for (const event of madeUpEvents(token.authorization)) answers.push(await authorizer(event));
  return answers;
}
