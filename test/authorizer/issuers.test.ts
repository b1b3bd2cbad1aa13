import { describe, expect, it } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { createLogged } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import { ALICE, createIssuer, createReadTable, httpEvent, TTL_0 } from './support.ts';

const BOB = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
const AUTH0 = 'https://shop.eu.auth0.com/';
const POOL = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
const PARTNER = 'https://login.partner.example';

const [auth0, pool, partner] = await Promise.all([createIssuer('a'), createIssuer('p'), createIssuer('x')]);

const ISSUERS = [
  { issuer: AUTH0, audience: ['https://api.shop.example'], typ: 'at+jwt' },
  { issuer: POOL, tokenUse: 'access', clientIds: ['web', 'app'], subjectFrom: 'claim:custom:gatehouse' },
  { issuer: POOL, tokenUse: 'id', audience: ['web'], subjectFrom: 'claim:custom:gatehouse' },
  { issuer: PARTNER, audience: 'api', clientIds: ['batch'], subjectFrom: 'claim:gatehouse' },
];

/** An authorizer over a table without routes: whoever gets in is told that there is none, and as whom. */
function setUp() {
  const clock = createClock();
  const fetched: string[] = [];
  const { lines, write } = createLogged();
  const served = new Map([
    [`${AUTH0}.well-known/jwks.json`, auth0],
    [`${POOL}/.well-known/jwks.json`, pool],
    [`${PARTNER}/.well-known/jwks.json`, partner],
  ]);
  const authorizer = createHandlerFrom(
    { TABLE_NAME: 'gatehouse', TOKEN_ISSUERS: JSON.stringify(ISSUERS), RESULT_CACHE: TTL_0 },
    {
      clock,
      log: write,
      fetch: async (url) => {
        fetched.push(url);
        const jwk = served.get(url)?.jwk;
        return jwk ? new Response(JSON.stringify({ keys: [jwk] })) : new Response('down', { status: 503 });
      },
      reader: createReadTable().reader,
    },
  );
  const ask = async (token: string | Promise<string>): Promise<string> => {
    const event = httpEvent('GET', '/', { authorization: `Bearer ${await token}` });
    return authorizer(event).then(
      ({ context }) => context?.subject ?? String(context?.reason),
      () => (JSON.parse(lines.at(-1) ?? '{}') as { code: string }).code,
    );
  };
  return { ask, fetched, served };
}

/** Each issuer's token as it makes them; without what is undefined. */
const ofAuth0 = (changes = {}, header = {}) =>
  auth0.token(
    { iss: AUTH0, aud: ['https://api.shop.example', `${AUTH0}userinfo`], ...changes },
    { typ: 'at+jwt', ...header },
  );
const accessOfPool = (changes = {}) =>
  pool.token({
    iss: POOL,
    aud: undefined,
    sub: BOB,
    token_use: 'access',
    client_id: 'app',
    'custom:gatehouse': ALICE,
    ...changes,
  });
const idOfPool = (changes = {}) =>
  pool.token({ iss: POOL, aud: 'web', sub: BOB, token_use: 'id', 'custom:gatehouse': ALICE, ...changes });
const ofPartner = (changes = {}) =>
  partner.token({ iss: PARTNER, aud: 'api', client_id: 'batch', sub: ALICE, gatehouse: BOB, ...changes });

