import { createHmac, generateKeyPairSync, KeyObject, sign as signWith } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Authorizer, createHandlerFrom } from '../../authorizer/index.ts';
import { until } from '../support/eventually.ts';
import { createLogged } from '../support/log.ts';
import { createWorld, type World } from '../support/world.ts';
import { base64url, httpEvent, ISSUER, settle, TTL_0 } from './support.ts';

/**
 * Attacks on tokens, each sent to an authorizer that was just started and to one that has let the good token in a
 * moment ago. Whoever attacks knows all that is public: the keys, the configuration, a good token of a user's own.
 */

interface Pair {
  readonly jwk: JWK;
  readonly privateJwk: JWK;
  readonly spki: string;
  readonly private: KeyObject;
}

async function createPair(alg: 'RS256' | 'ES256', kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    privateJwk: await exportJWK(privateKey),
    spki: await exportSPKI(publicKey),
    private: KeyObject.from(privateKey as Parameters<typeof KeyObject.from>[0]),
  };
}

let world: World;
let rsa: Pair;
let ec: Pair;
let stranger: Pair;
let warm: Served;
const [path, otherTenant] = ['/accounts/mine/reports', '/accounts/theirs/reports'];
const ann = 'ann';

beforeAll(async () => {
  [rsa, ec, stranger] = await Promise.all([
    createPair('RS256', 'rsa'),
    createPair('ES256', 'ec'),
    createPair('RS256', 'rsa'),
  ]);
  world = await createWorld(`
pages: [reports]
scopes: { Mine: { id: mine, type: account }, Theirs: { id: theirs, type: account } }
roles: { reader: { owner: Mine, allow: [reports] } }
users: { ann: { id: ann, assignments: [{ role: reader, scope: Mine }] } }
routes:
  - { method: GET, path: "/accounts/{id}/reports", permission: reports, scope: "account:{id}" }
  - { method: GET, path: /mine, permission: reports, scope: "account:{claim:tenant}" }
`);
  warm = await serve();
  expect(await warm.ask(good())).toBe('allow');
});

/** Everything that was logged or thrown, by all authorizers of this file. */
const { lines, write } = createLogged();
/** Every token that was tried. */
const tried = new Set<string>();

interface Served {
  readonly authorizer: Authorizer;
  /** `allow`, `deny`, or the code of the refusal. */
  readonly ask: (token: string, path?: string) => Promise<string>;
  readonly send: (event: unknown) => Promise<string>;
  readonly fetches: () => number;
}

/** An authorizer over the table, whose routes are there, before an issuer that serves these keys. */
async function serve(
  env: Record<string, string> = {},
  keys: readonly unknown[] = [rsa.jwk, ec.jwk],
): Promise<Served> {
  let fetches = 0;
  let answered = 0;
  const authorizer = createHandlerFrom(
    {
      TABLE_NAME: world.table,
      RESULT_CACHE: TTL_0,
      TOKEN_ISSUER: ISSUER,
      TOKEN_AUDIENCE: 'api',
      TOKEN_ALGORITHMS: 'RS256,ES256',
      ...env,
    },
    {
      clock: world.clock,
      wait: world.clock.wait,
      log: write,
      fetch: async () => {
        fetches += 1;
        return new Response(JSON.stringify({ keys }));
      },
      reader: {
        ...world.reader,
        getMany: async (...given) => {
          const found = await world.reader.getMany(...given);
          answered += 1;
          return found;
        },
      },
    },
  );
  // The revision of the routes is read before them and after them.
  await until(() => answered === 2);
  await settle();
  const send = async (event: unknown): Promise<string> => {
    try {
      const answer = await authorizer(event);
      write(JSON.stringify(answer));
      if ('isAuthorized' in answer) return answer.isAuthorized ? 'allow' : 'deny';
      return answer.policyDocument.Statement[0]?.Effect === 'Allow' ? 'allow' : 'deny';
    } catch (error) {
      const { code } = JSON.parse(lines.at(-1) ?? '{}') as { code: string };
      // As the Lambda runtime prints it: all that the error holds.
      const { message, stack, ...rest } = error as Error;
      write(JSON.stringify({ message, stack, cause: String((error as Error).cause), ...rest }));
      return code;
    }
  };
  return {
    authorizer,
    send,
    ask: (token, at = path) => {
      tried.add(token);
      return send(httpEvent('GET', at, { authorization: `Bearer ${token}` }));
    },
    fetches: () => fetches,
  };
}

