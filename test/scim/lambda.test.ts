import { expect, test } from 'vitest';
import { createLambdaHandler } from '../../authorizer/service/lambda.ts';
import { albEvent, functionUrlEvent, httpApi1Event, httpApi2Event } from '../authzen/lambda-events.ts';
import { createFixture, userOf } from './support.ts';

const FILTER = 'userName eq "ann+x&y@example.com"';
const ENCODED = encodeURIComponent(FILTER);

/** What each kind of API makes of the query: as it was sent, or decoded. */
test.each<[string, (parts: Parameters<typeof httpApi2Event>[0]) => object, object]>([
  ['an HTTP API, format 2.0', httpApi2Event, { rawQueryString: `filter=${ENCODED}&count=5` }],
  ['a function URL', functionUrlEvent, { rawQueryString: `filter=${ENCODED}&count=5` }],
  [
    'an HTTP API, format 1.0',
    httpApi1Event,
    {
      queryStringParameters: { filter: FILTER, count: '5' },
      multiValueQueryStringParameters: { filter: [FILTER], count: ['5'] },
    },
  ],
  [
    'a load balancer',
    (parts) => albEvent(parts, false),
    { queryStringParameters: { filter: ENCODED, count: '5' } },
  ],
  [
    'a load balancer with all values',
    (parts) => albEvent(parts, true),
    { multiValueQueryStringParameters: { filter: [ENCODED] } },
  ],
])('behind %s the filter is the one that was sent', async (_, eventOf, query) => {
  const { a, handle, token } = await createFixture();
  await userOf(a, 'ann+x&y@example.com');
  await userOf(a, 'ben');
  const headers = { Authorization: `Bearer ${token.a}` };
  const event = eventOf({ method: 'GET', path: '/scim/v2/Users', headers, body: '' });
  const { statusCode, body } = await createLambdaHandler(handle)({ ...event, ...query });
  expect([statusCode, JSON.parse(body).totalResults]).toEqual([200, 1]);
});