describe('several issuers', () => {
  it('each have their own keys, fetched when they are first needed, once for Cognito’s two kinds', async () => {
    const { ask, fetched } = setUp();
    expect(await ask(ofAuth0())).toBe(`user:${ALICE}`);
    expect(fetched).toEqual([`${AUTH0}.well-known/jwks.json`]);
    expect(await ask(accessOfPool())).toBe(`user:${ALICE}`);
    expect(await ask(idOfPool())).toBe(`user:${ALICE}`);
    expect(await ask(ofPartner())).toBe(`user:${BOB}`);
    expect(fetched.slice(1)).toEqual([`${POOL}/.well-known/jwks.json`, `${PARTNER}/.well-known/jwks.json`]);
  });

  it("do not sign for each other: one's name over another's signature", async () => {
    const { ask } = setUp();
    expect(await ask(partner.token({ iss: AUTH0, aud: 'https://api.shop.example' }, { typ: 'at+jwt' }))).toBe(
      'key_unknown',
    );
    const forged = partner.token(
      { iss: AUTH0, aud: 'https://api.shop.example' },
      { typ: 'at+jwt', kid: 'a' },
    );
    expect(await ask(forged)).toBe('signature_invalid');
  });

  it('fail independently', async () => {
    const { ask, served } = setUp();
    served.delete(`${PARTNER}/.well-known/jwks.json`);
    expect(await ask(ofPartner())).toBe('keys_unavailable');
    expect(await ask(ofAuth0())).toBe(`user:${ALICE}`);
  });
});

describe('a subject', () => {
  it('is not the user with the same sub of another issuer', async () => {
    const { ask } = setUp();
    expect(await ask(ofAuth0({ sub: ALICE }))).toBe(`user:${ALICE}`);
    expect(await ask(ofPartner({ sub: ALICE, gatehouse: undefined }))).toBe('subject_unknown');
    expect(await ask(accessOfPool({ sub: ALICE, 'custom:gatehouse': undefined }))).toBe('subject_unknown');
    expect(await ask(ofAuth0({ sub: BOB, gatehouse: ALICE, 'custom:gatehouse': ALICE }))).toBe(`user:${BOB}`);
  });

  it('is not mixed up by the cache of verified tokens', async () => {
    const { ask } = setUp();
    const [one, other] = [await ofAuth0({ sub: ALICE }), await ofPartner({ sub: ALICE })];
    for (let i = 0; i < 3; i++) {
      expect(await ask(one)).toBe(`user:${ALICE}`);
      expect(await ask(other)).toBe(`user:${BOB}`);
    }
  });
});

describe('a token', () => {
  it.each<[string, () => Promise<string>, string]>([
    ['of another client of Cognito', () => accessOfPool({ client_id: 'other' }), 'audience_refused'],
    ['of no client', () => accessOfPool({ client_id: undefined }), 'audience_refused'],
    ['of a client in a list', () => accessOfPool({ client_id: ['app'] }), 'audience_refused'],
    [
      'with an audience beside the client',
      () => accessOfPool({ aud: 'https://a.example' }),
      'audience_refused',
    ],
    ['of another use', () => accessOfPool({ token_use: 'refresh' }), 'claim_refused'],
    ['of no use', () => accessOfPool({ token_use: undefined }), 'claim_refused'],
    [
      'an access token that says it is of use `id`',
      () => accessOfPool({ token_use: 'id' }),
      'audience_refused',
    ],
    ['an ID token of another client', () => idOfPool({ aud: 'app' }), 'audience_refused'],
    ['an ID token of none', () => idOfPool({ aud: undefined }), 'audience_refused'],
    [
      'an ID token that says it is of use `access`',
      () => idOfPool({ token_use: 'access' }),
      'audience_refused',
    ],
    ['of Auth0 for another API', () => ofAuth0({ aud: [`${AUTH0}userinfo`] }), 'audience_refused'],
    ['an ID token where access tokens are typed', () => ofAuth0({}, { typ: 'JWT' }), 'claim_refused'],
    ['without a type there', () => ofAuth0({}, { typ: undefined }), 'claim_refused'],
    ['with the audience and not the client', () => ofPartner({ client_id: 'web' }), 'audience_refused'],
    ['with the client and not the audience', () => ofPartner({ aud: 'web' }), 'audience_refused'],
  ])('is refused: %s', async (_, token, code) => {
    expect(await setUp().ask(token())).toBe(code);
  });

  it('may write the type in full', async () => {
    expect(await setUp().ask(ofAuth0({}, { typ: 'application/at+jwt' }))).toBe(`user:${ALICE}`);
  });
});