type Fields = Record<string, unknown>;

const seconds = (): number => Math.floor(world.clock.now() / 1_000);
const claims = (changes: Fields = {}): Fields => ({
  iss: ISSUER,
  aud: 'api',
  sub: ann,
  exp: seconds() + 600,
  ...changes,
});
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rs256 = (input: string, pair = rsa): string =>
  signWith('RSA-SHA256', bytes(input), pair.private).toString('base64url');
const es256 = (input: string): string =>
  signWith('sha256', bytes(input), { key: ec.private, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const hs256 = (input: string, secret: string): string =>
  createHmac('sha256', secret).update(input).digest('base64url');

/** A token put together by hand: nothing keeps us from signing what no library would. */
function token(
  header: Fields,
  payload: Fields | string,
  sign: (input: string) => string = (input) => rs256(input),
): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign(input)}`;
}
const RSA_HEADER = { alg: 'RS256', kid: 'rsa' };
const good = (changes: Fields = {}): string => token(RSA_HEADER, claims(changes));
const withHeader = (changes: Fields): string => token({ ...RSA_HEADER, ...changes }, claims());
const goodEs256 = (changes: Fields = {}): string =>
  token({ alg: 'ES256', kid: 'ec' }, claims(changes), es256);

type Attack = readonly [name: string, make: () => string, code: string];

const ATTACKS: readonly Attack[] = [
  // RFC 8725 section 2.1: "the algorithm can be changed to none by an attacker". In each spelling a filter may miss.
  ...['none', 'None', 'NONE', 'nOnE', ''].map(
    (alg): Attack => [
      `alg ${JSON.stringify(alg)} with the signature of a good token`,
      () => token({ ...RSA_HEADER, alg }, claims({ sub: 'admin' })),
      alg === '' ? 'token_malformed' : 'algorithm_refused',
    ],
  ),
  // The unsecured JWS of RFC 7518 section 3.6 has no signature at all.
  ['alg none without a signature', () => token({ alg: 'none' }, claims(), () => ''), 'credentials_malformed'],
  // CVE-2022-23540 (jsonwebtoken): where no algorithms were set and no key was found, `none` was taken for the default.
  [
    'CVE-2022-23540: alg none under a key id that has no key',
    () => token({ alg: 'none', kid: 'nobody' }, claims()),
    'algorithm_refused',
  ],
  ['no alg at all', () => token({ kid: 'rsa' }, claims()), 'token_malformed'],
  ['alg that is no text', () => withHeader({ alg: ['RS256'] }), 'token_malformed'],

  // RFC 8725 section 2.1: the public key, which everybody has, taken for the secret of an HMAC.
  [
    'HS256 signed with the public key',
    () => token({ alg: 'HS256', kid: 'rsa' }, claims(), (input) => hs256(input, rsa.spki)),
    'algorithm_refused',
  ],
  // An algorithm of the same family that is not configured.
  ['RS512 in the header of an RS256 token', () => withHeader({ alg: 'RS512' }), 'algorithm_refused'],
  // Both are configured, but a key serves one.
  ["ES256 in the header, with the RSA key's id", () => withHeader({ alg: 'ES256' }), 'key_unknown'],

  // RFC 7515 section 4.1.11: what is critical and not understood must be refused.
  ['crit that names a registered header', () => withHeader({ crit: ['kid'] }), 'token_malformed'],
  // RFC 7797: the payload as it stands, so that what is signed is not what is read.
  ['b64 true, not critical', () => withHeader({ b64: true }), 'header_refused'],
  ['b64 true, critical', () => withHeader({ b64: true, crit: ['b64'] }), 'header_refused'],

  // RFC 7515 sections 4.1.2 to 4.1.5: the token brings the key that it is to be verified with, or says where it is.
  [
    'jwk: its own key',
    () => token({ ...RSA_HEADER, jwk: stranger.jwk }, claims(), (input) => rs256(input, stranger)),
    'header_refused',
  ],
  [
    'jku: a place for its keys',
    () => withHeader({ jku: 'https://evil.example/jwks.json' }),
    'header_refused',
  ],
  [
    'x5u: a place for its certificate',
    () => withHeader({ x5u: 'https://evil.example/x5u.pem' }),
    'header_refused',
  ],
  ["jwk: the issuer's own key", () => withHeader({ jwk: rsa.jwk }), 'header_refused'],
  // A certificate of the attacker's own; nobody looks at it, and the signature is not the issuer's.
  [
    'x5c: its own certificate',
    () => token({ ...RSA_HEADER, x5c: ['MIIB'] }, claims(), (input) => rs256(input, stranger)),
    'signature_invalid',
  ],

  // The key id picks a key and nothing else: no file, no row, no property.
  ...['../../../dev/null', "' OR 1=1 --", '__proto__', 'constructor', ''].map(
    (kid): Attack => [`kid ${JSON.stringify(kid)}`, () => withHeader({ kid }), 'key_unknown'],
  ),
  ['kid that is no text', () => withHeader({ kid: { rsa: true } }), 'key_unknown'],
  [
    "a stranger's key under a known id",
    () => token(RSA_HEADER, claims(), (input) => rs256(input, stranger)),
    'signature_invalid',
  ],

  // Two good tokens, crossed.
  [
    'the claims of one token with the signature of another',
    () => `${good({ sub: 'admin' }).split('.').slice(0, 2).join('.')}.${good().split('.')[2]}`,
    'signature_invalid',
  ],
  ['the signature empty', () => `${good().split('.').slice(0, 2).join('.')}.`, 'credentials_malformed'],
  // CVE-2022-21449: an ECDSA signature of zeros was good for everything.
  [
    'an ES256 signature of zeros',
    () => token({ alg: 'ES256', kid: 'ec' }, claims(), () => Buffer.alloc(64).toString('base64url')),
    'signature_invalid',
  ],

  // A token that is good, but not here.
  ['another audience', () => good({ aud: 'https://other.example' }), 'audience_refused'],
  ['an audience that begins like ours', () => good({ aud: ['api2', 'ap'] }), 'audience_refused'],
  ['no audience', () => good({ aud: undefined }), 'audience_refused'],
  ['an empty list of audiences', () => good({ aud: [] }), 'audience_refused'],
  ['an audience that is an object', () => good({ aud: { api: true } }), 'audience_refused'],
  ['another issuer', () => good({ iss: 'https://evil.example' }), 'issuer_refused'],
  ['our issuer with a slash', () => good({ iss: `${ISSUER}/` }), 'issuer_refused'],
  ['our issuer in a list', () => good({ iss: [ISSUER] }), 'issuer_refused'],
  ['no issuer', () => good({ iss: undefined }), 'issuer_refused'],
  ['an issuer that every object has', () => good({ iss: '__proto__' }), 'issuer_refused'],

  // Not any more, or not yet. There are 5 s for clocks that differ, at the start and not at the end.
  ['expired a second ago', () => good({ exp: seconds() - 1 }), 'token_expired'],
  ['expired this second', () => good({ exp: seconds() }), 'token_expired'],
  ['valid in six seconds', () => good({ nbf: seconds() + 6 }), 'claim_refused'],
  ['nbf that is no number', () => good({ nbf: '0' }), 'claim_refused'],
  ['no exp', () => good({ exp: undefined }), 'claim_refused'],
  // JSON allows it and JavaScript reads Infinity: a number that never passes.
  [
    'exp beyond all numbers',
    () => token(RSA_HEADER, JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999')),
    'claim_refused',
  ],

  // Of a claim that is there twice, the last one counts (RFC 8259 leaves it open, ECMAScript does not).
  [
    'a good iss before a bad one',
    () => token(RSA_HEADER, twice({ iss: 'https://evil.example' })),
    'issuer_refused',
  ],
  ['a good aud before a bad one', () => token(RSA_HEADER, twice({ aud: 'other' })), 'audience_refused'],
  ['a good exp before one that has passed', () => token(RSA_HEADER, twice({ exp: 1 })), 'token_expired'],

  // Too much, or not quite a token.
  ['9 KB', () => good({ padding: 'x'.repeat(9_000) }), 'token_too_long'],
  ['20 KB', () => good({ padding: 'x'.repeat(20_000) }), 'token_too_long'],
  ['a NUL after it', () => `${good()}\0`, 'credentials_malformed'],
  ['a header that is no JSON', () => `${base64url('x')}.${base64url(claims())}.c2ln`, 'token_malformed'],
  ['a header that is a list', () => `${base64url('[]')}.${base64url(claims())}.c2ln`, 'token_malformed'],
  ['a payload that is a list', () => token(RSA_HEADER, '[]'), 'token_malformed'],
  ['a payload that is no JSON', () => token(RSA_HEADER, 'x'), 'token_malformed'],
  ['a payload of 4,000 brackets', () => token(RSA_HEADER, '['.repeat(4_000)), 'token_malformed'],
  ['an API token that is none', () => `gh1_${good()}`, 'token_malformed'],
];

/** The good claims, and behind them some of them again. */
function twice(changes: Fields): string {
  return `${JSON.stringify(claims()).slice(0, -1)},${JSON.stringify(changes).slice(1)}`;
}

test('the token that the attacks start from is good, in either algorithm', async () => {
  expect(await warm.ask(good())).toBe('allow');
  expect(await warm.ask(goodEs256())).toBe('allow');
});

/** What is known before any key is. */
const WITHOUT_KEYS = ['token_too_long', 'credentials_malformed', 'issuer_refused'];

test.each(ATTACKS)('an attack with %s is refused without reading the table', async (_, make, code) => {
  const cold = await serve();
  world.calls.length = 0;
  expect(await cold.ask(make())).toBe(code);
  if (WITHOUT_KEYS.includes(code)) expect(cold.fetches()).toBe(0);
  expect(await warm.ask(good())).toBe('allow');
  expect(await warm.ask(make())).toBe(code);
  expect(world.calls).toEqual([]);
});

test('a token is good for any audience of the configuration, alone or in a list', async () => {
  const { ask } = await serve({ TOKEN_AUDIENCE: 'web, api' });
  for (const aud of ['api', ['other', 'api']]) expect(await ask(good({ aud }))).toBe('allow');
});

test('a token may be as long as the configuration says, and no longer', async () => {
  const token = good();
  const boundedBy = async (most: number) => (await serve({ TOKEN_MAX_BYTES: `${most}` })).ask(token);
  expect(await boundedBy(token.length)).toBe('allow');
  expect(await boundedBy(token.length - 1)).toBe('token_too_long');
});

// A rotation under the old key id: whoever signs as nobody can must not have the keys fetched more often.
test('a flood of bad signatures costs one fetch in 30 s, and valid tokens are accepted in the meantime', async () => {
  const one = await serve();
  expect(await one.ask(good())).toBe('allow');
  world.clock.advance(31_000);
  const flood = Array.from({ length: 300 }, (_, i) =>
    token(RSA_HEADER, claims({ jti: `${i}` }), (input) => rs256(input, stranger)),
  );
  const before = lines.length;
  await Promise.all(flood.map((bad) => one.ask(bad)));
  expect(lines.slice(before).filter((line) => line.includes('"signature_invalid"'))).toHaveLength(300);
  expect(await one.ask(good())).toBe('allow');
  expect(one.fetches()).toBe(2);
});

describe('a rotation of keys', () => {
  const named = (pair: Pair, kid: string | undefined) => ({ ...pair.jwk, kid });
  const signedBy = (pair: Pair, kid: string | undefined) =>
    token({ alg: 'RS256', kid }, claims(), (input) => rs256(input, pair));

  test.each([
    ['under the old key id', 'rsa'],
    ['without key ids', undefined],
  ])(
    '%s: tokens of the new key are accepted within 30 s, and then those of the old one refused',
    async (_, kid) => {
      const published = [named(rsa, kid)];
      const one = await serve({}, published);
      const [old, fresh] = [signedBy(rsa, kid), signedBy(stranger, kid)];
      expect(await one.ask(old)).toBe('allow');
      published.splice(0, 1, named(stranger, kid));
      expect(await one.ask(fresh)).toBe('signature_invalid');
      world.clock.advance(30_000);
      expect(await one.ask(fresh)).toBe('allow');
      expect(await one.ask(old)).toBe('signature_invalid');
    },
  );

  test.each([['rsa'], [undefined]])(
    'with both published under the key id %s, tokens of both are accepted',
    async (kid) => {
      const one = await serve({}, [named(rsa, kid), named(stranger, kid)]);
      expect(await one.ask(signedBy(rsa, kid))).toBe('allow');
      expect(await one.ask(signedBy(stranger, kid))).toBe('allow');
      expect(one.fetches()).toBe(1);
    },
  );
});

// RFC 9864 gave the one algorithm of RFC 8037 that is supported here a name of its own.
describe('EdDSA and Ed25519 are one algorithm', () => {
  const NAMES = ['EdDSA', 'Ed25519'];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'ed' };
  const signed = (alg: string) =>
    token({ alg, kid: 'ed' }, claims(), (input) =>
      signWith(null, bytes(input), privateKey).toString('base64url'),
    );

  test.each(NAMES.flatMap((configured) => [...NAMES, undefined].map((alg) => [configured, alg] as const)))(
    'configured as %s, published as %s: tokens with either name are accepted',
    async (configured, alg) => {
      const one = await serve({ TOKEN_ALGORITHMS: configured }, [{ ...jwk, alg }]);
      for (const name of NAMES) expect(await one.ask(signed(name)), name).toBe('allow');
    },
  );
});

test('nbf may lie 5 s ahead, exp not at all, and the log names the claim', async () => {
  expect(await warm.ask(good({ nbf: seconds() + 5 }))).toBe('allow');
  expect(await warm.ask(good({ nbf: seconds() + 5, exp: seconds() }))).toBe('token_expired');
  expect(await warm.ask(good({ nbf: seconds() + 6 }))).toBe('claim_refused');
  const logged = lines.findLast((line) => line.includes('"credentials refused"'));
  expect(JSON.parse(String(logged))).toMatchObject({ code: 'claim_refused', claim: 'nbf' });
});

// JSON.parse keeps the last; there is one parser here, and what was verified is the object that is read.
test('of a duplicate claim the last one counts, for verification and for reading', async () => {
  const nobody = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
  const reasonOf = async (payload: string) => {
    const event = httpEvent('GET', path, { authorization: `Bearer ${token(RSA_HEADER, payload)}` });
    return (await warm.authorizer(event)).context?.reason;
  };
  expect(await reasonOf(twice({ sub: nobody }))).toBe('subject_unknown');
  expect(await reasonOf(JSON.stringify(claims()).replace('{', `{"sub":"${nobody}",`))).toBe('role');
  // A claim of this name is a claim, and no prototype from which others would be read.
  expect(await reasonOf(`{"__proto__":${JSON.stringify(claims())}}`).catch(() => 'refused')).toBe('refused');
});

test("a user's own good token opens nothing of another tenant, whatever it says of itself", async () => {
  expect(await warm.ask(good(), path)).toBe('allow');
  expect(await warm.ask(good(), otherTenant)).toBe('deny');
  const theirs = otherTenant.split('/')[2];
  // Signed by the issuer, as a user may have had set what is theirs to set: the claim names a place, the grant is not there.
  expect(await warm.ask(good({ tenant: theirs, roles: ['admin'], isAdmin: true }), '/mine')).toBe('deny');
  expect(await warm.ask(good({ tenant: path.split('/')[2] }), '/mine')).toBe('allow');
});

test('nothing logged, thrown or returned contains any part of a token, its payload or a key', async () => {
  lines.length = 0;
  for (const [, make] of ATTACKS) await warm.ask(make());
  const broken = await serve({}, [{ ...rsa.jwk, n: '*' }, 'x', { ...rsa.privateJwk, kid: 'rsa' }]);
  expect(await broken.ask(good())).toBe('key_unknown');
  await warm.send(httpEvent('GET', path, { authorization: `Basic ${good()}` }));
  expect(lines.length).toBeGreaterThan(2 * ATTACKS.length);

  /** All that stands in a text in a row, eight characters long. */
  const runs = (text: string): string[] =>
    Array.from({ length: Math.max(0, text.length - 7) }, (_, at) => text.slice(at, at + 8));
  const logged = new Set(lines.flatMap(runs));
  const secrets = [
    ...tried,
    good(),
    ...[rsa, ec, stranger].flatMap((pair) => [
      JSON.stringify(pair.jwk),
      JSON.stringify(pair.privateJwk),
      pair.spki,
    ]),
  ];
  for (const secret of secrets) {
    const decoded = secret.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect([secret, ...decoded].flatMap(runs).filter((run) => logged.has(run))).toEqual([]);
  }
});
