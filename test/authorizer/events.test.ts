import { describe, expect, it } from 'vitest';
import { readEvent, requestIdOf } from '../../authorizer/events/read-event.ts';
import {
  ARN,
  appSyncEvent,
  httpEvent,
  httpV1Event,
  IP,
  restRequestEvent,
  restTokenEvent,
  USER_AGENT,
  webSocketEvent,
} from './support.ts';

describe('an event of an HTTP API, format 2.0', () => {
  it('names verb, path, ARN and credentials', () => {
    const request = readEvent(httpEvent('GET', '/locations/L1', { authorization: 'Bearer x' }));
    expect(request).toMatchObject({
      kind: 'http',
      method: 'GET',
      path: '/locations/L1',
      arn: `${ARN}/$default/GET/locations/L1`,
      authorization: ['Bearer x'],
    });
  });

  it('may come without headers', () => {
    const { headers: _, ...event } = httpEvent('GET', '/');
    expect(readEvent(event).authorization).toEqual([]);
  });
});

describe('an event of a REST API', () => {
  it('takes verb and path from the ARN, and from nothing that the caller says', () => {
    const event = {
      ...restRequestEvent('DELETE', '/locations/L1', { 'X-HTTP-Method-Override': ['DELETE'] }),
      httpMethod: 'GET',
      path: '/public',
    };
    expect(readEvent(event)).toMatchObject({ kind: 'rest-request', method: 'DELETE', path: '/locations/L1' });
  });

  it('of type TOKEN has credentials and no headers, whatever else it holds', () => {
    const event = { ...restTokenEvent('GET', '/', 'Bearer x'), headers: { 'x-location': 'L1' } };
    const request = readEvent(event);
    expect(request.authorization).toEqual(['Bearer x']);
    expect(request.header('x-location')).toEqual([]);
  });

  it('of type TOKEN may name format 1.0, as under serverless-offline', () => {
    const event = {
      ...restTokenEvent('GET', '/a', 'Bearer x'),
      version: '1.0',
      path: '/b',
      httpMethod: 'PUT',
    };
    expect(readEvent(event)).toMatchObject({ kind: 'rest-token', method: 'GET', path: '/a' });
  });
});

describe('an event of an HTTP API, format 1.0', () => {
  it('takes verb and path from the ARN, and credentials from the header only', () => {
    const event = { ...httpV1Event('DELETE', '/locations/L1'), httpMethod: 'GET', path: '/public' };
    expect(readEvent(event)).toMatchObject({
      kind: 'http-1.0',
      method: 'DELETE',
      path: '/locations/L1',
      arn: `${ARN}/test/DELETE/locations/L1`,
      authorization: [],
    });
    const withHeader = httpV1Event('GET', '/', { Authorization: 'Bearer x' });
    expect(readEvent(withHeader).authorization).toEqual(['Bearer x']);
  });

  it('gives nothing else of the request: its maps hold one value of several', () => {
    const event = {
      ...httpV1Event('GET', '/', { 'x-location': 'L1', cookie: 'a=1' }),
      queryStringParameters: { at: 'L1' },
    };
    const { header, query, cookies } = readEvent(event);
    expect([header('x-location'), query('at'), cookies('a')]).toEqual([[], [], []]);
  });

  it.each(['Bearer y,Bearer x', 'Bearer y, bearer x', '123,Bearer y,Bearer x'])(
    'shows that Authorization came twice where the identity source is %s',
    (identitySource) => {
      const event = { ...httpV1Event('GET', '/', { Authorization: 'Bearer x' }), identitySource };
      expect(readEvent(event).authorization).toEqual(['Bearer x', identitySource]);
    },
  );

  it.each(['Bearer x', 'Bearer x,123', '123,Bearer x', ['Bearer x'], undefined])(
    'shows no such thing where the identity source is %j',
    (identitySource) => {
      const event = { ...httpV1Event('GET', '/', { Authorization: 'Bearer x' }), identitySource };
      expect(readEvent(event).authorization).toEqual(['Bearer x']);
    },
  );
});

describe('an event of a WebSocket API', () => {
  it('is one of CONNECT /$connect, in any stage', () => {
    for (const stage of ['default', '$default', '$connect', 'GET']) {
      expect(readEvent(webSocketEvent({ Authorization: ['Bearer x'] }, {}, stage))).toMatchObject({
        kind: 'websocket',
        method: 'CONNECT',
        path: '/$connect',
        arn: `${ARN}/${stage}/$connect`,
        authorization: ['Bearer x'],
      });
    }
  });

  it('has a query and cookies, and no verb that a header could change', () => {
    const request = readEvent(
      webSocketEvent(
        { 'X-HTTP-Method-Override': ['GET'], Cookie: ['a=1; b=2'] },
        { location: ['L1', 'L2'], at: ['L3'] },
      ),
    );
    expect([request.method, request.query('location'), request.query('at'), request.cookies('b')]).toEqual([
      'CONNECT',
      ['L1', 'L2'],
      ['L3'],
      ['2'],
    ]);
  });
});

