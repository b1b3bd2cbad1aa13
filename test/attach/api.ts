/**
 * An API of API Gateway with its authorizers, read from a CloudFormation template: from single resources, or from an
 * OpenAPI body, as SAM writes it.
 */
export interface AttachedApi {
  readonly kind: 'REST' | 'HTTP' | 'WEBSOCKET';
  readonly authorizers: Readonly<Record<string, Authorizer>>;
  readonly routes: readonly Route[];
  /** HTTP APIs answer preflight requests by this. */
  readonly cors: Cors | undefined;
  /** What API Gateway itself answers in a REST API: the type of the response, and its headers in small letters. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Authorizer {
  readonly type: string;
  readonly uri: string;
  /** The role that API Gateway invokes with, instead of a permission of the function. */
  readonly role: string | undefined;
  readonly identitySources: readonly string[];
  /** In seconds; undefined where nothing says it. */
  readonly ttl: number | undefined;
  readonly payload: string | undefined;
  readonly simple: boolean;
}

export interface Route {
  /** The verb; of a WebSocket API, the route key. */
  readonly method: string;
  /** The path; of a WebSocket API, the empty text. */
  readonly path: string;
  /** The name of its authorizer in `authorizers`. */
  readonly authorizer: string | undefined;
  /** `AWS_PROXY`, `HTTP_PROXY`, `MOCK`, …; undefined without an integration. */
  readonly integration: string | undefined;
  readonly uri: string;
  /** What the integration gets: parameter to source. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The headers of the answer of a mock, in small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Cors {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
}

/** Who may invoke which function. */
export interface InvokePermission {
  readonly function: string;
  readonly principal: string;
  readonly source: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a document of CloudFormation
type Json = any;

export interface Resource {
  readonly Type: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties?: Json;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

/** A value with CloudFormation's functions as one text: `${Name}`, `${Name.Attribute}`, `${import:EXPORT}`. */
function textOf(value: Json): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  if ('Ref' in value) return `\${${value.Ref}}`;
  if ('Fn::GetAtt' in value) return `\${${[value['Fn::GetAtt']].flat().join('.')}}`;
  if ('Fn::ImportValue' in value) return `\${import:${textOf(value['Fn::ImportValue'])}}`;
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map(textOf).join(separator);
  }
  if ('Fn::Sub' in value) {
    const [text, names] = [value['Fn::Sub']].flat() as [string, Json];
    return text.replace(/\$\{(\w+)\}/g, (whole, name) =>
      names !== undefined && name in names ? textOf(names[name]) : whole,
    );
  }
  return JSON.stringify(value);
}

/** The logical id in a reference. */
const idIn = (value: Json): string => /\$\{([\w.-]+)\}/.exec(textOf(value))?.[1] ?? '';

const ofType = (template: Template, type: string): [string, Json][] =>
  Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, { Properties }]) => [id, Properties ?? {}]);

const textsOf = (entries: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(entries ?? {}).map(([name, value]) => [name, textOf(value)]));

const listOf = (value: Json): readonly string[] =>
  Array.isArray(value)
    ? value.map(textOf)
    : textOf(value)
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');

/** The headers among response parameters, which API Gateway writes with a prefix and quoted. */
const headersIn = (parameters: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(textsOf(parameters)).flatMap(([name, value]) => {
      const [, header] = /^(?:method\.response|gatewayresponse)\.header\.(.+)$/.exec(name) ?? [];
      return header === undefined ? [] : [[header.toLowerCase(), value.replace(/^'(.*)'$/, '$1')]];
    }),
  );

const authorizerOf = (read: (name: string) => Json, type: Json): Authorizer => ({
  type: textOf(type).toUpperCase(),
  uri: textOf(read('authorizerUri')),
  role: textOf(read('authorizerCredentials') ?? read('authorizerCredentialsArn')) || undefined,
  identitySources: listOf(read('identitySource')),
  ttl: read('authorizerResultTtlInSeconds'),
  payload: read('authorizerPayloadFormatVersion'),
  simple: read('enableSimpleResponses') === true,
});

/** Reads properties that CloudFormation writes with a capital. */
const capital =
  (properties: Json) =>
  (name: string): Json =>
    properties[name[0]?.toUpperCase() + name.slice(1)];

function readRest(template: Template, api: string): AttachedApi {
  const own = (type: string): [string, Json][] =>
    ofType(template, `AWS::ApiGateway::${type}`).filter(([, { RestApiId }]) => idIn(RestApiId) === api);
  const resources = Object.fromEntries(own('Resource'));
  const pathOf = (id: string): string => {
    const found = resources[id];
    return found === undefined ? '' : `${pathOf(idIn(found.ParentId))}/${found.PathPart}`;
  };
  return {
    kind: 'REST',
    cors: undefined,
    authorizers: Object.fromEntries(
      own('Authorizer').map(([id, properties]) => [id, authorizerOf(capital(properties), properties.Type)]),
    ),
    routes: own('Method').map(
      ([, { HttpMethod, ResourceId, AuthorizationType, AuthorizerId, Integration }]) => ({
        method: HttpMethod,
        path: pathOf(idIn(ResourceId)) || '/',
        authorizer: AuthorizationType === 'CUSTOM' ? idIn(AuthorizerId) : undefined,
        integration: Integration?.Type,
        uri: textOf(Integration?.Uri),
        parameters: textsOf(Integration?.RequestParameters),
        headers: headersIn(Integration?.IntegrationResponses?.[0]?.ResponseParameters),
      }),
    ),
    answers: Object.fromEntries(
      own('GatewayResponse').map(([, { ResponseType, ResponseParameters }]) => [
        ResponseType,
        headersIn(ResponseParameters),
      ]),
    ),
  };
}

