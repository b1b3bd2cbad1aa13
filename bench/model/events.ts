/**
 * Events as API Gateway sends them for a request of a browser, at their full size: what an authorizer does not read
 * it has to parse all the same.
 */
const ACCOUNT = '123456789012';
const API = 'abcdef1234';
const ARN = `arn:aws:execute-api:eu-central-1:${ACCOUNT}:${API}`;
const AGENT =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36';
const TRACE = 'Root=1-6713f2a4-3c1b5f0a6d2e4b7c8a9f0e1d';
const DOMAIN = 'api.example.com';

/** What a browser sends, and API Gateway with CloudFront before it adds. */
const headersWith = (token: string): Readonly<Record<string, string>> => ({
  Accept: 'application/json, text/plain, */*',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9,de-DE;q=0.8,de;q=0.7',
  Authorization: `Bearer ${token}`,
  'Cache-Control': 'no-cache',
  'CloudFront-Forwarded-Proto': 'https',
  'CloudFront-Is-Desktop-Viewer': 'true',
  'CloudFront-Is-Mobile-Viewer': 'false',
  'CloudFront-Is-SmartTV-Viewer': 'false',
  'CloudFront-Is-Tablet-Viewer': 'false',
  'CloudFront-Viewer-ASN': '3320',
  'CloudFront-Viewer-Country': 'DE',
  Host: DOMAIN,
  Origin: 'https://app.example.com',
  Pragma: 'no-cache',
  Referer: 'https://app.example.com/',
  'sec-ch-ua': '"Chromium";v="129", "Not=A?Brand";v="8", "Google Chrome";v="129"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"macOS"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-site',
  'User-Agent': AGENT,
  Via: '2.0 0f1e2d3c4b5a69788796a5b4c3d2e1f0.cloudfront.net (CloudFront)',
  'X-Amz-Cf-Id': 'qT2pR6vN8wY0zA3cE5gI7kM9oQ1sU4xB6dF8hJ0lN2pR4tV6xZ8bD==',
  'X-Amzn-Trace-Id': TRACE,
  'X-Forwarded-For': '203.0.113.9, 198.51.100.17',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
});

const mapped = <T>(
  fields: Readonly<Record<string, string>>,
  to: (name: string, value: string) => [string, T],
) => Object.fromEntries(Object.entries(fields).map(([name, value]) => to(name, value)));

/** A request on `GET /buildings/{building}/pages/{page}` of the model's API. */
export interface Visit {
  readonly building: string;
  readonly page: string;
  readonly token: string;
}

const pathOf = ({ building, page }: Visit): string => `/buildings/${building}/pages/${page}`;

/** The ARN that the answer to a REST API is held against. */
export const methodArnOf = (visit: Visit): string => `${ARN}/prod/GET${pathOf(visit)}`;

/** A REST API's REQUEST authorizer (AG api-gateway-lambda-authorizer-input). */
export function restEvent(visit: Visit): object {
  const headers = headersWith(visit.token);
  const path = pathOf(visit);
  return {
    type: 'REQUEST',
    methodArn: methodArnOf(visit),
    resource: '/buildings/{building}/pages/{page}',
    path,
    httpMethod: 'GET',
    headers,
    multiValueHeaders: mapped(headers, (name, value) => [name, [value]]),
    queryStringParameters: { from: '2026-01-01', to: '2026-01-31' },
    multiValueQueryStringParameters: { from: ['2026-01-01'], to: ['2026-01-31'] },
    pathParameters: { building: visit.building, page: visit.page },
    stageVariables: {},
    requestContext: {
      resourceId: '05c7jb',
      resourcePath: '/buildings/{building}/pages/{page}',
      httpMethod: 'GET',
      extendedRequestId: 'B2kF8Gq4FiAEMHw=',
      requestTime: '19/Jan/2026:21:13:26 +0000',
      path: `/prod${path}`,
      accountId: ACCOUNT,
      protocol: 'HTTP/1.1',
      stage: 'prod',
      domainPrefix: 'api',
      requestTimeEpoch: 1768857206345,
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      identity: {
        ...{ cognitoIdentityPoolId: null, accountId: null, cognitoIdentityId: null, caller: null },
        ...{ sourceIp: '203.0.113.9', principalOrgId: null, accessKey: null },
        ...{ cognitoAuthenticationType: null, cognitoAuthenticationProvider: null, userArn: null },
        ...{ userAgent: AGENT, user: null },
      },
      domainName: DOMAIN,
      deploymentId: 'x9y8z7',
      apiId: API,
    },
  };
}

/** An HTTP API, format 2.0 (AG http-api-lambda-authorizer). No CloudFront stands before it, and names are lower. */
export function httpEvent(visit: Visit): object {
  const path = pathOf(visit);
  const own = Object.entries(headersWith(visit.token)).filter(
    ([name]) => !/^(?:cloudfront|via|x-amz-cf)/i.test(name),
  );
  return {
    version: '2.0',
    type: 'REQUEST',
    routeArn: `${ARN}/$default/GET${path}`,
    identitySource: [`Bearer ${visit.token}`],
    routeKey: 'GET /buildings/{building}/pages/{page}',
    rawPath: path,
    rawQueryString: 'from=2026-01-01&to=2026-01-31',
    headers: mapped(Object.fromEntries(own), (name, value) => [name.toLowerCase(), value]),
    queryStringParameters: { from: '2026-01-01', to: '2026-01-31' },
    pathParameters: { building: visit.building, page: visit.page },
    requestContext: {
      accountId: ACCOUNT,
      apiId: API,
      domainName: DOMAIN,
      domainPrefix: 'api',
      http: { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.9', userAgent: AGENT },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: 'GET /buildings/{building}/pages/{page}',
      stage: '$default',
      time: '19/Jan/2026:21:13:26 +0000',
      timeEpoch: 1768857206345,
    },
  };
}