describe('an event of AppSync', () => {
  it('is one of GRAPHQL /, whatever operation the caller names', () => {
    const event = appSyncEvent('x.y.z', { 'X-Location': 'L1', cookie: 'a=1' });
    const request = readEvent({
      ...event,
      requestContext: { ...event.requestContext, operationName: '../x' },
    });
    expect(request).toMatchObject({ kind: 'appsync', arn: '', method: 'GRAPHQL', path: '/' });
    expect(request.header('x-location')).toEqual(['L1']);
    expect(request.cookies('a')).toEqual(['1']);
    expect(request.query('a')).toEqual([]);
  });

  it('has its token with or without the scheme', () => {
    expect(readEvent(appSyncEvent('x.y.z')).authorization).toEqual(['Bearer x.y.z']);
    expect(readEvent(appSyncEvent('bearer x.y.z')).authorization).toEqual(['bearer x.y.z']);
    for (const nothing of ['', null, undefined])
      expect(readEvent(appSyncEvent(nothing)).authorization).toEqual(['']);
  });
});

describe('who sent a request', () => {
  const SPOOFED = { 'X-Forwarded-For': ['10.0.0.1'], 'X-Real-IP': ['10.0.0.1'], 'User-Agent': ['other'] };
  const LOWER = { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1', 'user-agent': 'other' };

  /** An event with what it says of the caller replaced. */
  const saying = (event: { requestContext: object }, place: 'identity' | 'http', caller: unknown) => {
    const before = (event.requestContext as Record<string, unknown>)[place];
    const changed = caller === undefined ? undefined : { ...(before as object), ...(caller as object) };
    return { ...event, requestContext: { ...event.requestContext, [place]: changed } };
  };
  const KINDS = [
    ['HTTP 2.0', httpEvent('GET', '/', LOWER), 'http'],
    ['HTTP 1.0', httpV1Event('GET', '/', LOWER), 'identity'],
    ['REST REQUEST', restRequestEvent('GET', '/', SPOOFED), 'identity'],
    ['WebSocket', webSocketEvent(SPOOFED), 'identity'],
  ] as const;

  it.each(KINDS)('is what API Gateway says, and not what a header says: %s', (_, event) => {
    expect(readEvent(event).caller).toEqual({ ip: IP, userAgent: USER_AGENT });
  });

  it.each(KINDS)('is missing where it is missing, null or empty: %s', (_, event, place) => {
    for (const missing of [undefined, null, '']) {
      const said = saying(event, place, { sourceIp: missing, userAgent: missing });
      expect(readEvent(said).caller).toEqual({ ip: undefined, userAgent: undefined });
    }
  });

  it.each(KINDS)('is a fault where AWS would not send it so: %s', (_, event, place) => {
    for (const wrong of [7, true, ['10.0.0.1'], { ip: '10.0.0.1' }]) {
      for (const name of ['sourceIp', 'userAgent'])
        expect(() => readEvent(saying(event, place, { [name]: wrong }))).toThrow(`${name} is not a text`);
      const requestContext = { ...event.requestContext, [place]: wrong };
      if (typeof wrong !== 'object' || Array.isArray(wrong))
        expect(() => readEvent({ ...event, requestContext })).toThrow(`${place} is not an object`);
    }
  });

  it.each(KINDS.slice(1, 3))('is not said by an event without the place: %s', (_, event, place) => {
    expect(readEvent(saying(event, place, undefined)).caller).toBeUndefined();
    const { requestContext: __, ...without } = event;
    expect(readEvent(without).caller).toBeUndefined();
  });

  it('is not said by events of TOKEN authorizers and of AppSync, whatever they hold', () => {
    const { requestContext } = restRequestEvent('GET', '/');
    expect(readEvent({ ...restTokenEvent('GET', '/', 'x'), requestContext }).caller).toBeUndefined();
    const graph = appSyncEvent('x', LOWER);
    const identity = { sourceIp: [IP] };
    const said = { ...graph, identity, requestContext: { ...graph.requestContext, identity } };
    expect(readEvent(said).caller).toBeUndefined();
  });
});

describe('a verb that API Gateway does not route', () => {
  it.each(['CONNECT', 'GRAPHQL', 'ANY', 'get', 'PROPFIND', '*', '$connect'])(
    'is none of a rule: %s',
    (verb) => {
      for (const event of [
        httpEvent(verb, '/'),
        httpV1Event(verb, '/x'),
        restRequestEvent(verb, '/x'),
        restTokenEvent(verb, '/x', 'Bearer x'),
      ]) {
        expect(readEvent(event).method).toBe('');
      }
    },
  );

  it('is not taken from a header either, in any kind', () => {
    const headers = { 'x-http-method-override': 'DELETE', 'X-HTTP-Method': 'DELETE' };
    const lists = { 'X-HTTP-Method-Override': ['DELETE'] };
    for (const event of [
      httpEvent('GET', '/', headers),
      httpV1Event('GET', '/', headers),
      restRequestEvent('GET', '/', lists),
    ])
      expect(readEvent(event).method).toBe('GET');
  });
});

describe.each([
  ['queryStringParameters', 'multiValueQueryStringParameters', 'query'],
  ['headers', 'multiValueHeaders', 'header'],
] as const)('%s and %s', (one, several, reader) => {
  const of = (single: unknown, multiple?: unknown) =>
    readEvent({ ...restRequestEvent('GET', '/'), [one]: single, [several]: multiple })[reader];

  it('are found in either map, and not what every object has', () => {
    expect(of({ at: 'L1' })('at')).toEqual(['L1']);
    expect(of({}, { at: ['L1'] })('at')).toEqual(['L1']);
    expect(of({ ' at': 'L1', 'at[]': 'L1', ats: 'L1' })('at')).toEqual([]);
    expect(of({})('constructor')).toEqual([]);
    expect(of(Object.create({ at: 'L1' }))('at')).toEqual([]);
    expect(of(null, null)('at')).toEqual([]);
  });

  it('show every value, the same or not, and where the two maps disagree', () => {
    expect(of({ at: 'L2' }, { at: ['L1', 'L2'] })('at')).toEqual(['L1', 'L2']);
    expect(of({ at: 'L1' }, { at: ['L1', 'L1'] })('at')).toEqual(['L1', 'L1']);
    expect(of({ at: 'L1' }, { at: ['L2'] })('at')).toEqual(['L2', 'L1']);
  });

  it('that are no text are a fault, when they are asked for', () => {
    for (const value of [7, null, { a: 'b' }, true]) expect(() => of({ at: value })('at')).toThrow(one);
    expect(() => of({}, { at: ['L1', 7] })('at')).toThrow(one);
    expect(of({ other: 7, at: 'L1' })('at')).toEqual(['L1']);
  });

  it('have names with regard to case in the query, and without in headers', () => {
    const isHeader = reader === 'header';
    expect(of({ AT: 'L1' })('at')).toEqual(isHeader ? ['L1'] : []);
    expect(of({ at: 'L1' }, { AT: ['L1'] })('at')).toEqual(['L1']);
    expect(of({ at: 'L1', At: 'L2' })('at')).toEqual(isHeader ? ['L1', 'L2'] : ['L1']);
  });
});

describe('the query', () => {
  it('of format 2.0 is joined by commas where a name came twice, and stays so', () => {
    const event = { ...httpEvent('GET', '/'), queryStringParameters: { at: 'L1,L2' } };
    expect(readEvent(event).query('at')).toEqual(['L1,L2']);
  });

  it('of a TOKEN event is empty, whatever it holds', () => {
    const more = { queryStringParameters: { at: 'L1' }, cookies: ['a=1'] };
    const { query, cookies } = readEvent({ ...restTokenEvent('GET', '/', 'x'), ...more });
    expect([query('at'), cookies('a')]).toEqual([[], []]);
  });
});

describe('cookies', () => {
  const cookies = (...headers: string[]) =>
    readEvent(restRequestEvent('GET', '/', { Cookie: headers })).cookies;

  it('are taken out of the header as they came', () => {
    expect(cookies('a=1; b="2"; c=%20; d=e=f')('b')).toEqual(['"2"']);
    expect(cookies('a=1; b="2"; c=%20; d=e=f')('c')).toEqual(['%20']);
    expect(cookies('a=1;d=e=f')('d')).toEqual(['e=f']);
    for (const none of ['aa=1; A=2; a; =a', 'a', '=a', ' ; ']) expect(cookies(none)('a')).toEqual([]);
  });

  it('are found whatever spaces stand around their names and values, as backends find them', () => {
    expect(cookies('t =EVIL; t=GOOD')('t')).toEqual(['EVIL', 'GOOD']);
    expect(cookies('t=GOOD;\tt\t= EVIL ')('t')).toEqual(['GOOD', 'EVIL']);
    expect(cookies('a = b=c ; t')('a')).toEqual(['b=c']);
  });

  it('that came twice are all there, in one header or in two', () => {
    expect(cookies('a=1; a=2')('a')).toEqual(['1', '2']);
    expect(cookies('a=1', 'a=1')('a')).toEqual(['1', '1']);
  });

  it('of format 2.0 stand in a field of their own; a header that says otherwise is noticed', () => {
    const event = { ...httpEvent('GET', '/', { cookie: 'a=2; b=2' }), cookies: ['a=1', 'b=2'] };
    expect(readEvent(event).cookies('a')).toEqual(['1', '2']);
    expect(readEvent(event).cookies('b')).toEqual(['2']);
  });

  it('that are no texts are a fault, when they are asked for', () => {
    const event = { ...httpEvent('GET', '/'), cookies: ['a=1', 7] };
    expect(() => readEvent(event).cookies('a')).toThrow(/cookies/);
  });
});

describe('an event that AWS does not send', () => {
  const http = httpEvent('GET', '/');
  const rest = restRequestEvent('GET', '/');
  const token = restTokenEvent('GET', '/', 'Bearer x');
  const socket = webSocketEvent();
  const graphql = appSyncEvent('x');
  const inContext = (event: { requestContext: object }, changes: object) => ({
    ...event,
    requestContext: { ...event.requestContext, ...changes },
  });
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'event'],
    ['a list', [http]],
    ['headers that are a text', { ...http, headers: 'authorization: Bearer x' }],
    ['no routeArn', { ...http, routeArn: undefined }],
    ['a routeArn of another service', { ...http, routeArn: 'arn:aws:s3:eu-central-1:1:api/prod/GET/' }],
    ['no rawPath', { ...http, rawPath: 7 }],
    ['no requestContext', { ...http, requestContext: null }],
    ['no stage', { ...http, requestContext: { ...http.requestContext, stage: '' } }],
    ['no verb', { ...http, requestContext: { ...http.requestContext, http: {} } }],
    ['a methodArn that is an object', { ...rest, methodArn: {} }],
    ['an ARN without verb', { ...rest, methodArn: `${ARN}/prod` }],
    ['an ARN with an empty verb', { ...rest, methodArn: `${ARN}/prod//x` }],
    ['an ARN with an empty stage', { ...rest, methodArn: `${ARN}//GET/x` }],
    ['an ARN of four colons', { ...rest, methodArn: 'arn:aws:execute-api:eu:api/prod/GET/x' }],
    ['HTTP API 1.0 without methodArn', { ...httpV1Event('GET', '/'), methodArn: undefined }],
    ['HTTP API 1.0 with headers that are a text', { ...httpV1Event('GET', '/'), headers: 'a=b' }],
    ['cookies that are a text', { ...http, cookies: 'a=b' }],
    ['a connection without an id', inContext(socket, { connectionId: '' })],
    ['a connection without requestContext', { ...socket, requestContext: undefined }],
    ['a message of a connection', inContext(socket, { eventType: 'MESSAGE' })],
    ['another route of a connection', inContext(socket, { routeKey: 'send' })],
    ['a connection with the ARN of a method', { ...socket, methodArn: `${ARN}/default/GET/$connect` }],
    ['a connection with more after its $connect', { ...socket, methodArn: `${ARN}/default/$connect/x` }],
    ['a method with the ARN of a connection', { ...rest, methodArn: `${ARN}/prod/$connect` }],
    ['a method with the id of a connection', inContext(rest, { connectionId: 'x' })],
    ['AppSync with a token that is a list', appSyncEvent(['x'])],
    ['AppSync without requestContext', { ...graphql, requestContext: undefined }],
    ['AppSync without a query', inContext(graphql, { queryString: 7 })],
    ['AppSync with headers that are a list', { ...graphql, requestHeaders: [] }],
    ['a token that is a list', { ...token, authorizationToken: ['Bearer x'] }],
  ])('is a fault: %s', (_, event) => {
    expect(() => readEvent(event)).toThrow(
      expect.objectContaining({ name: 'Fault', code: 'event_malformed' }),
    );
  });

  it.each<[string, unknown]>([
    ['no type', {}],
    ['a TOKEN of format 2.0', { ...token, version: '2.0' }],
    ['a version to come', { ...http, version: '3.0' }],
    ['a type that only its prototype has', Object.create({ type: 'TOKEN' })],
    ['AppSync with a version', { ...appSyncEvent('x'), version: '1.0' }],
    ['a TOKEN of another case', { ...token, type: 'Token' }],
    ['a backend event', { ...http, type: undefined }],
  ])('is one that is not served yet: %s', (_, event) => {
    expect(() => readEvent(event)).toThrow(expect.objectContaining({ code: 'event_unsupported' }));
  });
});

describe("API Gateway's id of a request", () => {
  it('is read where there is one, and taken for nothing else', () => {
    expect(requestIdOf(httpEvent('GET', '/'))).toBe('JKJaXmPLvHcESHA=');
    expect(requestIdOf({ requestContext: { requestId: 'a"b' } })).toBeUndefined();
    expect(requestIdOf({ requestContext: { requestId: 'x'.repeat(65) } })).toBeUndefined();
    for (const event of [undefined, null, 'x', {}, { requestContext: 'x' }]) {
      expect(requestIdOf(event)).toBeUndefined();
    }
  });
});
