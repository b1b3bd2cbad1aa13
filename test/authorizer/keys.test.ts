import { generateKeyPairSync } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import type { VerificationKey } from '../../authorizer/credentials/keys.ts';
import {
  candidatesIn,
  createKeySet,
  createKeySets,
  createRemoteKeys,
  type RemoteKeysOptions,
} from '../../authorizer/index.ts';
import { createDeferred } from '../support/deferred.ts';
import { createClock } from '../support/world.ts';
import { base64url, settle } from './support.ts';

const MINUTE = 60_000;

async function make(alg: string, kid: string): Promise<[JWK, JWK]> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const own = { kid, alg };
  return [
    { ...(await exportJWK(publicKey)), ...own, use: 'sig' },
    { ...(await exportJWK(privateKey)), ...own },
  ];
}
const [one, privateOne] = await make('RS256', 'one');
const [two] = await make('RS256', 'two');
const [curve] = await make('ES256', 'curve');

const down = (): Response => new Response('down', { status: 503 });
const serving =
  (...keys: readonly unknown[]) =>
  (): Response =>
    new Response(JSON.stringify({ keys }));

/** An issuer's keys over a fetch of ours; `answer` may be changed on the way. */
function setUp(changes: Partial<RemoteKeysOptions> = {}) {
  const clock = createClock();
  const state = {
    answer: serving(one) as () => Response | Promise<Response>,
    fetches: 0,
    failures: 0,
  };
  const keys = createRemoteKeys({
    url: new URL('https://issuer.example/jwks.json'),
    algorithms: ['RS256'],
    clock,
    keySets: createKeySets(1_048_576, clock),
    random: () => 0,
    staleMs: 60 * MINUTE,
    fetch: async () => {
      state.fetches += 1;
      return state.answer();
    },
    onRefreshFailed: () => {
      state.failures += 1;
    },
    ...changes,
  });
  const find = async (kid?: string, alg = 'RS256'): Promise<string | undefined> =>
    (await keys.find(alg, kid).then(
      (found) => found.map((key) => key.kid).join(),
      (error: { code: string }) => error.code,
    )) as string;
  return { clock, find, keys, state };
}

/** The same, so long after the keys were fetched. */
async function aged(milliseconds: number, changes?: Partial<RemoteKeysOptions>) {
  const there = setUp(changes);
  await there.find('one');
  there.clock.advance(milliseconds);
  return there;
}

describe('keys that are fresh', () => {
  it('are fetched on first use, once for concurrent requests', async () => {
    const { find, state } = setUp();
    expect(state.fetches).toBe(0);
    const found = await Promise.all(Array.from({ length: 50 }, () => find('one')));
    expect(new Set(found)).toEqual(new Set(['one']));
    expect(state.fetches).toBe(1);
  });

  it('are refreshed in the background after five minutes, and no request waits', async () => {
    const { clock, find, state } = await aged(5 * MINUTE - 1);
    await find('one');
    expect(state.fetches).toBe(1);
    clock.advance(1);
    const slow = createDeferred<Response>();
    state.answer = () => slow.promise;
    expect(await find('one')).toBe('one');
    expect(await find('one')).toBe('one');
    expect(state.fetches).toBe(2);
    slow.resolve(serving(two)());
    await sleep(20);
    expect(await find('two')).toBe('two');
    expect(state.fetches).toBe(2);
  });
});

describe('keys that were fetched', () => {
  /** So long after that: what the issuer serves then, and which key is found in how many fetches. */
  type Step = readonly [after: number, served: () => Response, kid: string, found: string, fetches: number];
  it.each<[string, readonly Step[], Partial<RemoteKeysOptions>?]>([
    ['remain when the background fetch fails', Array(3).fill([6 * MINUTE, down, 'one', 'one', 2])],
    [
      'are fetched before the request is answered when they are no longer fresh',
      [
        [10 * MINUTE, serving(two), 'one', 'key_unknown', 2],
        [10 * MINUTE, serving(two), 'two', 'two', 2],
      ],
    ],
    ['may be none any more: an empty set is valid', [[10 * MINUTE, serving(), 'one', 'key_unknown', 2]]],
    [
      'are used while the issuer is down, for the configured time only',
      [
        [10 * MINUTE, down, 'one', 'one', 2],
        [70 * MINUTE - 1, down, 'one', 'one', 3],
        [70 * MINUTE, down, 'one', 'keys_unavailable', 3],
      ],
    ],
    [
      'are not used then if that time is zero',
      [
        [10 * MINUTE - 1, down, 'one', 'one', 2],
        [10 * MINUTE, down, 'one', 'keys_unavailable', 2],
      ],
      { staleMs: 0 },
    ],
    ['do not refuse an unknown key then: it may be new', [[11 * MINUTE, down, 'two', 'keys_unavailable', 2]]],
    [
      'are not fresh again for long when the clock is set back',
      Array(2).fill([-60 * MINUTE, serving(two), 'two', 'two', 2]),
    ],
    [
      'are fetched once for an unknown id, which the issuer may have rotated to',
      [
        [30_000, serving(one, two), 'two', 'two', 2],
        [30_000, serving(one, two), 'two', 'two', 2],
        [30_000, serving(one, two), 'one', 'one', 2],
      ],
    ],
    [
      'do not have an unknown id while the issuer is down, and back-off applies',
      [
        [30_000, down, 'kid-1', 'key_unknown', 2],
        [30_000, down, 'kid-2', 'key_unknown', 2],
        [30_000, down, 'one', 'one', 2],
      ],
    ],
  ])('%s', async (_, steps, changes) => {
    const { clock, find, state } = setUp(changes);
    await find('one');
    const start = clock.now();
    for (const [after, served, kid, found, fetches] of steps) {
      clock.advance(start + after - clock.now());
      state.answer = served;
      expect([await find(kid), state.fetches]).toEqual([found, fetches]);
      await settle();
    }
    const isDown = steps.every(([, served]) => served === down);
    expect(state.failures).toBe(isDown ? state.fetches - 1 : 0);
  });
});

