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
import { AUDIENCE, createIssuer, ISSUER, type Issuer, NOW } from './support.ts';

/** Keys that can be changed, and that count how often a token is verified. */
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
      state.verifications += 1;
      const [key] = candidatesIn(state.set, alg, kid);
      if (key === undefined) throw new CredentialsError('key_unknown');
      return key;
    },
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
  it('is not verified again, and gives the same claims, which nobody can change', async () => {
    const token = await issuer.token({ tenant: 'acme' });
    const claims = await world.authenticate(token);
    // The text of a request is never the same object twice.
    const again = await world.authenticate(Buffer.from(token).toString());
    expect(again).toBe(claims);
    expect(Object.isFrozen(claims)).toBe(true);
    expect(world.state.verifications).toBe(1);
  });

  it('is not verified again either when many others came since', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_, n) => issuer.token({ jti: `token-${n}` })),
    );
    for (const token of [...tokens, ...tokens]) await world.authenticate(token);
    expect(world.state.verifications).toBe(40);
  });

  it('is verified again after the time that is set', async () => {
    const token = await issuer.token();
    await world.authenticate(token);
    world.clock.advance(59_999);
    await world.authenticate(token);
    expect(world.state.verifications).toBe(1);
    world.clock.advance(1);
    await world.authenticate(token);
    expect(world.state.verifications).toBe(2);
  });

  it('is verified each time where that is nothing', async () => {
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

  it('is not good before its nbf when the clock is set back', async () => {
    const token = await issuer.token({ nbf: NOW / 1_000 });
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

  it('never outlives it under the same key id', async () => {
    const token = await issuer.token();
    expect(await world.codeOf(token)).toBe('good');
    const other = await createIssuer('one');
    world.state.set = await createKeySet({ keys: [other.jwk] }, ['RS256']);
    expect(await world.codeOf(token)).toBe('signature_invalid');
  });

  it('is a fault while nobody can say whether the key is good', async () => {
    const token = await issuer.token();
    await world.authenticate(token);
    world.state.isDown = true;
    expect(await world.codeOf(token)).toBe('keys_unavailable');
  });

  it('does not vouch for another text: one more or one other character', async () => {
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

  it('that was refused is refused each time by itself', async () => {
    const token = await issuer.token({ aud: 'other' });
    for (let i = 0; i < 3; i++) expect(await world.codeOf(token)).toBe('audience_refused');
    expect(world.state.verifications).toBe(3);
  });
});

describe('the tokens that are kept', () => {
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
