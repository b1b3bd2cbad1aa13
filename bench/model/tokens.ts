import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { sendJson } from '../../local/gateway/http.ts';
import { listen } from '../../local/server.ts';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://api.example';

/** The environment of an authorizer that takes these tokens, and whose results API Gateway does not cache. */
export const TOKEN_ENVIRONMENT = {
  RESULT_CACHE: '{"default":{"ttl":0}}',
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
} as const;

export type TokenSource = Awaited<ReturnType<typeof createTokenSource>>;

/**
 * One key of the issuer, and access tokens as long as an identity provider's are.
 *
 * @param lifetimeSeconds of a token; ten hours unless given
 */
export async function createTokenSource(alg: 'RS256' | 'ES256', lifetimeSeconds = 36_000) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = `key-of-${alg}`;
  const now = Math.floor(Date.now() / 1_000);
  let made = 0;
  return {
    alg,
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    publicKey,
    /** A new token of the user with this id; `more` in place of the usual claims. */
    token: (user: string, more: JWTPayload = {}): Promise<string> =>
      new SignJWT({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: user,
        iat: now,
        auth_time: now,
        exp: now + lifetimeSeconds,
        jti: `8f14e45f-ceea-467f-a0e6-${String(++made).padStart(12, '0')}`,
        client_id: '5h57kf5e3f3hkeg8f3h2l0kq1p',
        token_use: 'access',
        scope: 'openid profile email dashboards.read dashboards.write',
        username: user,
        origin_jti: '9d2f3c1a-0b4e-4f6a-8c7d-5e1f2a3b4c5d',
        event_id: '1f2e3d4c-5b6a-4789-9a8b-7c6d5e4f3a2b',
        version: 2,
        ...more,
      })
        .setProtectedHeader({ alg, kid, typ: 'JWT' })
        .sign(privateKey),
  };
}

/** In place of `fetch`: whatever is fetched, it is the issuer's keys. */
export const answerKeys =
  (...sources: readonly TokenSource[]) =>
  async (): Promise<Response> =>
    Response.json({ keys: sources.map(({ jwk }) => jwk) });

/** A server that answers with the issuer's key. */
export async function serveKeys({ jwk }: TokenSource) {
  const { port, serve, stop } = await listen(0, 'PORT');
  serve((_, outgoing) => sendJson(outgoing, 200, { keys: [jwk] }));
  return { url: `http://127.0.0.1:${port}/keys`, stop };
}
