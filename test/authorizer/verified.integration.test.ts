import { beforeEach, describe, expect, it } from 'vitest';
import { CredentialsError, Fault } from '../../authorizer/errors.ts';
import {
  candidatesIn,
  createAuthentication,
  createKeySet,
  createVerifiedTokens,
  type KeySource,
  type Verified,
  type VerifiedClaims,
} from '../../authorizer/index.ts';
import { createClock } from '../support/world.ts';
import { AUDIENCE, createIssuer, ISSUER, type Issuer, NOW, newIssuer } from './support.ts';

/** Replaceable keys that count verifications. */
async function setUp(ttlMs = 60_000, cacheBytes = 1_048_576) {
  const clock = createClock();
  const issuer = await createIssuer('one');
  const state = {
    set: await createKeySet({ keys: [issuer.jwk] }, ['RS256']),
    verifications: 0,
    isDown: false,
  };
  const keys: KeySource = {
    find: async (alg, kid) => {
      if (state.isDown) throw new Error('getaddrinfo ENOTFOUND');
      state.verifications += 1;
      const candidates = candidatesIn(state.set, alg, kid);
      if (candidates.length === 0) throw new CredentialsError('key_unknown');
      return candidates;
    },
    findMore: async () => [],
    holds: async (key) => {
      if (state.isDown) throw new Fault('keys_unavailable', 'down');
      return state.set.has(key.print);
    },
  };
  const issuers = [{ keys, issuer: ISSUER, audience: [AUDIENCE], algorithms: ['RS256'] }];
  const ask = createAuthentication({ issuers, maxBytes: 8_192, clock, ttlMs, cacheBytes });
  const authenticate = async (token: string) => ask(token);
  const codeOf = (token: string): Promise<string> =>
    authenticate(token).then(
      () => 'good',
      (error: { code: string }) => error.code,
    );
  return { authenticate, clock, codeOf, issuer, state };
}

let world: Awaited<ReturnType<typeof setUp>>;
let issuer: Issuer;
beforeEach(async () => {
  world = await setUp();
  issuer = world.issuer;
});

describe('a token that was verified', () => {
  it('is not verified again, and returns the same frozen claims', async () => {
    const token = await issuer.token({ tenant: 'acme' });
    const claims = await world.authenticate(token);
    // The text of a request is never the same object twice.
    const again = await world.authenticate(Buffer.from(token).toString());
    expect(again).toBe(claims);
    expect(Object.isFrozen(claims)).toBe(true);
    expect(world.state.verifications).toBe(1);
  });

  it('is not verified again after many other tokens', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_, n) => issuer.token({ jti: `token-${n}` })),
    );
    for (const token of [...tokens, ...tokens]) await world.authenticate(token);
    expect(world.state.verifications).toBe(40);
  });

  it('is verified again after the configured time', async () => {
    const token = await issuer.token();
    await world.authenticate(token);
    world.clock.advance(59_999);
    await world.authenticate(token);
    expect(world.state.verifications).toBe(1);
    world.clock.advance(1);
    await world.authenticate(token);
    expect(world.state.verifications).toBe(2);
  });

  it('is verified each time if that time is zero', async () => {
    const { authenticate, issuer: other, state } = await setUp(0);
    const token = await other.token();
    await authenticate(token);
    await authenticate(token);
    expect(state.verifications).toBe(2);
  });

  it('never outlives its exp, to the millisecond', async () => {
    const token = await issuer.token({ exp: NOW / 1_000 + 10 });
    expect(await world.codeOf(token)).toBe('good');
    world.clock.advance(9_999);
    expect(await world.codeOf(token)).toBe('good');
    world.clock.advance(1);
    expect(await world.codeOf(token)).toBe('token_expired');
  });

  it('is refused before its nbf, less the leeway, if the clock is set back', async () => {
    const token = await issuer.token({ nbf: NOW / 1_000 + 5 });
    expect(await world.codeOf(token)).toBe('good');
    world.clock.advance(-1);
    expect(await world.codeOf(token)).toBe('claim_refused');
  });

  it('never outlives the key that verified it', async () => {
    const token = await issuer.token();
    expect(await world.codeOf(token)).toBe('good');
    const other = await createIssuer('two');
    world.state.set = await createKeySet({ keys: [other.jwk] }, ['RS256']);
    expect(await world.codeOf(token)).toBe('key_unknown');
    expect(world.state.verifications).toBe(2);
  });

  it('never outlives it, even if the key id is reused', async () => {
    const token = await issuer.token();
    expect(await world.codeOf(token)).toBe('good');
    const other = await newIssuer('one');
    world.state.set = await createKeySet({ keys: [other.jwk] }, ['RS256']);
    expect(await world.codeOf(token)).toBe('signature_invalid');
  });

  it('is a fault while the keys are unavailable', async () => {
    const token = await issuer.token();
    await world.authenticate(token);
    world.state.isDown = true;
    for (const each of [token, await issuer.token({ jti: 'another' })])
      expect(await world.codeOf(each)).toBe('keys_unavailable');
  });

  it('does not vouch for a text that differs in one character', async () => {
    const token = await issuer.token();
    await world.authenticate(token);
    const [header = '', payload = '', signature = ''] = token.split('.');
    // The same end, and so the same place in the cache.
    for (const forged of [`e${header}.${payload}.${signature}`, `${header}.e30.${signature}`]) {
      expect(await world.codeOf(forged)).not.toBe('good');
    }
    expect(await world.codeOf(`${token}A`)).not.toBe('good');
    const { verifications } = world.state;
    expect(await world.codeOf(token)).toBe('good');
    expect(world.state.verifications).toBe(verifications);
  });

  it('that was refused is not cached', async () => {
    const token = await issuer.token({ aud: 'other' });
    for (let i = 0; i < 3; i++) expect(await world.codeOf(token)).toBe('audience_refused');
    expect(world.state.verifications).toBe(3);
  });
});

describe('cached tokens', () => {
  const verified = { at: NOW, claims: { exp: NOW } as unknown as VerifiedClaims } as Verified;
  const kept = (maxBytes: number, count: number, length: number): number => {
    const tokens = createVerifiedTokens({ ttlMs: 1_000, clock: createClock(), maxBytes });
    for (let i = 0; i < count; i++) tokens.keep(`${i}`.padStart(length, '.'), verified);
    return tokens.size;
  };

  it('are bounded in bytes, whatever their number', () => {
    expect(kept(10_000, 100, 500)).toBe(3);
    expect(kept(10_000, 100, 50)).toBe(14);
    expect(kept(100, 100, 500)).toBe(0);
  });
});
