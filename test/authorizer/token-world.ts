import { mean } from '../support/external-groups.ts';
import { createLogged } from '../support/log.ts';
import { createWorld } from '../support/world.ts';
import { serveFor } from './served.ts';
import { AUDIENCE, createIssuer, ISSUER } from './support.ts';

const ACME = `
pages: [vault, lobby]
scopes: { Acme: { id: acme, type: tenant } }
roles:
  keeper: { id: keeper, owner: Acme, allow: [vault, lobby] }
  visitor: { id: visitor, owner: Acme, allow: [lobby] }
groups: { Keepers: { id: keepers, scope: Acme, roles: [keeper] } }
users:
  ann: { id: ann, grants: { Acme: [keeper] } }
  ben: { id: ben, grants: { Acme: [visitor] } }
  cat: { id: cat, grants: { Acme: [keeper] } }
subjects: { bot: { type: agent, id: bot, grants: { Acme: [keeper] } } }
routes:
  - { method: GET, path: /vault, permission: vault, scope: tenant:acme }
  - { method: GET, path: /lobby, permission: lobby, scope: tenant:acme }
  - { method: CONNECT, path: /$connect, permission: vault, scope: tenant:acme }
  - { method: GRAPHQL, path: /, permission: vault, scope: tenant:acme }
`;

/** Ann, Cat and a bot may use the vault, and Ben with a token that names the group `key staff`; Ben alone the lobby. */
export async function createAcme() {
  const made = await createTokenWorld(ACME);
  await mean(made.world, 'tenant:acme', ISSUER, { 'key staff': ['keepers', 'tenant:acme'] });
  made.world.settle();
  return made;
}

/** The world of a manifest, an issuer whose tokens name its people, and authorizers that take them. */
export async function createTokenWorld(manifest: string) {
  const world = await createWorld(manifest);
  const issuer = await createIssuer();
  const { write, take } = createLogged();

  /** A token of Ann, unless the claims say otherwise, for so many seconds. */
  function tokenWith(claims: Record<string, unknown> = {}, seconds = 600): Promise<string> {
    const now = Math.floor(world.clock.now() / 1_000);
    return issuer.token({ sub: 'ann', iat: now, exp: now + seconds, ...claims });
  }

  /** The variables of who takes tokens by this entry of `TOKEN_ISSUERS`. */
  const issuersOf = (entry: object) => ({
    TOKEN_ISSUERS: JSON.stringify([{ issuer: ISSUER, audience: AUDIENCE, ...entry }]),
  });

  const serve = (entry: object, env: Record<string, string> = {}) =>
    serveFor(
      issuer,
      { ...world, log: write },
      {
        TOKEN_ISSUER: undefined,
        TOKEN_AUDIENCE: undefined,
        POLICY_COVERS: 'route',
        ...issuersOf(entry),
        ...env,
      },
    );

  const fetch = async () => new Response(JSON.stringify({ keys: [issuer.jwk] }));
  return { world, take, tokenWith, issuersOf, serve, fetch };
}
