import { beforeAll, describe, expect, it } from 'vitest';
import { createAuthentication, type KeySource, type TrustedIssuer } from '../../authorizer/index.ts';
import { createClock } from '../support/world.ts';
import { AUDIENCE, base64url, createIssuer, goodClaims, ISSUER, type Issuer } from './support.ts';

/** A valid token does not vouch for another token with the same header. */
let issuer: Issuer;
let stranger: Issuer;
beforeAll(async () => {
  [issuer, stranger] = await Promise.all([createIssuer(), createIssuer()]);
});

/** Keys that count how often they are asked, and can be changed. */
function countedKeys(first: KeySource) {
  const state = { asked: 0, keys: first };
  const keys: KeySource = {
    find(alg, kid) {
      state.asked += 1;
      return state.keys.find(alg, kid);
    },
    findMore: (...given) => state.keys.findMore(...given),
    holds: (key) => state.keys.holds(key),
  };
  return { state, keys };
}

const setUp = (changes: Partial<TrustedIssuer> = {}, others: readonly TrustedIssuer[] = []) => {
  const { state, keys } = countedKeys(issuer.keys);
  const clock = createClock();
  const trusted = { keys, issuer: ISSUER, audience: [AUDIENCE], algorithms: ['RS256'], ...changes };
  const options = { issuers: [trusted, ...others], maxBytes: 4_096, ttlMs: 0, cacheBytes: 65_536, clock };
  return { state, clock, authenticate: createAuthentication(options) };
};

/** One that has seen a good token. */
const warm = async (changes: Partial<TrustedIssuer> = {}, others: readonly TrustedIssuer[] = []) => {
  const all = setUp(changes, others);
  await all.authenticate(await issuer.token(changes.tokenUse ? { token_use: changes.tokenUse } : {}));
  return all;
};

const resigned = (token: string, payload: unknown): string => {
  const [header, , signature] = token.split('.');
  return [header, base64url(payload), signature].join('.');
};

describe('a token with the header of a valid one', () => {
  it('returns its own claims', async () => {
    const { authenticate } = await warm();
    await expect(authenticate(await issuer.token({ tenant: 'acme' }))).resolves.toEqual(
      goodClaims({ tenant: 'acme' }),
    );
  });

  it.each<[string, () => Promise<string>, string]>([
    ['signed by another key', () => stranger.token(), 'signature_invalid'],
    ['changed', async () => resigned(await issuer.token(), goodClaims({ sub: 'a' })), 'signature_invalid'],
    ['of another issuer', () => issuer.token({ iss: 'https://other.example' }), 'issuer_refused'],
    [
      'of another issuer, by its key',
      () => stranger.token({ iss: 'https://other.example' }),
      'issuer_refused',
    ],
    ['of no issuer', () => issuer.token({ iss: undefined }), 'issuer_refused'],
    ['for others', () => issuer.token({ aud: 'other' }), 'audience_refused'],
    ['over', () => issuer.token({ exp: 1 }), 'token_expired'],
    ['never over', () => issuer.token({ exp: undefined }), 'claim_refused'],
    ['no object', async () => resigned(await issuer.token(), []), 'token_malformed'],
    ['no JSON', async () => resigned(await issuer.token(), '{'), 'token_malformed'],
    ['padded', async () => `${await issuer.token()}=`, 'credentials_malformed'],
    ['with a space in it', async () => (await issuer.token()).replace(/.$/, ' '), 'credentials_malformed'],
  ])('is refused as usual: %s', async (_, make, code) => {
    const token = await make();
    const { authenticate } = await warm();
    await expect(authenticate(token)).rejects.toMatchObject({ name: 'CredentialsError', code });
    await expect(setUp().authenticate(token)).rejects.toMatchObject({ name: 'CredentialsError', code });
  });

  it('is refused for another use before its signature is looked at', async () => {
    const { authenticate } = await warm({ tokenUse: 'access' });
    const refused = expect.objectContaining({ code: 'claim_refused' });
    await expect(authenticate(await issuer.token({ token_use: 'id' }))).rejects.toEqual(refused);
    await expect(authenticate(await stranger.token({ token_use: 'id' }))).rejects.toEqual(refused);
  });

  it('is refused once its key was withdrawn, and verified with the replacement', async () => {
    const { state, authenticate } = await warm();
    const old = await issuer.token();
    state.keys = stranger.keys;
    await expect(authenticate(old)).rejects.toMatchObject({ code: 'signature_invalid' });
    await expect(authenticate(await stranger.token())).resolves.toBeDefined();
    state.keys = (await createIssuer('key-2')).keys;
    await expect(authenticate(old)).rejects.toMatchObject({ code: 'key_unknown' });
  });

  it('is a fault while the keys are unavailable', async () => {
    const { state, authenticate } = await warm();
    state.keys = {
      find: () => Promise.reject(new Error('down')),
      findMore: async () => [],
      holds: async () => true,
    };
    const fault = { name: 'Fault', code: 'keys_unavailable' };
    await expect(authenticate(await issuer.token())).rejects.toMatchObject(fault);
    const foreign = await issuer.token({ iss: 'https://other.example' });
    await expect(authenticate(foreign)).rejects.toMatchObject({ code: 'issuer_refused' });
  });

  it('is verified by the entry of its own issuer', async () => {
    const other: TrustedIssuer = {
      ...{ keys: stranger.keys, issuer: 'https://other.example', audience: [AUDIENCE] },
      algorithms: ['RS256'],
    };
    const { authenticate } = await warm({}, [other]);
    const iss = other.issuer;
    await expect(authenticate(await stranger.token({ iss }))).resolves.toMatchObject({ iss });
    await expect(authenticate(await issuer.token({ iss }))).rejects.toMatchObject({
      code: 'signature_invalid',
    });
  });
});

describe('a header of no valid token', () => {
  it('has no key asked for by a token of another issuer, however often', async () => {
    const { state, authenticate } = setUp();
    const foreign = await issuer.token({ iss: 'https://other.example' });
    for (let turn = 0; turn < 2; turn++) {
      await expect(authenticate(foreign)).rejects.toMatchObject({ code: 'issuer_refused' });
    }
    expect(state.asked).toBe(0);
    await expect(authenticate(await issuer.token({ exp: 1 }))).rejects.toMatchObject({
      code: 'token_expired',
    });
    expect(state.asked).toBe(1);
    await expect(authenticate(foreign)).rejects.toMatchObject({ code: 'issuer_refused' });
    expect(state.asked).toBe(1);
  });

  it('is refused for an additional member', async () => {
    const { authenticate } = await warm();
    const token = await issuer.token({}, { jku: 'https://other.example/keys' });
    await expect(authenticate(token)).rejects.toMatchObject({ code: 'header_refused' });
    await expect(authenticate(token)).rejects.toMatchObject({ code: 'header_refused' });
  });
});
