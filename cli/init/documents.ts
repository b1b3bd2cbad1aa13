import { isBuiltIn } from '../../table/entities/scope-types.ts';
import type { Answers } from './answers.ts';

/** Words that YAML does not read as text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text in YAML, in quotes where it takes them. */
const yaml = (text: string): string =>
  /^[A-Za-z][\w.-]*(?:@[\w.-]+)?$/.test(text) && !NO_TEXT.test(text) ? text : JSON.stringify(text);

const plural = (word: string): string => {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
};

/** The verbs of requests that do such actions; all others are POST. */
const METHODS: readonly (readonly [string, RegExp])[] = [
  ['GET', /^(?:read|list|get|view|show|see|search|find|use)$/],
  ['PUT', /^(?:update|edit|change|set|write)$/],
  ['DELETE', /^(?:delete|remove)$/],
];

/** The request that a permission is for: `reports` is a page, `orders:read:order` a collection of orders. */
function requestOf(protect: string): { readonly method: string; readonly last: string } {
  const [, action = '', resource] = protect.split(':');
  if (resource === undefined) return { method: 'GET', last: protect };
  const [method] = METHODS.find(([, actions]) => actions.test(action)) ?? ['POST'];
  return { method, last: plural(resource) };
}

/** Where editors find the schemas of both files. */
const SCHEMAS = '../node_modules/gatehouse-authz/docs/schemas';

/** A first manifest: two roots, and a user who may do one thing in one of them. */
export function firstManifest({ root, protect, email }: Answers): string {
  const { method, last } = requestOf(protect);
  const parameter = root.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const isPage = !protect.includes(':');
  return `# yaml-language-server: $schema=${SCHEMAS}/manifest.schema.json
# Who may do what, and where. All names here are yours: change them.

# What is protected: pages, or permissions as module:action:resource.
${isPage ? 'pages' : 'permissions'}: [${yaml(protect)}]

# Where: nobody sees from one ${root} into another. Places within one name it as their parent.
${isBuiltIn(root) ? '' : `scopeTypes:\n  ${yaml(root)}: { root: true }\n`}scopes:
  acme: { type: ${yaml(root)}, id: acme }
  globex: { type: ${yaml(root)}, id: globex }

# A role is a named set of permissions.
roles:
  manager: { allow: [${yaml(protect)}] }

# Who has which roles, and where.
users:
  ${yaml(email)}: { tenant: acme, grants: { acme: [manager] } }

# Which request takes which permission, and where: {${parameter}} is the id in the path.
routes:
  - method: ${method}
    path: ${JSON.stringify(`/${plural(root)}/{${parameter}}/${last}`)}
    permission: ${yaml(protect)}
    scope: ${JSON.stringify(`${root}:{${parameter}}`)}
`;
}

/** Tests of the first manifest: one question that is answered with yes, and one with no. */
export const firstTests = ({ root, protect, email }: Answers): string =>
  `# yaml-language-server: $schema=${SCHEMAS}/model-test.schema.json
# Questions about the manifest, each with the answer that you expect.
manifest: ./manifest.yaml

tests:
  - name: a manager may use ${protect} in their own ${root}
    subject: ${yaml(email)}
    permission: ${yaml(protect)}
    scope: acme
    expect: allow

  - name: but not in another one
    subject: ${yaml(email)}
    permission: ${yaml(protect)}
    scope: globex
    expect: no_grant
`;
