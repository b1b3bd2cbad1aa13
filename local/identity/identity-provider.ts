import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { readBody, sendJson } from '../gateway/http.ts';
import { ownOnly } from '../gateway/own-requests.ts';
import { splitTarget } from '../gateway/request.ts';
import { messageOf } from '../message-of.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';

export interface IdentityProviderOptions {
  /** The origin followed by /_dev: OpenID Connect looks for its documents under the issuer. */
  readonly issuer: string;
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly findCaller: FindCaller;
}

/** Somebody who can log in: a user gets a JWT, a program the API token that was issued for it. */
export type LocalCaller =
  | { readonly kind: 'user'; readonly id: string; readonly email?: string }
  | { readonly kind: 'program'; readonly apiToken: string; readonly expiresAt: string };

/** The caller whom a name means: an email, a username, or another name that this stack knows; undefined for nobody. */
export type FindCaller = (name: string) => Promise<LocalCaller | undefined>;

const ALGORITHM = 'RS256';
/** Of a token that was asked for without `expiresIn`. */
const LIFETIME_SECONDS = 3_600;
const MAX_REQUEST_BYTES = 10_240;

/** A key pair for the life of the process; its id is the thumbprint of the public key (RFC 7638). */
async function createSigningKey(issuer: string, audience: string) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    publicJwk: { ...jwk, kid, alg: ALGORITHM, use: 'sig' },
    sign: (claims: JWTPayload, issuedAt: number, expiresAt: number) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(randomUUID())
        .sign(privateKey),
  };
}

interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly serve: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
}

const document = (content: unknown): Endpoint => ({
  method: 'GET',
  serve: async (_, outgoing) => sendJson(outgoing, 200, content),
});

/** The claim that the local authorizer and its guards take groups from. */
export const GROUPS_CLAIM = 'groups';

const claimsOf = ({ id, email }: Extract<LocalCaller, { kind: 'user' }>, groups: TokenRequest['groups']) => ({
  sub: id,
  [GROUPS_CLAIM]: groups,
  ...(email === undefined ? {} : { email, email_verified: true }),
});

/** The form of every error: a code for programs, a message that begins with the field for people. */
const refuse = (outgoing: ServerResponse, statusCode: number, error: string, message: string): void =>
  sendJson(outgoing, statusCode, { error, message });

/**
 * An identity provider for development: it issues a token for any user, without a password. Its documents
 * follow OpenID Connect Discovery 1.0 and its tokens RFC 7519, so that verifiers are configured as for a real
 * provider.
 *
 * Serves `POST /_dev/token`, `GET /_dev/.well-known/jwks.json` and `GET
 * /_dev/.well-known/openid-configuration`.
 */
export async function createIdentityProvider(options: IdentityProviderOptions): Promise<RequestListener> {
  const { issuer, audience, clock, findCaller } = options;
  const key = await createSigningKey(issuer, audience);

  const discovery = {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ALGORITHM],
  };

  async function issueToken(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming, MAX_REQUEST_BYTES);
    if (!body)
      return refuse(outgoing, 413, 'invalid_request', `body: longer than ${MAX_REQUEST_BYTES} bytes`);
    const request = readTokenRequest(body.toString('utf8'));
    if ('error' in request) return sendJson(outgoing, 400, request);
    const { user: name, expiresIn = LIFETIME_SECONDS, groups } = request;
    const caller = await findCaller(name);
    if (!caller) return refuse(outgoing, 404, 'unknown_user', `user: nobody is known as ${name}`);

    const issuedAt = Math.floor(clock() / 1_000);
    const [access_token, expires_in] =
      caller.kind === 'program'
        ? [caller.apiToken, Math.floor(Date.parse(caller.expiresAt) / 1_000) - issuedAt]
        : [await key.sign(claimsOf(caller, groups), issuedAt, issuedAt + expiresIn), expiresIn];
    const answer = { access_token, token_type: 'Bearer', expires_in };
    // RFC 6749, 5.1: a token must not be cached.
    sendJson(outgoing, 200, answer, { 'cache-control': 'no-store' });
  }

  const endpoints: ReadonlyMap<string, Endpoint> = new Map([
    ['/_dev/token', { method: 'POST', serve: issueToken }],
    ['/_dev/.well-known/jwks.json', document({ keys: [key.publicJwk] })],
    ['/_dev/.well-known/openid-configuration', document(discovery)],
  ]);

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { path } = splitTarget(incoming.url ?? '');
    const endpoint = endpoints.get(path);
    if (!endpoint) return refuse(outgoing, 404, 'not_found', `${path} is not served here`);
    if (incoming.method === endpoint.method) return endpoint.serve(incoming, outgoing);
    outgoing.setHeader('allow', endpoint.method);
    return refuse(outgoing, 405, 'method_not_allowed', `${path} takes ${endpoint.method}`);
  }

  return ownOnly(
    (incoming, outgoing) => {
      serve(incoming, outgoing).catch((error: unknown) => {
        // Incomplete: the client disconnected while sending.
        if (!incoming.complete) return outgoing.destroy();
        return refuse(outgoing, 500, 'server_error', messageOf(error));
      });
    },
    (outgoing, message) => refuse(outgoing, 403, 'access_denied', message),
  );
}
