import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { customTags } from '../../deploy/bundle/sam-template.ts';
import type { Template } from './api.ts';
import { wrongIn } from './rules.ts';

/** The rules for docs/attach, over its templates of CloudFormation. All other forms: `npm run proof -- snippets`. */
const textOf = (name: string): string =>
  readFileSync(new URL(`../../docs/attach/cloudformation/${name}.yml`, import.meta.url), 'utf8');
const parse = (text: string): Template => yaml.parse(text, { customTags, merge: true, logLevel: 'error' });

const KINDS = { rest: 'REST', http: 'HTTP', websocket: 'WEBSOCKET' } as const;

test.each(Object.entries(KINDS))('cloudformation/%s.yml follows them', (name, kind) => {
  expect(wrongIn(parse(textOf(name)), [kind])).toEqual([]);
});

test('an API of another kind, and none at all, are found', () => {
  expect(wrongIn(parse(textOf('rest')), ['HTTP'])).toEqual(['APIs: REST']);
  expect(wrongIn({ Resources: {} }, ['HTTP'])).toEqual(['APIs: none']);
});

describe.each<[keyof typeof KINDS, [what: string, from: string | RegExp, to: string, found: string][]]>([
  [
    'rest',
    [
      ['another function', '!ImportValue gatehouse-live-AuthorizerInvokeUri', 'arn:x', 'calls arn:x'],
      ['a token authorizer', 'Type: REQUEST', 'Type: TOKEN', 'type TOKEN'],
      [
        'another header',
        'header.Authorization\n',
        'header.X-Key\n',
        'identity sources method.request.header.X-Key',
      ],
      ['a cache', 'InSeconds: 0', 'InSeconds: 300', 'caches for 300 s without path,verb'],
      [
        'the cache of AWS',
        /\n *AuthorizerResultTtlInSeconds: 0/,
        '',
        'caches for 300 (AWS) s without path,verb',
      ],
      [
        'an open method',
        'AuthorizationType: CUSTOM',
        'AuthorizationType: NONE',
        '$connect alone: GET /documents/{id}',
      ],
      [
        'another authorizer',
        'AuthorizerId: !Ref Gatehouse',
        'AuthorizerId: !Ref Other',
        '$connect alone: GET',
      ],
      ['no {id}', '"{id}"', '"one"', 'no path with {id}'],
      ['an id that is lost', 'documents/{id}\n', 'documents/1\n', 'the same id of the backend: GET'],
      ['no context', 'context.authorizer.subject', 'context.requestId', 'the backend learns who asks'],
      ['no preflight', 'HttpMethod: OPTIONS', 'HttpMethod: PUT', 'none for /documents/{id}'],
      [
        'a preflight with a token',
        'AuthorizationType: NONE',
        'AuthorizationType: CUSTOM\n      AuthorizerId: !Ref Gatehouse',
        'named origins: OPTIONS',
      ],
      [
        'every origin',
        /Allow-Origin: "'https:\/\/app\.example'"\n *method/,
        'Allow-Origin: "\'*\'"\n              method',
        'named origins: OPTIONS',
      ],
      [
        'a preflight without the token',
        'authorization,content-type',
        'content-type',
        'named origins: OPTIONS',
      ],
      ['a hidden 401', 'DEFAULT_4XX', 'THROTTLED', 'REST API: UNAUTHORIZED'],
      ['a hidden 500', 'DEFAULT_5XX', 'THROTTLED', 'REST API: AUTHORIZER_FAILURE'],
      ['an early deployment', ', Preflight, ', ', ', 'deployed before it is there: Preflight'],
    ],
  ],
  [
    'http',
    [
      ['another version', '"2.0"', '"1.0"', 'version 1.0, simple true'],
      [
        'policies',
        'EnableSimpleResponses: true',
        'EnableSimpleResponses: false',
        'version 2.0, simple false',
      ],
      [
        'a cache without the route',
        /\[\$request\.header\.Authorization\]([\s\S]*)InSeconds: 0/,
        '[$request.header.Authorization, $context.httpMethod, $context.path]$1InSeconds: 60',
        'caches for 60 s without routeKey',
      ],
      ['a subject that a caller can add to', 'overwrite:', 'append:', 'the backend learns who asks'],
      ['no origins', /CorsConfiguration:[\s\S]*?MaxAge: 600/, 'DisableSchemaValidation: false', 'no origins'],
      ['every origin', '[https://app.example]', '["*"]', 'no origins'],
      ['a preflight without the token', '[authorization, ', '[', 'without the token'],
      ['a verb without a preflight', 'AllowMethods: [GET]', 'AllowMethods: [PUT]', 'named origins: GET'],
      ['a route that catches preflights', 'RouteKey: GET', 'RouteKey: ANY', 'named origins: ANY'],
    ],
  ],
  [
    'websocket',
    [
      [
        'an open $connect',
        'AuthorizationType: CUSTOM',
        'AuthorizationType: NONE',
        '$connect alone: $connect',
      ],
      ['no $connect', 'RouteKey: $connect', 'RouteKey: join', 'no $connect'],
      [
        'an authorizer elsewhere',
        'AuthorizationType: NONE',
        'AuthorizationType: CUSTOM\n      AuthorizerId: !Ref Gatehouse',
        '$connect alone: $default',
      ],
      [
        'no context',
        'context.authorizer.subject',
        'context.connectionId',
        'who asks, and callers cannot say it: $default',
      ],
    ],
  ],
])('%s', (name, changes) => {
  test.each(changes)('%s is found', (_, from, to, found) => {
    const text = textOf(name);
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(wrongIn(parse(changed), [KINDS[name]]).join('\n')).toContain(found);
  });
});