function readV2(template: Template, api: string, properties: Json): AttachedApi {
  const own = (type: string): [string, Json][] =>
    ofType(template, `AWS::ApiGatewayV2::${type}`).filter(([, { ApiId }]) => idIn(ApiId) === api);
  const integrations = Object.fromEntries(own('Integration'));
  const { CorsConfiguration: cors, ProtocolType: kind } = properties;
  return {
    kind,
    cors: cors && {
      origins: listOf(cors.AllowOrigins),
      methods: listOf(cors.AllowMethods),
      headers: listOf(cors.AllowHeaders),
    },
    authorizers: Object.fromEntries(
      own('Authorizer').map(([id, each]) => [id, authorizerOf(capital(each), each.AuthorizerType)]),
    ),
    routes: own('Route').map(([, { RouteKey, AuthorizationType, AuthorizerId, Target }]) => {
      const integration = integrations[idIn(Target)];
      const [method = '', path = ''] = RouteKey.split(' ');
      return {
        method,
        path,
        authorizer: AuthorizationType === 'CUSTOM' ? idIn(AuthorizerId) : undefined,
        integration: integration?.IntegrationType,
        uri: textOf(integration?.IntegrationUri),
        parameters: textsOf(integration?.RequestParameters),
        headers: {},
      };
    }),
    answers: {},
  };
}

/** OpenAPI, with the extensions of API Gateway. */
function readBody(kind: 'REST' | 'HTTP', body: Json): AttachedApi {
  const schemes = body.components?.securitySchemes ?? body.securityDefinitions ?? {};
  const cors = body['x-amazon-apigateway-cors'];
  return {
    kind,
    cors: cors && {
      origins: listOf(cors.allowOrigins),
      methods: listOf(cors.allowMethods),
      headers: listOf(cors.allowHeaders),
    },
    authorizers: Object.fromEntries(
      Object.entries<Json>(schemes).map(([name, scheme]) => {
        const authorizer = scheme['x-amazon-apigateway-authorizer'];
        return [name, authorizerOf((each) => authorizer[each], authorizer.type)];
      }),
    ),
    routes: Object.entries<Json>(body.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => {
        const integration = operation['x-amazon-apigateway-integration'];
        return {
          method: method.toUpperCase(),
          path,
          authorizer: Object.keys(operation.security?.[0] ?? {})[0],
          integration: integration?.type?.toUpperCase(),
          uri: textOf(integration?.uri),
          parameters: textsOf(integration?.requestParameters),
          headers: headersIn(integration?.responses?.default?.responseParameters),
        };
      }),
    ),
    answers: Object.fromEntries(
      Object.entries<Json>(body['x-amazon-apigateway-gateway-responses'] ?? {}).map(([type, answer]) => [
        type,
        headersIn(answer.responseParameters),
      ]),
    ),
  };
}

/** The APIs of a template. */
export const apisIn = (template: Template): readonly AttachedApi[] => [
  ...ofType(template, 'AWS::ApiGateway::RestApi').map(([id, { Body }]) =>
    Body === undefined ? readRest(template, id) : readBody('REST', Body),
  ),
  ...ofType(template, 'AWS::ApiGatewayV2::Api').map(([id, properties]) =>
    properties.Body === undefined ? readV2(template, id, properties) : readBody('HTTP', properties.Body),
  ),
];

/** The permissions to invoke that a template gives. */
export const permissionsIn = (template: Template): readonly InvokePermission[] =>
  ofType(template, 'AWS::Lambda::Permission').map(([, { FunctionName, Principal, SourceArn }]) => ({
    function: textOf(FunctionName),
    principal: textOf(Principal),
    source: textOf(SourceArn),
  }));

/** What a deployment of a REST API is made before, although it belongs into it: logical ids. */
export function missedByDeployments(template: Template): readonly string[] {
  const references = (id: string): string[] => {
    const resource = template.Resources[id];
    const text = JSON.stringify(resource ?? {});
    return [
      ...[resource?.DependsOn ?? []].flat(),
      ...[...text.matchAll(/"Ref":"([^"]+)"|"Fn::GetAtt":\["([^"]+)"|\$\{([\w-]+)[.}]/g)].map(
        ([, ref, attribute, sub]) => ref ?? attribute ?? sub ?? '',
      ),
    ];
  };
  const parts = Object.entries(template.Resources).filter(([, { Type }]) =>
    ['AWS::ApiGateway::Method', 'AWS::ApiGateway::GatewayResponse'].includes(Type),
  );
  return ofType(template, 'AWS::ApiGateway::Deployment').flatMap(([deployment]) => {
    const before = new Set([deployment]);
    for (const id of before) for (const each of references(id)) before.add(each);
    return parts.map(([id]) => id).filter((id) => !before.has(id));
  });
}
