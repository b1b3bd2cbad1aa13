import { readIdentitySource } from '../../authorizer/routes/cache-key.ts';
import {
  type AttachedApi,
  type Authorizer,
  apisIn,
  missedByDeployments,
  permissionsIn,
  type Route,
  type Template,
} from './api.ts';

/**
 * What holds for each example of docs/attach, in whatever form it is written. Each rule gives what is wrong in an API, or
 * in a template.
 */
interface Rule {
  readonly name: string;
  readonly wrong: (api: AttachedApi) => readonly string[];
}

const GATEHOUSE = /gatehouse-live-Authorizer(?:Arn|InvokeUri)|\$\{Gatehouse|\$\{AuthorizerInvokeUri\}/;
const nameOf = ({ method, path }: Route): string => `${method} ${path}`.trim();
const isOpen = (origins: readonly string[]): boolean => origins.length === 0 || origins.includes('*');
/** The routes that a caller calls, without preflights. */
const callsOf = ({ routes }: AttachedApi): readonly Route[] =>
  routes.filter(({ method }) => method !== 'OPTIONS');

const forAuthorizers =
  (wrong: (authorizer: Authorizer, api: AttachedApi) => string | undefined): Rule['wrong'] =>
  (api) =>
    Object.entries(api.authorizers).flatMap(([name, authorizer]) => {
      const found = wrong(authorizer, api);
      return found === undefined ? [] : [`${name}: ${found}`];
    });

const RULES: readonly Rule[] = [
  {
    name: 'the authorizer is that of the stack',
    wrong: (api) => [
      ...(Object.keys(api.authorizers).length === 0 ? ['no authorizer'] : []),
      ...forAuthorizers(({ uri }) => (GATEHOUSE.test(uri) ? undefined : `calls ${uri}`))(api),
    ],
  },
  {
    name: 'it gets the whole request',
    wrong: forAuthorizers(({ type }) => (type === 'REQUEST' ? undefined : `type ${type}`)),
  },
  {
    name: 'without a token it is not called',
    wrong: forAuthorizers(({ identitySources }) =>
      identitySources.some((source) => /\.header\.authorization$/i.test(source))
        ? undefined
        : `identity sources ${identitySources.join()}`,
    ),
  },
  {
    name: 'nothing is cached, or all that an answer rests on is in the key',
    wrong: forAuthorizers(({ ttl, identitySources }, { kind }) => {
      if (kind === 'WEBSOCKET')
        return ttl === undefined ? undefined : 'a TTL, which WebSocket APIs do not have';
      if (ttl === 0) return undefined;
      const key = identitySources.map((source) => readIdentitySource(source) ?? source);
      const full = ['header:authorization', 'path', 'verb', ...(kind === 'HTTP' ? ['routeKey'] : [])];
      const missing = full.filter((input) => !key.includes(input));
      return ttl !== undefined && missing.length === 0
        ? undefined
        : `caches for ${ttl ?? '300 (AWS)'} s without ${missing.join()}`;
    }),
  },
  {
    name: 'an HTTP API speaks version 2.0 with simple answers',
    wrong: forAuthorizers(({ payload, simple }, { kind }) =>
      kind !== 'HTTP' || (payload === '2.0' && simple) ? undefined : `version ${payload}, simple ${simple}`,
    ),
  },
  {
    name: 'every call is asked about; of a WebSocket API, $connect alone',
    wrong: (api) => [
      ...(callsOf(api).length === 0 ? ['no routes'] : []),
      ...(api.kind === 'WEBSOCKET' && !api.routes.some(({ method }) => method === '$connect')
        ? ['no $connect']
        : []),
      ...callsOf(api)
        .filter(({ method, authorizer }) => {
          const asked = api.kind !== 'WEBSOCKET' || method === '$connect';
          return asked !== (authorizer !== undefined && authorizer in api.authorizers);
        })
        .map(nameOf),
    ],
  },
  {
    name: 'a path with {id} leads to the same id of the backend',
    wrong: (api) => {
      if (api.kind === 'WEBSOCKET') return [];
      const withId = callsOf(api).filter(({ path }) => path.includes('{id}'));
      if (withId.length === 0) return ['no path with {id}'];
      return withId
        .filter(
          ({ integration, uri, parameters }) =>
            integration !== 'AWS_PROXY' &&
            !(
              uri.includes('{id}') &&
              (api.kind === 'HTTP' || parameters['integration.request.path.id'] === 'method.request.path.id')
            ),
        )
        .map(nameOf);
    },
  },
  {
    name: 'the backend learns who asks, and callers cannot say it',
    wrong: (api) => {
      const subject = api.kind === 'HTTP' ? '$context.authorizer.subject' : 'context.authorizer.subject';
      const parameter = api.kind === 'HTTP' ? /^overwrite:header\./ : /^integration\.request\.header\./;
      return callsOf(api)
        .filter(({ method, integration, parameters }) => {
          // Functions get the whole context. $connect may be accepted without a backend.
          if (integration === 'AWS_PROXY' || (integration === 'MOCK' && method === '$connect')) return false;
          return !Object.entries(parameters).some(([to, from]) => parameter.test(to) && from === subject);
        })
        .map(nameOf);
    },
  },
  {
    name: 'a preflight is answered without the authorizer, for named origins',
    wrong: ({ kind, cors, routes }) => {
      if (kind === 'WEBSOCKET') return [];
      if (kind === 'HTTP') {
        if (cors === undefined || isOpen(cors.origins)) return ['no origins'];
        const caught = routes.filter(({ method }) => ['OPTIONS', 'ANY', '$default'].includes(method));
        return [
          ...(cors.headers.some((each) => each.toLowerCase() === 'authorization')
            ? []
            : ['without the token']),
          ...routes.filter(({ method }) => !cors.methods.includes(method)).map(nameOf),
          // An own route for OPTIONS wins over the answer of API Gateway.
          ...caught.map(nameOf),
        ];
      }
      return [...new Set(routes.map(({ path }) => path))].flatMap((path) => {
        const preflight = routes.find((route) => route.path === path && route.method === 'OPTIONS');
        if (preflight === undefined) return [`none for ${path}`];
        const { integration, authorizer, headers } = preflight;
        const allowed = (name: string) =>
          (headers[`access-control-allow-${name}`] ?? '').toLowerCase().split(',');
        const called = routes
          .filter((route) => route.path === path)
          .map(({ method }) => method.toLowerCase());
        const right =
          integration === 'MOCK' &&
          authorizer === undefined &&
          !isOpen(allowed('origin').filter((each) => each !== '')) &&
          allowed('headers').includes('authorization') &&
          called.every((method) => method === 'options' || allowed('methods').includes(method));
        return right ? [] : [nameOf(preflight)];
      });
    },
  },
  {
    name: 'a page of that origin can read a 401, a 403 and a 500 of a REST API',
    wrong: ({ kind, answers }) => {
      if (kind !== 'REST') return [];
      const origin = (type: string) => answers[type]?.['access-control-allow-origin'];
      return [
        ...['UNAUTHORIZED', 'ACCESS_DENIED'].filter((type) =>
          isOpen([origin(type) ?? origin('DEFAULT_4XX') ?? '*']),
        ),
        ...['AUTHORIZER_FAILURE'].filter((type) => isOpen([origin(type) ?? origin('DEFAULT_5XX') ?? '*'])),
      ];
    },
  },
];

/** In a template: `arn:PARTITION:execute-api:REGION:ACCOUNT:API/…`, with the account and the API named. */
const SOURCE =
  /^arn:[^:]+(?:::Partition\})?:execute-api:.+:(?:\$\{AWS::AccountId\}|\$\{\w+\}|\d{12}):\$\{[\w.]+\}\/(.+)$/;

