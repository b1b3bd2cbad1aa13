import { describe, expect, it } from 'vitest';
import {
  type AuthenticationOptions,
  createAuthentication,
  createReadCredentials,
  type KeySource,
  type TrustedIssuer,
} from '../../authorizer/index.ts';
import { createClock } from '../support/world.ts';
import { AUDIENCE, createIssuer, ISSUER } from './support.ts';

const issuer = await createIssuer();

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

describe('a valid token', () => {
  it('is accepted for any of the audiences, alone or in a list', async () => {
    for (const aud of ['mobile', ['other', AUDIENCE]]) {
      await expect(authenticate(authorizationOf(await issuer.token({ aud })))).resolves.toMatchObject({
        aud,
      });
    }
  });
});

describe('credentials', () => {
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

/** What whoever attacks sends is in attacks.test.ts. */
describe('a token', () => {
  it('of another issuer has no key asked for, nor has one for another use', async () => {
    const keys = failing(() => new Error('not reached'));
    const refused = async (claims: Record<string, unknown>, code: string) =>
      expect(
        authenticate(authorizationOf(await issuer.token(claims)), { keys, tokenUse: 'access' }),
      ).rejects.toMatchObject({ code });
    await refused({ iss: 'https://other.example' }, 'issuer_refused');
    await refused({ token_use: 'id' }, 'claim_refused');
    await refused({ token_use: 'access' }, 'keys_unavailable');
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
