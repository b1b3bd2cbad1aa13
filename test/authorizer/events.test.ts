import { describe, expect, it } from 'vitest';
import { readEvent, requestIdOf } from '../../authorizer/events/read-event.ts';
import { ARN, httpEvent, restRequestEvent, restTokenEvent } from './support.ts';

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

  it('has its stage before the path, unless that is $default', () => {
    expect(readEvent(httpEvent('GET', '/prod/x', {}, 'prod')).path).toBe('/prod/x');
    expect(readEvent(httpEvent('GET', '/', {}, 'prod')).path).toBe('/');
    expect(readEvent({ ...httpEvent('GET', '/', {}, 'prod'), rawPath: '/prod' }).path).toBe('/');
    expect(readEvent(httpEvent('GET', '/prod/x')).path).toBe('/prod/x');
  });

  it('is a fault when the stage is not where AWS puts it', () => {
    for (const rawPath of ['/x', '/production/x', 'prod/x', '/PROD/x']) {
      expect(() => readEvent({ ...httpEvent('GET', '/x', {}, 'prod'), rawPath })).toThrow(/rawPath/);
    }
  });

  it('keeps the path as it came: nothing is decoded', () => {
    expect(readEvent(httpEvent('GET', '/a%2Fb//c/')).path).toBe('/a%2Fb//c/');
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

  it('splits the ARN by its first five colons only', () => {
    const request = readEvent(restTokenEvent('GET', '/a:b/c:d', 'Bearer x'));
    expect(request).toMatchObject({ kind: 'rest-token', method: 'GET', path: '/a:b/c:d' });
  });

  it('has the path / when the ARN ends after the verb', () => {
    expect(readEvent(restTokenEvent('GET', '/', 'Bearer x')).path).toBe('/');
    expect(readEvent(restTokenEvent('GET', '', 'Bearer x')).path).toBe('/');
  });

  it('works in every partition', () => {
    for (const partition of ['aws', 'aws-cn', 'aws-us-gov']) {
      const methodArn = `arn:${partition}:execute-api:cn-north-1:1:api/prod/GET/x`;
      expect(readEvent({ type: 'TOKEN', authorizationToken: 'Bearer x', methodArn }).path).toBe('/x');
    }
  });

  it('of type TOKEN has credentials and no headers, whatever else it holds', () => {
    const event = { ...restTokenEvent('GET', '/', 'Bearer x'), headers: { 'x-location': 'L1' } };
    const request = readEvent(event);
    expect(request.authorization).toEqual(['Bearer x']);
    expect(request.header('x-location')).toEqual([]);
  });
});

describe('headers', () => {
  const header = (headers: unknown, multiValueHeaders?: unknown) =>
    readEvent({ ...restRequestEvent('GET', '/'), headers, multiValueHeaders }).header;

  it('are found in any case, in either map', () => {
    expect(header({ 'X-LOCATION': 'L1' })('x-location')).toEqual(['L1']);
    expect(header({}, { 'X-Location': ['L1'] })('x-location')).toEqual(['L1']);
    expect(header({ 'x-location': 'L1' }, { 'X-Location': ['L1'] })('x-location')).toEqual(['L1']);
    expect(header({ 'x-locations': 'L1' })('x-location')).toEqual([]);
  });

  it('that came twice are all there, the same or not, spelled alike or not', () => {
    expect(header({ 'x-location': 'L2' }, { 'x-location': ['L1', 'L2'] })('x-location')).toEqual([
      'L1',
      'L2',
    ]);
    expect(header({}, { 'x-location': ['L1', 'L1'] })('x-location')).toEqual(['L1', 'L1']);
    expect(header({ 'x-location': 'L1', 'X-Location': 'L2' })('x-location')).toEqual(['L1', 'L2']);
    expect(header({ 'x-location': 'L1' }, { 'x-location': ['L2'] })('x-location')).toEqual(['L2', 'L1']);
  });

  it('that every object has are not there', () => {
    expect(header({})('constructor')).toEqual([]);
  });

  it('may be null as a whole', () => {
    expect(header(null, null)('x')).toEqual([]);
  });

  it('that are no text are a fault, when they are asked for', () => {
    for (const value of [7, null, { a: 'b' }, true]) {
      expect(() => header({ 'x-location': value })('x-location')).toThrow(/headers/);
    }
    expect(() => header({}, { 'x-location': ['L1', 7] })('x-location')).toThrow(/headers/);
    expect(header({ other: 7, 'x-location': 'L1' })('x-location')).toEqual(['L1']);
  });
});

describe('an event that AWS does not send', () => {
  const http = httpEvent('GET', '/');
  const rest = restRequestEvent('GET', '/');
  const token = restTokenEvent('GET', '/', 'Bearer x');
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
    ['a token that is a list', { ...token, authorizationToken: ['Bearer x'] }],
  ])('is a fault: %s', (_, event) => {
    expect(() => readEvent(event)).toThrow(
      expect.objectContaining({ name: 'Fault', code: 'event_malformed' }),
    );
  });

  it.each<[string, unknown]>([
    ['no type', {}],
    ['HTTP API 1.0', { ...rest, version: '1.0' }],
    ['a TOKEN with a version', { ...token, version: '1.0' }],
    ['a version to come', { ...http, version: '3.0' }],
    ['a type that only its prototype has', Object.create({ type: 'TOKEN' })],
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
