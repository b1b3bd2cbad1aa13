import { describe, expect, test } from 'vitest';
import { readEvent } from '../../authorizer/events/read-event.ts';
import { httpEvent } from './support.ts';

/** Which path an HTTP API has matched: that of the stage's endpoint, of a custom domain, of one with a base path. */
const ENDPOINT = 'abcdef1234.execute-api.eu-central-1.amazonaws.com';
const DOMAIN = 'api.example.com';

interface Sent {
  readonly domainName?: unknown;
  readonly stage?: string;
  readonly routeKey?: string;
  readonly method?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Of the domain. */
  readonly basePath?: string;
}

function pathOf(rawPath: string, sent: Sent): string {
  const {
    domainName,
    stage = '$default',
    routeKey = '$default',
    method = 'GET',
    parameters,
    basePath,
  } = sent;
  const event = httpEvent(method, '/');
  const named = basePath === undefined ? [] : [[DOMAIN, basePath] as const];
  return readEvent(
    {
      ...event,
      rawPath,
      ...(parameters && { pathParameters: parameters }),
      requestContext: { ...event.requestContext, stage, routeKey, domainName },
    },
    new Map(named),
  ).path;
}

const REFUSED = 'refused';
const pathOrRefusal = (rawPath: string, sent: Sent): string => {
  try {
    return pathOf(rawPath, sent);
  } catch (error) {
    expect(error).toMatchObject({ code: 'event_malformed' });
    return REFUSED;
  }
};

type Row = readonly [rawPath: string, sent: Sent, path: string];

describe('at an endpoint of AWS, the stage stands before the path', () => {
  const at: Sent = { domainName: ENDPOINT, stage: 'prod' };
  test.each<Row>([
    ['/prod/x', at, '/x'],
    ['/prod', at, '/'],
    ['/prod/', at, '/'],
    ['/prod/prod/x', at, '/prod/x'],
    ['/prod//x', at, '//x'],
    ['/x', at, REFUSED],
    ['/', at, REFUSED],
    ['/production/x', at, REFUSED],
    ['/PROD/x', at, REFUSED],
    ['/%70rod/x', at, REFUSED],
    ['prod/x', at, REFUSED],
    ['//prod/x', at, REFUSED],
    ['/x', { domainName: ENDPOINT }, '/x'],
    ['/$default/x', { domainName: ENDPOINT }, '/$default/x'],
    ['/prod/x', { ...at, domainName: undefined }, '/x'],
    ['/x', { ...at, domainName: undefined }, REFUSED],
    ['/x', { ...at, domainName: ENDPOINT.toUpperCase() }, REFUSED],
    ['/x', { ...at, domainName: 'a1.execute-api.cn-north-1.amazonaws.com.cn' }, REFUSED],
    ['/x', { ...at, domainName: 'a1.execute-api.eu-west-1.api.aws' }, REFUSED],
    // A base path is of its domain.
    ['/orders/x', { ...at, basePath: 'orders' }, REFUSED],
  ])('%s %j is %s', (rawPath, sent, path) => {
    expect(pathOrRefusal(rawPath, sent)).toBe(path);
  });
});

describe('at a custom domain with a base path, it stands before the path, and nothing else does', () => {
  const at: Sent = { domainName: DOMAIN, stage: 'prod', basePath: 'orders' };
  test.each<Row>([
    ['/orders/x', at, '/x'],
    ['/orders', at, '/'],
    ['/orders/orders/x', at, '/orders/x'],
    ['/orders/prod/x', at, '/prod/x'],
    ['/orders/x', { ...at, domainName: DOMAIN.toUpperCase() }, '/x'],
    ['/orders/x', { ...at, stage: '$default' }, '/x'],
    ['/orders/v1/x', { ...at, basePath: 'orders/v1' }, '/x'],
    ['/prod/x', { ...at, basePath: '' }, '/prod/x'],
    ['/x', { ...at, basePath: '' }, '/x'],
    ['/x', at, REFUSED],
    ['/prod/x', at, REFUSED],
    ['/ordersandmore', at, REFUSED],
    ['/Orders/x', at, REFUSED],
    ['/order%73/x', at, REFUSED],
    ['/orders', { ...at, basePath: 'orders/v1' }, REFUSED],
  ])('%s %j is %s', (rawPath, sent, path) => {
    expect(pathOrRefusal(rawPath, sent)).toBe(path);
  });
});