/** Who may invoke: an API of a named account, and the authorizer by authorizers of that API alone. */
const wrongPermissions = (template: Template): readonly string[] =>
  permissionsIn(template)
    .filter(({ function: name, principal, source }) => {
      const [, rest] = SOURCE.exec(source) ?? [];
      if (principal !== 'apigateway.amazonaws.com' || rest === undefined) return true;
      return GATEHOUSE.test(name) && !rest.startsWith('authorizers/');
    })
    .map(({ function: name, source }) => `${name} by ${source || 'anybody'}`);

/**
 * Everything that is wrong in a template.
 *
 * @param kinds the kinds of its APIs
 */
export function wrongIn(template: Template, kinds: readonly AttachedApi['kind'][]): readonly string[] {
  const apis = apisIn(template);
  const found = apis.map(({ kind }) => kind).sort();
  return [
    ...(found.join() === [...kinds].sort().join() ? [] : [`APIs: ${found.join() || 'none'}`]),
    ...apis.flatMap((api) =>
      RULES.flatMap(({ name, wrong }) => wrong(api).map((each) => `${name}: ${each}`)),
    ),
    ...wrongPermissions(template).map((each) => `who may invoke: ${each}`),
    ...missedByDeployments(template).map((each) => `deployed before it is there: ${each}`),
  ];
}