test('a cache with the whole key is right', () => {
  const text = textOf('rest').replace('InSeconds: 0', 'InSeconds: 300');
  const keyed = text.replace(
    'IdentitySource: method.request.header.Authorization',
    'IdentitySource: method.request.header.Authorization, context.httpMethod, context.path',
  );
  expect(wrongIn(parse(keyed), ['REST'])).toEqual([]);
});

describe('who may invoke', () => {
  const withPermission = (
    SourceArn: unknown,
    {
      Principal = 'apigateway.amazonaws.com',
      FunctionName = { 'Fn::ImportValue': 'gatehouse-live-AuthorizerArn' } as unknown,
    } = {},
  ) => {
    const { Resources } = parse(textOf('http'));
    const Properties = { FunctionName, Principal, Action: 'lambda:InvokeFunction', SourceArn };
    return wrongIn({ Resources: { ...Resources, May: { Type: 'AWS::Lambda::Permission', Properties } } }, [
      'HTTP',
    ]);
  };
  const arn = (account: string, rest: string) => ({
    'Fn::Sub': `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:${account}:${rest}`,
  });
  const own = `\${AWS::AccountId}`;

  test.each([
    ['the authorizers of one API', arn(own, `\${Api}/authorizers/*`), []],
    ['those of another account', arn('111122223333', `\${Api}/authorizers/*`), []],
    ['routes of the API', arn(own, `\${Api}/*`), ['gatehouse']],
    ['any API', arn(own, '*/authorizers/*'), ['gatehouse']],
    ['any account', arn('*', `\${Api}/authorizers/*`), ['gatehouse']],
    ['anybody', undefined, ['by anybody']],
  ])('%s', (_, source, found) => {
    const wrong = withPermission(source);
    expect(wrong).toHaveLength(found.length);
    for (const each of found) expect(wrong[0]).toContain(each);
  });

  test('another principal, and the backend by its routes', () => {
    const source = arn(own, `\${Api}/*/GET/documents/*`);
    expect(withPermission(source, { FunctionName: { Ref: 'Backend' } })).toEqual([]);
    expect(withPermission(source, { FunctionName: { Ref: 'Backend' }, Principal: '*' })).toHaveLength(1);
  });
});

describe('an authorizer in another account', () => {
  test('permissions.yml lets an API of this account and one of another invoke, by their authorizers alone', () => {
    const template = parse(textOf('permissions'));
    expect(wrongIn(template, [])).toEqual([]);
    const sources = Object.values(template.Resources).map(
      ({ Properties }) => Properties.SourceArn['Fn::Sub'],
    );
    expect(sources).toEqual([
      `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${ShopApiId}/authorizers/*`,
      `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${PartnerAccountId}:\${PartnerApiId}/authorizers/*`,
    ]);
  });

  test.each(Object.entries(KINDS))(
    '%s.yml takes its URI as a parameter instead of the import',
    (name, kind) => {
      const text = textOf(name).replace(
        '!ImportValue gatehouse-live-AuthorizerInvokeUri',
        '!Ref AuthorizerInvokeUri',
      );
      expect(wrongIn(parse(text), [kind])).toEqual([]);
      // No permission and no role: neither can be given from the account of the API.
      expect(text).not.toMatch(/Lambda::Permission|Credentials/);
    },
  );
});
