import { restAuthorizerEvent } from '../../local/gateway/event-v1.ts';
import { httpAuthorizerEventV2 } from '../../local/gateway/event-v2.ts';
import { groupHeaders, groupQuery, type MatchedRequest, methodArn } from '../../local/gateway/request.ts';

/**
 * Authorizer events of a browser's request at their full size: the handler has to parse also what it does not
 * read. The local gateway makes them, so that their form is written down once.
 */
const SETTINGS = {
  name: 'bench',
  basePath: '',
  accountId: '123456789012',
  apiId: 'abcdef1234',
  region: 'eu-central-1',
};
const REST = { ...SETTINGS, stage: 'prod' };
const HTTP = { ...SETTINGS, stage: '$default' };
const ROUTE = '/buildings/{building}/pages/{page}';
const QUERY = 'from=2026-01-01&to=2026-01-31';

/** What a browser sends. */
const BROWSER = {
  Accept: 'application/json, text/plain, */*',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9,de-DE;q=0.8,de;q=0.7',
  'Cache-Control': 'no-cache',
  Host: 'api.example.com',
  Origin: 'https://app.example.com',
  Pragma: 'no-cache',
  Referer: 'https://app.example.com/',
  'sec-ch-ua': '"Chromium";v="129", "Not=A?Brand";v="8", "Google Chrome";v="129"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"macOS"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-site',
  'User-Agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
  'X-Amzn-Trace-Id': 'Root=1-6713f2a4-3c1b5f0a6d2e4b7c8a9f0e1d',
  'X-Forwarded-For': '203.0.113.9, 198.51.100.17',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
};

/** What CloudFront adds in front of a REST API. */
const CLOUDFRONT = {
  'CloudFront-Forwarded-Proto': 'https',
  'CloudFront-Is-Desktop-Viewer': 'true',
  'CloudFront-Is-Mobile-Viewer': 'false',
  'CloudFront-Is-SmartTV-Viewer': 'false',
  'CloudFront-Is-Tablet-Viewer': 'false',
  'CloudFront-Viewer-ASN': '3320',
  'CloudFront-Viewer-Country': 'DE',
  Via: '2.0 0f1e2d3c4b5a69788796a5b4c3d2e1f0.cloudfront.net (CloudFront)',
  'X-Amz-Cf-Id': 'qT2pR6vN8wY0zA3cE5gI7kM9oQ1sU4xB6dF8hJ0lN2pR4tV6xZ8bD==',
};

/** A request on `GET /buildings/{building}/pages/{page}` of the model's API. */
export interface Visit {
  readonly building: string;
  readonly page: string;
  readonly token: string;
}

const pathOf = ({ building, page }: Visit): string => `/buildings/${building}/pages/${page}`;

/** The ARN that a REST API holds the answer against. */
export const methodArnOf = (visit: Visit): string => methodArn(REST, 'GET', pathOf(visit));

function matched(
  settings: typeof REST,
  { building, page, token }: Visit,
  path: string,
  more: Readonly<Record<string, string>>,
): MatchedRequest {
  const headers = Object.entries({ ...BROWSER, ...more, Authorization: `Bearer ${token}` });
  return {
    wire: {
      method: 'GET',
      target: `${path}?${QUERY}`,
      protocol: 'HTTP/1.1',
      headers,
      body: Buffer.alloc(0),
      sourceIp: '203.0.113.9',
    },
    settings,
    // A path elsewhere arrives by the route for what has none.
    routeKey: path === pathOf({ building, page, token }) ? `GET ${ROUTE}` : '$default',
    resourcePath: ROUTE,
    path,
    rawQueryString: QUERY,
    query: groupQuery(QUERY),
    headers: groupHeaders(headers),
    pathParameters: { building, page },
    arn: methodArn(settings, 'GET', path),
    requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
    receivedAt: 1_768_857_206_345,
  };
}

/** Of a REST API's REQUEST authorizer. */
export const restEvent = (visit: Visit): object =>
  restAuthorizerEvent(matched(REST, visit, pathOf(visit), CLOUDFRONT));

/** Of an HTTP API, format 2.0. No CloudFront stands in front of it. */
export const httpEvent = (visit: Visit, path = pathOf(visit)): object =>
  httpAuthorizerEventV2(matched(HTTP, visit, path, {}), [`Bearer ${visit.token}`]);
