import { createLogged } from '../support/log.ts';
import { createWorld } from '../support/world.ts';
import { serveFor } from './served.ts';
import { AUDIENCE, createIssuer, ISSUER } from './support.ts';

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
