import { isObject, type JsonObject } from '../../table/json.ts';

const AUTHORIZER = 'x-amazon-apigateway-authorizer';
const INTEGRATION = 'x-amazon-apigateway-integration';

/** A mapping within another; empty where there is none. */
const mappingIn = (holder: unknown, key: string): JsonObject => {
  const value = isObject(holder) ? holder[key] : undefined;
  return isObject(value) ? value : {};
};

/** `token` and `request` are Lambda functions; `jwt` and `cognito_user_pools` are not. */
const isLambda = (scheme: unknown): boolean =>
  ['token', 'request'].includes(String(mappingIn(scheme, AUTHORIZER).type).toLowerCase());

/**
 * Names of all schemes in a list of alternatives. `{}` among them, or a malformed one, allows requests without
 * credentials.
 */
function schemesIn(security: unknown): readonly string[] {
  if (!Array.isArray(security)) return [];
  const alternatives = security.map((each) => (isObject(each) ? Object.keys(each) : []));
  return alternatives.some((names) => names.length === 0) ? [] : alternatives.flat();
}

/**
 * Reads from the extensions of API Gateway which operations a Lambda authorizer guards.
 *
 * @returns whether an operation is guarded; undefined where the document is not one of API Gateway
 */
export function guardedBy(document: JsonObject): (operation: JsonObject) => boolean | undefined {
  const components = mappingIn(document, 'components');
  const schemes = Object.entries(mappingIn(components, 'securitySchemes'));
  // A path may refer to an item among the components.
  const items = [mappingIn(document, 'paths'), mappingIn(components, 'pathItems')].flatMap(Object.values);
  const operations = items.flatMap((item) => (isObject(item) ? Object.values(item).filter(isObject) : []));
  const isGateway =
    operations.some((operation) => INTEGRATION in operation) ||
    schemes.some(([, scheme]) => isObject(scheme) && AUTHORIZER in scheme);
  if (!isGateway) return () => undefined;
  const authorizers = new Set(schemes.filter(([, scheme]) => isLambda(scheme)).map(([name]) => name));
  return ({ security = document.security }) => schemesIn(security).some((name) => authorizers.has(name));
}
