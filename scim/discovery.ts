import { MAX_BODY } from '../authorizer/service/http.ts';
import { notFound } from './errors.ts';
import { MOST_RESULTS } from './page.ts';
import { type Attribute, RESOURCE_TYPES, type ResourceType } from './schema.ts';

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0';

type Document = Readonly<Record<string, unknown>> & { readonly id?: string };
type Documents = Document | readonly Document[];

/** What the server can do (RFC 7643 section 5). */
const serviceProviderConfig = (base: string): Document => ({
  schemas: [`${SCHEMAS}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: MAX_BODY },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Credential of the connection',
      description: 'A text that gatehouse makes for the connection, sent as a bearer token.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const resourceTypeOf = ({ name, endpoint, description, schema, extension }: ResourceType, base: string) => ({
  schemas: [`${SCHEMAS}:ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema,
  schemaExtensions: extension ? [{ schema: extension.schema, required: false }] : [],
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

const schemaOf = (
  id: string,
  name: string,
  description: string,
  attributes: readonly Attribute[],
  base: string,
) => ({
  schemas: [`${SCHEMAS}:Schema`],
  id,
  name,
  description,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

const schemasOf = (base: string) =>
  RESOURCE_TYPES.flatMap(({ name, description, schema, attributes, extension }) => [
    schemaOf(schema, name, description, attributes, base),
    ...(extension
      ? [schemaOf(extension.schema, 'Identity', 'How the user signs in.', extension.attributes, base)]
      : []),
  ]);

/** The documents of discovery (RFC 7644 section 4), by their paths. */
export const DISCOVERY = new Map<string, (base: string) => Documents>([
  ['ServiceProviderConfig', serviceProviderConfig],
  ['ResourceTypes', (base) => RESOURCE_TYPES.map((each) => resourceTypeOf(each, base))],
  ['Schemas', schemasOf],
]);

/** One document of several. Throws ScimError 404. */
export function documentWith(documents: Documents, id: string): Document {
  const found = Array.isArray(documents) ? documents.find((each) => each.id === id) : undefined;
  if (found === undefined) throw notFound();
  return found;
}