describe('the keys of several issuers', () => {
  const two = (maxBytes: number) => {
    const clock = createClock();
    const keySets = createKeySets(maxBytes, clock);
    return { first: setUp({ clock, keySets }), other: setUp({ clock, keySets, url: OTHER }) };
  };
  const OTHER = new URL('https://other.example/jwks.json');

  it('are cached together and not mixed up', async () => {
    const { first, other } = two(1_048_576);
    other.state.answer = serving(curve);
    for (let i = 0; i < 2; i++) {
      expect(await first.find('one')).toBe('one');
      expect(await other.find('one')).toBe('key_unknown');
    }
    expect([first.state.fetches, other.state.fetches]).toEqual([1, 1]);
  });

  it('are bounded in bytes: the most recently used remain, however small the bound is', async () => {
    const { first, other } = two(1);
    for (let i = 0; i < 3; i++) await first.find('one');
    expect(first.state.fetches).toBe(1);
    await other.find('one');
    await first.find('one');
    expect([first.state.fetches, other.state.fetches]).toEqual([2, 1]);
  });
});

describe('after a failure', () => {
  it('the next fetch is delayed, which doubles with each failure up to 30 s', async () => {
    const { clock, find, state } = setUp();
    const times: number[] = [];
    state.answer = () => {
      times.push(clock.now());
      return down();
    };
    while (times.length < 9) {
      expect(await find('one')).toBe('keys_unavailable');
      clock.advance(250);
    }
    const waits = times.slice(1).map((time, at) => time - Number(times[at]));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('the delay is shortened at random, by at most half', async () => {
    const { clock, find, state } = setUp({ random: () => 0.999_999 });
    state.answer = down;
    await find('one');
    clock.advance(249);
    await find('one');
    expect(state.fetches).toBe(1);
    clock.advance(2);
    await find('one');
    expect(state.fetches).toBe(2);
  });

  it('a success resets the delay', async () => {
    const { clock, find, state } = setUp();
    state.answer = down;
    for (const wait of [500, 1_000, 2_000]) {
      await find('one');
      clock.advance(wait);
    }
    state.answer = serving(one);
    expect(await find('one')).toBe('one');
    state.answer = down;
    clock.advance(10 * MINUTE);
    await find('one');
    clock.advance(500);
    await find('one');
    expect(state.fetches).toBe(6);
  });

  it('requests that share a fetch fail together, and the fault has a code', async () => {
    const { keys, state } = setUp();
    state.answer = down;
    const asked = await Promise.allSettled([keys.find('RS256', 'one'), keys.find('RS256', 'two')]);
    expect(asked).toMatchObject([
      { reason: { name: 'Fault', code: 'keys_unavailable', cause: { code: 'jwks_status' } } },
      { reason: { name: 'Fault', code: 'keys_unavailable' } },
    ]);
    expect(state.fetches).toBe(1);
  });
});

describe('an unknown key id', () => {
  it('causes one fetch in 30 s, however many ids there are', async () => {
    const { clock, find, state } = await aged(30_000);
    for (let round = 1; round <= 3; round++) {
      const flood = Array.from({ length: 1_000 }, (_, i) => find(`kid-${round}-${i}`));
      expect(new Set(await Promise.all(flood))).toEqual(new Set(['key_unknown']));
      expect(state.fetches).toBe(1 + round);
      clock.advance(29_999);
      expect(await find('kid')).toBe('key_unknown');
      expect(state.fetches).toBe(1 + round);
      clock.advance(1);
    }
  });

  it('costs only the first fetch if nothing was fetched before', async () => {
    const { find, state } = setUp();
    expect(await find('two')).toBe('key_unknown');
    expect(await find('three')).toBe('key_unknown');
    expect(state.fetches).toBe(1);
  });
});

it.each([
  ['is withdrawn is in the set no more', serving(one, two), serving(two), false],
  [
    'returns with the same id and other numbers is another',
    serving(one),
    serving({ ...two, kid: 'one' }),
    false,
  ],
  ['comes in another order is the same', serving(one, two), serving(two, { ...one, x5t: 'new' }), true],
])('a key that %s', async (_, first, then, isIn) => {
  const { clock, keys, state } = setUp();
  state.answer = first;
  const [key] = (await keys.find('RS256', 'one')) as [VerificationKey];
  expect(await keys.holds(key)).toBe(true);
  state.answer = then;
  clock.advance(10 * MINUTE);
  expect(await keys.holds(key)).toBe(isIn);
});

describe('an instance that was frozen', () => {
  it('does not join a fetch that began before, and counts the age of its result from its start', async () => {
    const { clock, find, state } = await aged(6 * MINUTE);
    const frozen = createDeferred<Response>();
    state.answer = () => frozen.promise;
    await find('one');
    clock.advance(60 * MINUTE);
    state.answer = serving(two);
    expect(await find('two')).toBe('two');
    expect(state.fetches).toBe(3);
    frozen.resolve(serving(one)());
    await sleep(20);
    expect(await find('one')).toBe('key_unknown');
    expect(await find('two')).toBe('two');
    expect(state.fetches).toBe(3);
  });

  it('ignores the late failure of such a fetch', async () => {
    const { clock, find, state } = await aged(6 * MINUTE);
    const frozen = createDeferred<Response>();
    state.answer = () => frozen.promise;
    await find('one');
    clock.advance(60 * MINUTE);
    const slow = createDeferred<Response>();
    state.answer = () => slow.promise;
    const waiting = find('two');
    frozen.reject(new Error('ECONNRESET'));
    await sleep(20);
    const joining = find('two');
    slow.resolve(serving(two)());
    expect(await Promise.all([waiting, joining])).toEqual(['two', 'two']);
    expect(state.fetches).toBe(3);
  });
});

describe('a response', () => {
  it('is waited for one second', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await setUp().find('one');
    expect(timeout.mock.calls).toEqual([[1_000]]);
    timeout.mockRestore();
  });

  const failing = async (answer: () => Response) => {
    const { keys, state } = setUp();
    state.answer = answer;
    return keys.find('RS256', 'one').then(
      () => 'found',
      (error: { cause: { code: string } }) => error.cause.code,
    );
  };

  it.each<[string, () => Response, string]>([
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://e.example' } }),
      'jwks_status',
    ],
    ['no content', () => new Response(null, { status: 204 }), 'jwks_status'],
    ['nothing', () => new Response(''), 'jwks_malformed'],
    ['no JSON', () => new Response('<html>'), 'jwks_malformed'],
    ['a list', () => new Response('[]'), 'jwks_malformed'],
    ['a key alone', () => new Response(JSON.stringify(one)), 'jwks_malformed'],
    ['more than 100 keys', () => serving(...Array(101).fill(one))(), 'jwks_malformed'],
    ['more than 256 KB', () => serving(one, 'x'.repeat(256 * 1_024))(), 'jwks_too_large'],
  ])('is not a key set if it is %s', async (_, answer, code) => {
    expect(await failing(answer)).toBe(code);
  });

  it('is not read to its end if it is endless', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1_024));
      },
    });
    expect(await failing(() => new Response(endless))).toBe('jwks_too_large');
    expect(pulled).toBeLessThan(10);
  });
});

