import * as z from 'zod';
import { COMMON, LOGGING, SHAPE } from '../../authorizer/configuration.ts';
import { ONE_ISSUER, SEVERAL_ISSUERS } from '../../authorizer/credentials/configuration.ts';
import { SOCKETS } from '../../authorizer/sockets/compose.ts';
import { OWN } from '../../authzen/configuration.ts';
import { LOCAL } from '../../local/configuration.ts';
import { PROVISIONING } from '../../provisioning/compose.ts';
import { markdownTable } from '../../provisioning/documents/table.ts';
import { SCIM } from '../../scim/configuration.ts';
import said from './variables.json' with { type: 'json' };

// The variables of docs/configuration.md. Which ones a process reads, which are required and what their defaults are is
// in its schema; what they are is in variables.json, for the bundles of functions have no room for sentences.

const OF_ISSUERS = { ...SEVERAL_ISSUERS, ...ONE_ISSUER };
export const OF_AUTHORIZER = { ...SHAPE, ...OF_ISSUERS };
/** Of whatever verifies callers as the authorizer does. */
export const OF_SERVICE = { ...COMMON, ...OF_ISSUERS };
const { LOG_LEVEL: _, ...OF_DECISION_LOG } = LOGGING;
export const OF_MIDDLEWARE = { ...OF_SERVICE, ...OF_DECISION_LOG };

type Shape = Readonly<Record<string, z.core.$ZodType>>;
/** What variables are; then, where their schema has no default, what holds as long as they are not set. */
type SaidOf<Name extends PropertyKey> = Readonly<Record<Name, readonly string[]>>;

const AUTHORIZER: SaidOf<keyof typeof OF_AUTHORIZER> = said.authorizer;
const code = (text: string): string => `\`${text}\``;

/**
 * The variables of a process.
 *
 * @param own what is said of those that the authorizer does not have, or that are another thing there; of no others
 */
function tableOf<S extends Shape, Own extends SaidOf<Exclude<keyof S, keyof typeof OF_AUTHORIZER>>>(
  shape: S,
  own: Own & Readonly<Record<Exclude<keyof Own, keyof S>, never>>,
): string {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(shape), {
    io: 'input',
    unrepresentable: 'any',
  });
  const rows = Object.entries<readonly string[]>({ ...AUTHORIZER, ...own })
    .filter(([name]) => name in shape)
    .map(([name, [what = '', unset = required.includes(name) ? 'required' : 'none']]) => {
      const { default: usual } = z.object({ default: z.string().optional() }).parse(properties[name]);
      return [code(name), usual === undefined ? unset : code(usual), what];
    });
  return markdownTable(['variable', 'default', 'what it is'], rows);
}

/** What docs/configuration.md shows, by the names of its places. */
export const VARIABLES = {
  'variables of the authorizer': () => tableOf(OF_AUTHORIZER, said.authorizer),
  'variables of the middleware': () => {
    const others = Object.keys(AUTHORIZER).filter((name) => !(name in OF_MIDDLEWARE));
    return `They are all of the authorizer's but ${others.map(code).join(', ')}.`;
  },
  'variables of authzen': () => tableOf(OWN.shape, said.authzen),
  'variables of scim': () => tableOf(SCIM.shape, said.scim),
  'variables of provisioning': () => tableOf(PROVISIONING.shape, said.provisioning),
  'variables of live revocation': () => tableOf(SOCKETS.shape, said.sockets),
  'variables of the local stack': () => tableOf(LOCAL.shape, said.local),
};
