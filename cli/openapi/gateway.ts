/** What API Gateway's own extensions say of a document: which operations stand behind a Lambda authorizer. */
export interface Gateway {
  /** Whether the document is one of API Gateway at all; of others nothing of the kind can be said. */
  readonly isGateway: boolean;
  /** Security schemes that are Lambda authorizers. */
  readonly authorizers: ReadonlySet<string>;
  /** Names of the schemes that operations need which say nothing themselves. */
  readonly byDefault: readonly string[];
}

type Mapping = Readonly<Record<string, unknown>>;

const AUTHORIZER = 'x-amazon-apigateway-authorizer';
const INTEGRATION = 'x-amazon-apigateway-integration';

const mappingIn = (holder: unknown, key: string): Mapping => {
  const value = typeof holder === 'object' && holder !== null ? (holder as Mapping)[key] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
};

/** `token` and `request` are Lambda functions; `jwt` and `cognito_user_pools` are not. */
const isLambda = (scheme: unknown): boolean =>
  ['token', 'request'].includes(String(mappingIn(scheme, AUTHORIZER).type).toLowerCase());

/** Names of all schemes in a list of requirements. `{}` among them lets everybody in. */
function schemesIn(security: unknown): readonly string[] {
  if (!Array.isArray(security)) return [];
  if (security.some((each) => typeof each === 'object' && each !== null && Object.keys(each).length === 0))
    return [];
  return security.flatMap((each) => (typeof each === 'object' && each !== null ? Object.keys(each) : []));
}

/** Reads what is needed of the whole document. */
export function gatewayOf(document: Mapping): Gateway {
  const schemes = Object.entries(mappingIn(mappingIn(document, 'components'), 'securitySchemes'));
  const items = Object.values(mappingIn(document, 'paths'));
  const hasIntegration = items.some(
    (item) =>
      typeof item === 'object' &&
      item !== null &&
      Object.values(item).some((operation) =>
        Object.keys(mappingIn({ operation }, 'operation')).includes(INTEGRATION),
      ),
  );
  return {
    isGateway: hasIntegration || schemes.some(([, scheme]) => AUTHORIZER in mappingIn({ scheme }, 'scheme')),
    authorizers: new Set(schemes.filter(([, scheme]) => isLambda(scheme)).map(([name]) => name)),
    byDefault: schemesIn(document.security),
  };
}

/** Whether a Lambda authorizer stands before an operation; undefined when the document cannot tell. */
export function behindAuthorizer(
  { isGateway, authorizers, byDefault }: Gateway,
  operation: Mapping,
): boolean | undefined {
  if (!isGateway) return undefined;
  const schemes = operation.security === undefined ? byDefault : schemesIn(operation.security);
  return schemes.some((name) => authorizers.has(name));
}
