import { type Authorizer, createHandlerFrom } from '../../authorizer/index.ts';
import { roleAttribute } from '../../table/decision/attributes.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, decisionKey, edgeKey, globalKey } from '../../table/keys.ts';
import { ALICE, AUDIENCE, decisionItem, ISSUER, type Issuer, PLACE, TTL_0 } from './support.ts';

/** Composed authorizers over a table, and what they answer. */
type Overrides = NonNullable<Parameters<typeof createHandlerFrom>[1]>;
type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of an authorizer of one issuer, where API Gateway caches nothing. */
export const VARIABLES = {
  TABLE_NAME: 'gatehouse',
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
  RESULT_CACHE: TTL_0,
} as const;

/** What it is made of beside: the issuer serves its key, and nothing is logged. */
export const partsFor = <P extends Overrides & { readonly clock: Required<Pick<Overrides, 'wait'>> }>(
  issuer: Pick<Issuer, 'jwk'>,
  parts: P,
) => ({
  wait: parts.clock.wait,
  random: () => 0,
  fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
  log: () => undefined,
  ...parts,
});

export const serveFor = (
  issuer: Pick<Issuer, 'jwk'>,
  parts: Parameters<typeof partsFor>[1],
  env: Variables = {},
): Authorizer => createHandlerFrom({ ...VARIABLES, ...env }, partsFor(issuer, parts));

/** What an authorizer says: `allow`, the reason of a denial, or the message of an error; and what a policy covers. */
export async function answerOf(authorizer: Authorizer, event: unknown) {
  const answer = await authorizer(event).catch((error: Error) => error.message);
  if (typeof answer === 'string') return { said: answer, coverage: undefined };
  const isAllowed =
    'isAuthorized' in answer
      ? answer.isAuthorized
      : answer.policyDocument.Statement.some(({ Effect }) => Effect === 'Allow');
  const context = 'resolverContext' in answer ? answer.resolverContext : answer.context;
  return { said: isAllowed ? 'allow' : String(context.reason), coverage: context.coverage };
}

/** What it says, and nothing else. */
export const answerTo = async (authorizer: Authorizer, event: unknown): Promise<string> =>
  (await answerOf(authorizer, event)).said;

export const ROLE = '01J8X2W3Y4Z5A6B7C8D9E0F1R1';

/** Alice holds a global role that opens the roster; the place is a root of its own. */
export const rosterItems = (): readonly Item[] => [
  decisionItem(decisionKey({ type: 'user', id: ALICE }), { status: 'active', roles: new Set([ROLE]) }),
  decisionItem(decisionKey({ type: 'location', id: PLACE }), { status: 'active' }),
  decisionItem(decisionKey({ type: 'page', id: 'roster' }), { registered: true, allow: new Set([ROLE]) }),
  decisionItem(globalKey(), { [roleAttribute(ROLE)]: '' }),
];

/** A route of an API, to the pages of a place unless the changes say otherwise. */
export const routeItem = (api = 'default', changes: Readonly<Record<string, unknown>> = {}): Item => ({
  ...edgeKey(apiRef(api), { type: 'route', id: 'r1' }),
  id: 'r1',
  method: 'GET',
  path: '/locations/{id}/pages/{page}',
  permission: '{page}',
  scope: 'location:{id}',
  ...changes,
});

export const revisionItem = (api = 'default'): Item => decisionItem(apiRevisionKey(api));
