/** An attribute, as `Schemas` describes it (RFC 7643 section 7). */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable';
  readonly returned: 'always' | 'default' | 'request';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

const attribute = (
  name: string,
  description: string,
  more: Partial<Omit<Attribute, 'name' | 'description'>> = {},
): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
/** In the form that Entra ID takes for attributes of one's own. */
export const IDENTITY_SCHEMA = 'urn:ietf:params:scim:schemas:extension:gatehouse:2.0:User';

/** Of what refers to another resource. */
const referring = (type: string, mutability: Attribute['mutability']) => [
  attribute('value', `The id of the ${type}.`, { caseExact: true, mutability }),
  attribute('$ref', `The address of the ${type}.`, {
    type: 'reference',
    referenceTypes: [type],
    caseExact: true,
    mutability,
  }),
];

const USER: readonly Attribute[] = [
  attribute('userName', 'The name of the user, unique within the connection.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('active', 'Whether the provider lets the user in.', { type: 'boolean', required: true }),
  attribute('displayName', 'The name that is shown.'),
  attribute('name', 'The parts of the name.', {
    type: 'complex',
    subAttributes: [attribute('givenName', 'The given name.'), attribute('familyName', 'The family name.')],
  }),
  attribute('emails', 'The address at work, of a domain that the tenant has verified. There is one.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address.'),
      attribute('type', 'Always `work`.', { canonicalValues: ['work'] }),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'The groups of the connection that the user is in.', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    returned: 'request',
    subAttributes: [
      ...referring('Group', 'readOnly'),
      attribute('display', 'The name of the group.', { mutability: 'readOnly' }),
    ],
  }),
];

const IDENTITY: readonly Attribute[] = [
  attribute('sub', "The `sub` of the user's tokens, at the issuer of the connection.", { caseExact: true }),
];

const GROUP: readonly Attribute[] = [
  attribute('displayName', 'The name of the group, unique within the connection.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('members', 'The users of the group, each of them a user of the connection.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      ...referring('User', 'immutable'),
      attribute('type', 'Always `User`.', { canonicalValues: ['User'], mutability: 'immutable' }),
    ],
  }),
];

/** What every resource has (RFC 7643 section 3.1): no schema lists it. */
const COMMON: readonly Attribute[] = [
  attribute('id', '', { caseExact: true, mutability: 'readOnly', returned: 'always' }),
  attribute('externalId', '', { caseExact: true }),
  attribute('schemas', '', { multiValued: true, mutability: 'readOnly', returned: 'always' }),
  attribute('meta', '', {
    type: 'complex',
    mutability: 'readOnly',
    subAttributes: [
      attribute('resourceType', '', { caseExact: true, mutability: 'readOnly' }),
      attribute('created', '', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('lastModified', '', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('location', '', { caseExact: true, mutability: 'readOnly' }),
    ],
  }),
];

/** Where an attribute is in a resource: the member, and the member of that. */
export interface AttributePlace {
  readonly at: readonly [string, string?];
  readonly attribute: Attribute;
}

export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: string;
  readonly attributes: readonly Attribute[];
  readonly extension?: { readonly schema: string; readonly attributes: readonly Attribute[] };
  /** Finds an attribute by its path, in any case, with or without the schema; undefined where there is none. */
  readonly find: (path: string) => AttributePlace | undefined;
}

function resourceType(type: Omit<ResourceType, 'find'>): ResourceType {
  const places = new Map<string, AttributePlace>();
  const add = (attributes: readonly Attribute[], prefix: string, within?: string): void => {
    for (const each of attributes) {
      const at = within === undefined ? ([each.name] as const) : ([within, each.name] as const);
      places.set(`${prefix}${each.name}`.toLowerCase(), { at, attribute: each });
      if (within === undefined) add(each.subAttributes ?? [], `${prefix}${each.name}.`, each.name);
    }
  };
  for (const prefix of ['', `${type.schema}:`]) add([...COMMON, ...type.attributes], prefix);
  if (type.extension) {
    const { schema, attributes } = type.extension;
    const whole = attribute(schema, '', { type: 'complex', subAttributes: attributes });
    places.set(schema.toLowerCase(), { at: [schema], attribute: whole });
    add(attributes, `${schema}:`, schema);
  }
  return { ...type, find: (path) => places.get(path.toLowerCase()) };
}

export const USERS = resourceType({
  name: 'User',
  endpoint: '/Users',
  description: 'Users of the connection.',
  schema: USER_SCHEMA,
  attributes: USER,
  extension: { schema: IDENTITY_SCHEMA, attributes: IDENTITY },
});

export const GROUPS = resourceType({
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of the connection.',
  schema: GROUP_SCHEMA,
  attributes: GROUP,
});

export const RESOURCE_TYPES = [USERS, GROUPS] as const;

/**
 * Attributes of RFC 7643 that are not held here. Providers send them by default, so they are left out in silence wherever
 * they come: an error would stop the sync of what is held.
 */
const LEFT_OUT =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?(?:nickName|profileUrl|title|userType|preferredLanguage|locale|timezone|password|phoneNumbers|ims|photos|addresses|entitlements|roles|x509Certificates|name\.(?:formatted|middleName|honorificPrefix|honorificSuffix))(?![\w-])/i;
const LEFT_OUT_SCHEMA = /^urn:ietf:params:scim:schemas:extension:enterprise:2\.0:User(?![\w-])/i;

export const isLeftOut = (path: string): boolean => LEFT_OUT.test(path) || LEFT_OUT_SCHEMA.test(path);