describe('a key is left out', () => {
  const kids = async (jwk: unknown) => {
    const set = await createKeySet({ keys: [jwk, two] }, ['RS256', 'ES256', 'EdDSA']);
    return [...set.values()].map(({ kid }) => kid);
  };

  it.each<[string, () => unknown]>([
    ['for encryption', () => ({ ...one, use: 'enc' })],
    ['for signing only', () => ({ ...one, key_ops: ['sign'] })],
    ['with operations that are no list', () => ({ ...one, key_ops: 'verify' })],
    ['for another algorithm', () => ({ ...one, alg: 'RS512' })],
    ['with an algorithm that is no text', () => ({ ...one, alg: null })],
    ['of a kind that nobody knows', () => ({ ...one, kty: 'XYZ' })],
    ['with its private half in public', () => privateOne],
    ['with an id that is no text', () => ({ ...one, kid: 7 })],
    ['with damaged numbers', () => ({ ...one, n: '*' })],
    ['without its numbers', () => ({ ...one, n: undefined })],
    ['that is no object', () => 'key'],
    ['that is null', () => null],
  ])('%s, and the others remain', async (_, jwk) => {
    expect(await kids(jwk())).toEqual(['two']);
  });

  const withExponent = (e: string): JWK => ({ ...one, e });
  const generated = (modulusLength: number, publicExponent: number): JWK => ({
    ...(generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({
      format: 'jwk',
    }) as JWK),
    alg: 'RS256',
  });
  /** A point of small order (edwards25519 has eight): anybody can sign with it. */
  const ofSmallOrder = (hex: string): JWK => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    x: Buffer.from(hex, 'hex').toString('base64url'),
  });

  it.each<[string, () => JWK]>([
    ['an RSA exponent of 1', () => withExponent('AQ')],
    ['an RSA exponent of 1 in three bytes', () => withExponent('AAAB')],
    ['an RSA exponent of 1 with padding', () => withExponent('AQ==')],
    ['no RSA exponent', () => withExponent('')],
    ['an RSA exponent of 2', () => withExponent('Ag')],
    ['an RSA exponent of 65,536', () => withExponent('AQAA')],
    ['an RSA exponent of 65,538', () => withExponent('AQAC')],
    ['an RSA exponent beyond 2^256', () => withExponent(base64url(`\x01${'\0'.repeat(31)}\x01`))],
    ['an RSA exponent of 3', () => generated(2_048, 3)],
    ['an RSA modulus of 1,024 bits', () => generated(1_024, 65_537)],
    ['an RSA modulus of 2,040 bits', () => generated(2_040, 65_537)],
    ['the neutral element of edwards25519', () => ofSmallOrder(`01${'00'.repeat(31)}`)],
    ['the neutral element, its sign set', () => ofSmallOrder(`01${'00'.repeat(30)}80`)],
    ['the neutral element, not reduced', () => ofSmallOrder(`ee${'ff'.repeat(30)}7f`)],
    ['a point of order 2', () => ofSmallOrder(`ec${'ff'.repeat(30)}7f`)],
    ['a point of order 4', () => ofSmallOrder('00'.repeat(32))],
    ['a point of order 4, not reduced', () => ofSmallOrder(`ed${'ff'.repeat(30)}7f`)],
    [
      'a point of order 8',
      () => ofSmallOrder('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
    ],
    [
      'another point of order 8',
      () => ofSmallOrder('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
    ],
    ['a key of Ed448', () => generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' }) as JWK],
    ['a point that is not on P-256', () => ({ ...curve, y: String(curve.x) })],
    ['zeros for a point of P-256', () => ({ ...curve, x: 'A'.repeat(43), y: 'A'.repeat(43) })],
    ['a curve that is not that of its algorithm', () => ({ ...curve, crv: 'P-384' })],
    ['a curve that no algorithm here has', () => ({ ...curve, crv: 'secp256k1' })],
    ['a shared secret', () => ({ kty: 'oct', k: base64url('secret'), alg: 'RS256' })],
  ])('with %s, also where it names neither itself nor its algorithm', async (_, make) => {
    const jwk = make();
    const { kid: __, alg: ___, ...anonymous } = jwk;
    for (const each of [jwk, anonymous]) expect(await kids(each)).toEqual(['two']);
  });

  it('never for a missing optional member', async () => {
    const { kty, n, e, kid } = one;
    expect(await kids({ kty, n, e, kid })).toEqual(['one', 'two']);
    expect(await kids({ ...one, key_ops: ['verify', 'sign'] })).toEqual(['one', 'two']);
  });
});

describe('a key without an algorithm', () => {
  it('is used for the first configured algorithm that fits, and no other', async () => {
    const { alg: _, ...rsa } = one;
    const { alg: __, ...ec } = curve;
    const set = await createKeySet({ keys: [rsa, ec] }, ['PS256', 'RS256', 'ES384', 'ES256']);
    const served = ['RS256', 'PS256', 'ES256', 'ES384', 'HS256', 'none'].filter(
      (alg) => candidatesIn(set, alg, undefined).length > 0,
    );
    expect(served).toEqual(['PS256', 'ES256']);
  });
});

describe('between several keys', () => {
  it('a header without an id matches all; with an id it matches one', async () => {
    const { find, state } = setUp();
    state.answer = serving(one, two);
    expect(await find()).toBe('one,two');
    expect(await find('two')).toBe('two');
  });

  it('with the same id both are candidates; the same key twice is one key', async () => {
    const { find, state } = setUp();
    state.answer = serving(one, { ...two, kid: 'one' });
    expect(await find('one')).toBe('one,one');
    const other = setUp();
    other.state.answer = serving(one, one);
    expect(await other.find()).toBe('one');
  });
});
