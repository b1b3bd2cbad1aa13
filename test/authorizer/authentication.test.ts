import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthenticationOptions,
  createAuthentication,
  createReadCredentials,
  type KeySource,
  type TrustedIssuer,
} from '../../authorizer/index.ts';
import { createClock } from '../support/world.ts';
import {
  AUDIENCE,
  base64url,
  createFixedKeys,
  createIssuer,
  goodClaims,
  ISSUER,
  type Issuer,
  NOW,
} from './support.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});

type Changes = Partial<TrustedIssuer & Omit<AuthenticationOptions, 'issuers'>>;

/** From the values of the Authorization header to claims. */
const authenticate = async (authorization: readonly string[], changes: Changes = {}) => {
  const one = {
    keys: issuer.keys,
    issuer: ISSUER,
    audience: [AUDIENCE, 'mobile'],
    algorithms: ['RS256'],
    maxBytes: 4_096,
    ttlMs: 0,
    cacheBytes: 65_536,
    clock: createClock(),
    ...changes,
  };
  const token = createReadCredentials()({ kind: 'http', authorization });
  return createAuthentication({ ...one, issuers: [one] })(token);
};

const authorizationOf = (token: string) => [`Bearer ${token}`];

/** Keys that cannot be had. */
const failing = (failure: () => Error): KeySource => ({
  findMore: async () => [],
  find: async () => {
    throw failure();
  },
  holds: async () => {
    throw failure();
  },
});

/** A token put together by hand, for what no library would sign. */
const forged = (header: object, signature = 'c2ln', claims: object = goodClaims()) =>
  `${base64url(header)}.${base64url(claims)}.${signature}`;

describe('a valid token', () => {
  it('returns its claims', async () => {
    const claims = await authenticate(authorizationOf(await issuer.token({ tenant: 'acme' })));
    expect(claims).toEqual(goodClaims({ tenant: 'acme' }));
  });

  it('is accepted for any of the audiences, alone or in a list', async () => {
    for (const aud of ['mobile', ['other', AUDIENCE]]) {
      await expect(authenticate(authorizationOf(await issuer.token({ aud })))).resolves.toMatchObject({
        aud,
      });
    }
  });

  it('accepts the scheme in any case', async () => {
    await expect(authenticate([`bearer ${await issuer.token()}`])).resolves.toBeDefined();
  });

  it('is valid until the second of its exp, by the injected clock', async () => {
    const token = authorizationOf(await issuer.token());
    const clock = createClock();
    clock.advance(599_999);
    await expect(authenticate(token, { clock })).resolves.toBeDefined();
    clock.advance(1);
    await expect(authenticate(token, { clock })).rejects.toMatchObject({ code: 'token_expired' });
  });
});

describe('credentials that are not one bearer token', () => {
  it.each<[string, (token: string) => readonly string[], string]>([
    ['no header', () => [], 'credentials_missing'],
    ['an empty header', () => [''], 'credentials_missing'],
    ['two headers', (token) => [`Bearer ${token}`, `Bearer ${token}`], 'credentials_ambiguous'],
    ['two headers joined', (token) => [`Bearer ${token}, Bearer ${token}`], 'credentials_malformed'],
    ['another scheme', (token) => [`Basic ${token}`], 'credentials_malformed'],
    ['no scheme', (token) => [token], 'credentials_malformed'],
    ['a leading space', (token) => [` Bearer ${token}`], 'credentials_malformed'],
    ['a trailing space', (token) => [`Bearer ${token} `], 'credentials_malformed'],
    ['a trailing line feed', (token) => [`Bearer ${token}\n`], 'credentials_malformed'],
    ['two spaces', (token) => [`Bearer  ${token}`], 'credentials_malformed'],
    ['a tab', (token) => [`Bearer\t${token}`], 'credentials_malformed'],
    ['padding', (token) => [`Bearer ${token}=`], 'credentials_malformed'],
    ['a fourth part', (token) => [`Bearer ${token}.eyJ9`], 'credentials_malformed'],
    ['two parts', (token) => [`Bearer ${token.split('.').slice(0, 2).join('.')}`], 'credentials_malformed'],
    ['a JWE', () => ['Bearer a.b.c.d.e'], 'credentials_malformed'],
  ])('are refused: %s', async (_, values, code) => {
    await expect(authenticate(values(await issuer.token()))).rejects.toMatchObject({ code });
  });

  it('are refused for their length before they are parsed', async () => {
    const token = await issuer.token();
    const maxBytes = token.length;
    await expect(authenticate(authorizationOf(token), { maxBytes })).resolves.toBeDefined();
    let looked = 0;
    const keys = failing(() => {
      looked += 1;
      return new Error('not reached');
    });
    const long = authenticate(authorizationOf(`${token}A`), { maxBytes, keys });
    await expect(long).rejects.toMatchObject({ code: 'token_too_long' });
    expect(looked).toBe(0);
  });
});