describe('at a custom domain that is not named', () => {
  const at: Sent = { domainName: DOMAIN, stage: 'v1' };
  const two = { routeKey: 'GET /{a}/{b}' };
  const all = { routeKey: 'ANY /{proxy+}' };
  test.each<Row>([
    ['/x', at, '/x'],
    ['/', at, '/'],
    ['/v10/x', at, '/v10/x'],
    ['/v1/x', { ...at, stage: '$default' }, '/v1/x'],
    // Both readings are possible: the matched route decides, or nobody.
    ['/v1/x', at, REFUSED],
    ['/v1', at, REFUSED],
    ['/v1/x', { ...at, routeKey: 'GET /x' }, '/x'],
    ['/v1/x', { ...at, routeKey: 'GET /v1/x' }, '/v1/x'],
    ['/v1/x', { ...at, routeKey: 'GET /{a}' }, '/x'],
    ['/v1/x', { ...at, ...two }, '/v1/x'],
    ['/v1/v1', { ...at, routeKey: 'GET /v1' }, '/v1'],
    ['/v1/x', { ...at, ...all, parameters: { proxy: 'x' } }, '/x'],
    ['/v1/x', { ...at, ...all, parameters: { proxy: 'v1/x' } }, '/v1/x'],
    ['/v1/v1/v1', { ...at, ...all, parameters: { proxy: 'v1/v1' } }, '/v1/v1'],
    ['/v1/a%20b', { ...at, ...all, parameters: { proxy: 'v1/a b' } }, '/v1/a%20b'],
    ['/v1/x', { ...at, ...all }, REFUSED],
    ['/v1/x', { ...at, ...all, parameters: { proxy: 'y' } }, REFUSED],
    // The name of a domain that only looks like one of AWS.
    ['/x', { ...at, domainName: 'a1.execute-api.eu-west-1.amazonaws.com.example.com' }, '/x'],
    ['/v1/x', { ...at, domainName: 'a1.execute-api.eu-west-1.amazonaws.com.example.com' }, REFUSED],
    ['/v1/x', { ...at, domainName: 'x.a1.execute-api.eu-west-1.amazonaws.com' }, REFUSED],
    ['/x', { ...at, domainName: 7 }, REFUSED],
  ])('%s %j is %s', (rawPath, sent, path) => {
    expect(pathOrRefusal(rawPath, sent)).toBe(path);
  });
});

describe('no request is read as one of another route than API Gateway matched', () => {
  const at: Sent = { domainName: ENDPOINT, stage: 'prod' };
  test.each<Row>([
    ['/prod/docs/5', { ...at, routeKey: 'GET /docs/{id}' }, '/docs/5'],
    ['/prod/docs/5', { ...at, routeKey: 'ANY /docs/{id}' }, '/docs/5'],
    ['/prod/docs/5/', { ...at, routeKey: 'GET /docs/{id}' }, '/docs/5/'],
    ['/prod/docs/a%2Fb', { ...at, routeKey: 'GET /docs/{id}' }, '/docs/a%2Fb'],
    ['/prod/docs/5/6', { ...at, routeKey: 'GET /docs/{more+}' }, '/docs/5/6'],
    ['/prod', { ...at, routeKey: 'GET /' }, '/'],
    ['/prod/caf%C3%A9', { ...at, routeKey: 'GET /café' }, '/caf%C3%A9'],
    ['/prod/docs/5', { ...at, routeKey: '' }, '/docs/5'],
    ['/prod/docs/5', { ...at, routeKey: 'GET /docs' }, REFUSED],
    ['/prod/docs', { ...at, routeKey: 'GET /docs/{id}' }, REFUSED],
    ['/prod/docs/5', { ...at, routeKey: 'GET /Docs/{id}' }, REFUSED],
    ['/prod/docs/5', { ...at, routeKey: 'POST /docs/{id}' }, REFUSED],
    ['/prod/docs/5//', { ...at, routeKey: 'GET /docs/{id}' }, REFUSED],
    ['/prod/docs//', { ...at, routeKey: 'GET /docs/{id}' }, REFUSED],
    ['/prod/docs/5', { ...at, routeKey: 'GET' }, REFUSED],
    ['/prod/docs/5', { ...at, routeKey: 'nonsense' }, REFUSED],
    // The key of a mapping that nobody has named, before a route of one segment: not the two segments of another route.
    ['/admin/5', { domainName: DOMAIN, routeKey: 'GET /{id}' }, REFUSED],
    ['/orders/prod/5', { ...at, domainName: DOMAIN, basePath: 'orders', routeKey: 'GET /{id}' }, REFUSED],
  ])('%s %j is %s', (rawPath, sent, path) => {
    expect(pathOrRefusal(rawPath, sent)).toBe(path);
  });
});
