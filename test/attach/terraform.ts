import type { Resource, Template } from './api.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of Terraform
type Json = any;

/** The resources of a Terraform file, as python-hcl2 parses it: `TYPE.NAME` to what is in the block. */
export type Blocks = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** python-hcl2 keeps the quotes of a text, and marks blocks. */
function plain(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('"') ? JSON.parse(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/^__\w+__$/.test(key))
      .map(([key, each]) => [plain(key), plain(each)]),
  );
}

/** The blocks of a kind (`resource`, `data`) in a file that python-hcl2 has parsed. */
export const blocksOf = (parsed: Json, kind: 'resource' | 'data'): Blocks =>
  Object.fromEntries(
    (plain(parsed)[kind] ?? []).flatMap((block: Json) =>
      Object.entries<Json>(block).flatMap(([type, named]) =>
        Object.entries<Json>(named).map(([name, body]) => [`${type}.${name}`, body]),
      ),
    ),
  );

/** A reference to a resource, its id or another attribute, as CloudFormation writes it. */
const withReferences = (value: Json): Json => {
  if (typeof value === 'string') {
    const text = value.replace(/\$\{data\.aws_cloudformation_export\.(\w+)\.value\}/g, `\${export.$1}`);
    return text.includes(`\${`)
      ? { 'Fn::Sub': text.replace(/\$\{(aws_\w+)\.(\w+)\.\w+\}/g, `\${$1-$2}`) }
      : text;
  }
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withReferences(each)]));
};

const id = (name: string): string => name.replace('.', '-');
const first = (value: Json): Json => (Array.isArray(value) ? value[0] : value);

/** Types of CloudFormation. What is not here has no part in the rules. */
const TYPES: Readonly<Record<string, string>> = {
  aws_api_gateway_rest_api: 'AWS::ApiGateway::RestApi',
  aws_api_gateway_authorizer: 'AWS::ApiGateway::Authorizer',
  aws_api_gateway_resource: 'AWS::ApiGateway::Resource',
  aws_api_gateway_method: 'AWS::ApiGateway::Method',
  aws_api_gateway_gateway_response: 'AWS::ApiGateway::GatewayResponse',
  aws_api_gateway_deployment: 'AWS::ApiGateway::Deployment',
  aws_apigatewayv2_api: 'AWS::ApiGatewayV2::Api',
  aws_apigatewayv2_authorizer: 'AWS::ApiGatewayV2::Authorizer',
  aws_apigatewayv2_integration: 'AWS::ApiGatewayV2::Integration',
  aws_apigatewayv2_route: 'AWS::ApiGatewayV2::Route',
  aws_lambda_permission: 'AWS::Lambda::Permission',
};
/** Properties that CloudFormation calls by another name. */
const RENAMED: Readonly<Record<string, string>> = {
  authorization: 'AuthorizationType',
  identity_sources: 'IdentitySource',
};
const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

/** The attributes of a block, by the names of CloudFormation, without what is for Terraform. */
const propertiesOf = ({ depends_on, triggers, lifecycle, ...block }: Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(block).map(([name, value]) => [
      RENAMED[name] ?? pascal(name),
      name === 'cors_configuration' ? propertiesOf(first(value)) : value,
    ]),
  );

/**
 * What a Terraform file makes, as a template of CloudFormation: as far as the rules look at it.
 *
 * @param parsed the file as python-hcl2 parses it
 */
export function templateOf(parsed: Json): Template {
  const blocks = Object.entries(blocksOf(parsed, 'resource'));
  const exports = Object.fromEntries(
    Object.entries(blocksOf(parsed, 'data')).map(([name, { name: exported }]) => [
      name.split('.')[1],
      exported,
    ]),
  );
  const resources: Record<string, Resource> = {};
  for (const [name, block] of blocks) {
    const Type = TYPES[name.split('.')[0] ?? ''];
    if (Type === undefined) continue;
    const Properties = JSON.parse(
      JSON.stringify(propertiesOf(block)).replace(
        /\$\{data\.aws_cloudformation_export\.(\w+)\.value\}/g,
        (_, each) => `\${import:${exports[each]}}`,
      ),
    );
    const DependsOn = [block.depends_on ?? []]
      .flat()
      .map((each: string) => id(each.replace(/^\$\{(.*)\}$/, '$1')));
    resources[id(name)] = { Type, DependsOn, Properties: withReferences(Properties) };
  }
  // In Terraform the integration of a method and its answers are resources of their own.
  for (const [name, block] of blocks) {
    const [type] = name.split('.');
    const method = id(methodOf(name, block, blocks));
    const properties = resources[method]?.Properties;
    if (properties === undefined) continue;
    if (type === 'aws_api_gateway_integration')
      properties.Integration = {
        ...properties.Integration,
        Type: block.type,
        Uri: block.uri,
        RequestParameters: block.request_parameters,
      };
    if (type === 'aws_api_gateway_integration_response')
      properties.Integration = {
        ...properties.Integration,
        IntegrationResponses: [{ ResponseParameters: block.response_parameters }],
      };
    if (/integration/.test(type ?? '')) resources[id(name)] = { Type: 'part', DependsOn: [method] };
  }
  return { Resources: resources };
}

/** The method that an integration belongs to: by `http_method`, over the integration where it is named instead. */
function methodOf(name: string, block: Json, blocks: readonly [string, Json][]): string {
  const [, named = ''] = /^\$\{(\w+\.\w+)\.http_method\}$/.exec(block.http_method ?? '') ?? [];
  if (named === '' || named === name || named.startsWith('aws_api_gateway_method.')) return named;
  const found = blocks.find(([each]) => each === named);
  return found === undefined ? '' : methodOf(found[0], found[1], blocks);
}