describe('attacks on the token', () => {
  const refused = async (token: string, code: string, changes?: Changes) =>
    expect(authenticate(authorizationOf(token), changes)).rejects.toMatchObject({
      name: 'CredentialsError',
      code,
    });

  it.each(['none', 'None', 'NONE'])('alg %s, with any signature or none', async (alg) => {
    await refused(forged({ alg }), 'algorithm_refused');
    await refused(forged({ alg }, ''), 'credentials_malformed');
  });

  it('HS256 signed with the public key', async () => {
    const input = `${base64url({ alg: 'HS256', kid: 'key-1' })}.${base64url(goodClaims())}`;
    const spki = await exportSPKI(issuer.publicKey);
    const signature = createHmac('sha256', spki).update(input).digest('base64url');
    await refused(`${input}.${signature}`, 'algorithm_refused');
  });

  it('an asymmetric algorithm that is not configured, though the key does not forbid it', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS512', { extractable: true });
    const keys = await createFixedKeys([await exportJWK(publicKey)], ['RS512']);
    const token = await new SignJWT(goodClaims()).setProtectedHeader({ alg: 'RS512' }).sign(privateKey);
    await expect(
      authenticate(authorizationOf(token), { keys, algorithms: ['RS512'] }),
    ).resolves.toBeDefined();
    await refused(token, 'algorithm_refused', { keys });
  });

  it('claims changed after signing', async () => {
    const [header, , signature] = (await issuer.token()).split('.');
    await refused(`${header}.${base64url(goodClaims({ sub: 'admin' }))}.${signature}`, 'signature_invalid');
  });

  it('a token of another signer with a known key id', async () => {
    const stranger = await createIssuer();
    await refused(await stranger.token(), 'signature_invalid');
  });

  it('an unknown key id', async () => {
    await refused(await issuer.token({}, { kid: 'key-2' }), 'key_unknown');
  });

  it('a key in the token', async () => {
    const stranger = await createIssuer();
    await refused(await stranger.token({}, { jwk: stranger.jwk }), 'header_refused');
    await refused(await issuer.token({}, { jwk: issuer.jwk }), 'header_refused');
  });

  it('a URL of a key in the token', async () => {
    await refused(await issuer.token({}, { jku: 'https://evil.example/keys' }), 'header_refused');
    await refused(await issuer.token({}, { x5u: 'https://evil.example/keys' }), 'header_refused');
  });

  it('critical headers: unknown ones, and those that jose would honour', async () => {
    await refused(forged({ alg: 'RS256', kid: 'key-1', crit: ['exp'], exp: 0 }), 'token_malformed');
    await refused(await issuer.token({}, { crit: ['b64'], b64: true }), 'header_refused');
    await refused(forged({ alg: 'RS256', kid: 'key-1', crit: ['b64'], b64: false }), 'header_refused');
  });

  it('b64 without crit', async () => {
    await refused(forged({ alg: 'RS256', kid: 'key-1', b64: true }), 'header_refused');
  });

  it('another issuer, or the same with a slash', async () => {
    await refused(await issuer.token({ iss: 'https://evil.example' }), 'issuer_refused');
    await refused(await issuer.token({ iss: `${ISSUER}/` }), 'issuer_refused');
    await refused(await issuer.token({ iss: undefined }), 'issuer_refused');
  });

  it('another audience, or none', async () => {
    await refused(await issuer.token({ aud: 'https://other.example' }), 'audience_refused');
    await refused(await issuer.token({ aud: undefined }), 'audience_refused');
    await refused(await issuer.token({ aud: [] }), 'audience_refused');
  });

  it('no exp, or one that is not a number', async () => {
    await refused(await issuer.token({ exp: undefined }), 'claim_refused');
    await refused(await issuer.token({ exp: '9999999999' }), 'claim_refused');
  });

  it('not valid yet', async () => {
    await refused(await issuer.token({ nbf: NOW / 1_000 + 6 }), 'claim_refused');
  });

  it('parts that are not JSON, or not an object', async () => {
    const claims = base64url(goodClaims());
    await refused(`${base64url('not json')}.${claims}.c2ln`, 'token_malformed');
    await refused(`${base64url({ alg: 'RS256' })}.${base64url('[]')}.c2ln`, 'token_malformed');
    await refused(`${base64url('[]')}.${claims}.c2ln`, 'token_malformed');
  });

  it('throws a code without any part of the token', async () => {
    const token = await issuer.token({ aud: 'https://evil.example', secret: 's3cret' });
    const error = await authenticate(authorizationOf(token)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    const all = `${JSON.stringify(Object.getOwnPropertyDescriptors(error))}`;
    expect(all).not.toMatch(/s3cret|evil|eyJ/);
    expect(Object.hasOwn(error as object, 'cause')).toBe(false);
  });
});

describe('faults of ours', () => {
  it.each([
    new Error('getaddrinfo ENOTFOUND'),
    Object.assign(new Error('weak key'), { code: 'ERR_JWKS_TIMEOUT' }),
  ])('an unavailable key is a fault, not a refusal: %s', async (failure) => {
    const keys = failing(() => failure);
    const answer = authenticate(authorizationOf(await issuer.token()), { keys });
    await expect(answer).rejects.toMatchObject({ name: 'Fault', code: 'keys_unavailable', cause: failure });
  });
});
