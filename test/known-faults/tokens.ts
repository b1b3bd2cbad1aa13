import { createHmac, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { exportSPKI, SignJWT } from 'jose';
import { expect } from 'vitest';
import { parseConfiguration } from '../../authorizer/configuration.ts';
import { parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import { bearer } from '../../middleware/index.ts';
import {
  AUDIENCE,
  base64url,
  doorsOf,
  goodClaims,
  ISSUER,
  issuer,
  open,
  SHOWING,
  TOKENS,
  tokenOf,
} from './doors.ts';
import { type Kind, type KnownFault, PLACE, whereverShown } from './fault.ts';

/** A token put together by hand; without a key, the signature is an HMAC with an empty one. */
function forged(header: object, claims: object | string, secret = ''): string {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** Signed by the issuer, with claims as they are: the library that signs would not let all of them pass. */
const signed = (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1', ...header }).sign(issuer.privateKey);

/** A text of a claim as it is: `1e999` and the like stand in no JSON that a library writes. */
const signedAs = async (claim: string, text: string) => {
  const input = `${base64url({ alg: 'RS256', kid: 'key-1' })}.${base64url(
    JSON.stringify(goodClaims({ sub: 'pep', [claim]: 0 })).replace(`"${claim}":0`, `"${claim}":${text}`),
  )}`;
  const key = KeyObject.from(issuer.privateKey as Parameters<typeof KeyObject.from>[0]);
  const signature = sign('RSA-SHA256', new TextEncoder().encode(input), key);
  return `${input}.${signature.toString('base64url')}`;
};

const EXPIRY = ['0', '-1', 'null', 'true', '"9999999999"', '"NaN"', '1e999', '[9999999999]', '{}'];

const refused = (headers: () => Promise<readonly string[]> | readonly string[]): KnownFault['at'] =>
  whereverShown(async (show) => {
    expect(await show(`Bearer ${await tokenOf('pep')}`)).toBe('accepted');
    for (const header of await headers()) expect(await show(header), header.slice(0, 80)).toBe('refused');
  });

/** The same variables at each door that is configured by variables, or by options of these names. */
const wrong = (variables: Readonly<Record<string, string>>, options: object): KnownFault['at'] => ({
  authorizer: async () =>
    expect(() => parseConfiguration({ TABLE_NAME: 'table', ...TOKENS, ...variables })).toThrow(/TOKEN_/),
  AuthZEN: async () =>
    expect(() => parseAuthzenConfiguration({ TABLE_NAME: 'table', ...TOKENS, ...variables })).toThrow(
      /TOKEN_/,
    ),
  middleware: async () =>
    expect(() => bearer({ issuer: ISSUER, audience: AUDIENCE, ...options })).toThrow(/TOKEN_ISSUERS/),
});

export const TOKEN_FAULTS: Kind = {
  title: 'Tokens',
  faults: [
    {
      ids: ['OpenFGA CVE-2026-55689', 'Zitadel CVE-2026-55669'],
      shape: 'The audience is not looked at where none is configured.',
      answer:
        'Without an audience or client ids the configuration is refused; each token must name one of them.',
      at: wrong({ TOKEN_AUDIENCE: '' }, { audience: undefined }),
    },
    {
      ids: ['Hono CVE-2026-44459'],
      shape: 'exp is 0, not a number, infinite, or a text.',
      answer: 'exp must be a number of seconds that lies ahead; anything else is 401.',
      at: refused(() => Promise.all(EXPIRY.map(async (text) => `Bearer ${await signedAs('exp', text)}`))),
    },
    {
      ids: ['Hono CVE-2026-22817', 'fast-jwt CVE-2023-48223', 'fast-jwt CVE-2026-34950'],
      shape: 'The header chooses the algorithm, or white space before a public key hides what it is.',
      answer: 'The configuration and the key say the algorithm; no HMAC can be configured.',
      at: refused(async () => {
        const pem = await exportSPKI(issuer.publicKey);
        return ['', ' ', '\n', '\t'].flatMap((space) =>
          ['HS256', 'hs256', ' HS256', 'none'].map(
            (alg) => `Bearer ${forged({ alg, kid: 'key-1' }, goodClaims({ sub: 'pep' }), space + pem)}`,
          ),
        );
      }),
    },
    {
      ids: ['fast-jwt CVE-2026-44351'],
      shape: 'An empty HMAC key verifies.',
      answer:
        'There are no shared secrets: HMAC cannot be configured, and a key of this type verifies nothing.',
      at: {
        ...wrong({ TOKEN_ALGORITHMS: 'HS256' }, { algorithms: ['HS256'] }),
        middleware: async () => {
          await wrong({}, { algorithms: ['HS256'] }).middleware?.();
          const { show } = await open(PLACE);
          const token = forged({ alg: 'HS256', kid: 'key-1' }, goodClaims({ sub: 'pep' }));
          for (const door of SHOWING) expect(await show[door](`Bearer ${token}`), door).toBe('refused');
        },
      },
    },
    {
      ids: ['fast-jwt CVE-2026-35042'],
      shape: 'An unknown critical header is passed over.',
      answer: 'A token with a critical header that is not understood is 401 (RFC 7515 section 4.1.11).',
      at: refused(async () => {
        const [, claims, signature] = (await tokenOf('pep')).split('.');
        return [{ crit: ['x'], x: 1 }, { crit: [] }, { crit: ['b64'], b64: false }, { b64: false }].map(
          (more) => `Bearer ${base64url({ alg: 'RS256', kid: 'key-1', ...more })}.${claims}.${signature}`,
        );
      }),
    },
    {
      ids: ['Hono CVE-2026-47673'],
      shape: 'Any scheme stands for Bearer.',
      answer: 'The scheme is Bearer, in any case (RFC 9110 section 11.1), and nothing else.',
      at: refused(async () => {
        const token = await tokenOf('pep');
        return ['Basic', 'Token', 'Bearers', 'JWT', 'DPoP', ''].map((scheme) => `${scheme} ${token}`);
      }),
    },
    {
      ids: ['Keycloak GHSA-gv94'],
      shape: 'A tab separates the scheme from the token.',
      answer: 'One space, and nothing before, after or instead of it.',
      at: refused(async () => {
        const token = await tokenOf('pep');
        return ['Bearer\t', 'Bearer  ', 'Bearer \t', ' Bearer ', 'Bearer\u00a0', 'Bearer', 'Bearer,'].map(
          (before) => before + token,
        );
      }),
    },
    {
      ids: ['Zitadel CVE-2026-27840'],
      shape: 'An opaque token that was cut short is valid.',
      answer: 'An API token holds an id and a secret; the digest of the whole is compared with its record.',
      at: Object.fromEntries(
        SHOWING.map((door) => [
          door,
          async () => {
            const { kit } = await open(PLACE);
            const { token } = await kit.command('token.create', { user: 'pep', tokenType: 'api' });
            const { show } = doorsOf(kit, kit.reader);
            const text = String(token);
            if (door !== 'middleware') expect(await show[door](`Bearer ${text}`)).toBe('accepted');
            for (const length of [1, 2, 8, 16, 32])
              expect(await show[door](`Bearer ${text.slice(0, -length)}`), String(length)).toBe('refused');
            expect(await show[door](`Bearer ${text}A`)).toBe('refused');
          },
        ]),
      ),
    },
    {
      ids: ['Keycloak CVE-2026-1486'],
      shape: 'An issuer that was disabled is still trusted.',
      answer: 'Only issuers of the configuration count, by their exact text, however well a token is signed.',
      at: refused(() =>
        Promise.all(
          ['https://old.example', `${ISSUER}/`, ISSUER.toUpperCase(), ''].map(
            async (iss) => `Bearer ${await tokenOf('pep', { iss })}`,
          ),
        ),
      ),
    },
    {
      ids: ['Casdoor CVE-2026-9097', 'Casdoor CVE-2026-9094'],
      shape:
        'Token exchange takes the token of an inactive subject, or one that another organisation signed.',
      answer:
        'There is no token exchange. The brothers of this fault: a key of another issuer is 401, and a subject whose end has come is refused.',
      at: {
        ...refused(async () => {
          const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
          const strange = new SignJWT(goodClaims({ sub: 'pep' })).setProtectedHeader({
            alg: 'RS256',
            kid: 'key-1',
          });
          return [`Bearer ${await strange.sign(privateKey)}`];
        }),
        engine: async () => {
          const { ask } = await open({
            ...PLACE,
            users: {
              gone: { id: 'gone', status: 'disabled' },
              over: { id: 'over', until: '2026-01-15T11:59:59Z' },
            },
          });
          for (const who of ['gone', 'over'])
            for (const door of ['engine', 'authorizer', 'middleware', 'AuthZEN', 'explorer'] as const)
              expect(await ask[door]({ who, where: 'north' }), `${who} at ${door}`).not.toBe('allow');
        },
      },
    },
    {
      ids: ['jose CVE-2024-28176', 'go-jose CVE-2024-28180'],
      shape: 'A compressed JWE is unpacked to any size.',
      answer: 'No JWE is read: a token has three parts, at most 8 KB, and a signature.',
      at: refused(() => [
        `Bearer ${base64url({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' })}..${'A'.repeat(16)}.${'A'.repeat(4_000)}.${'A'.repeat(22)}`,
      ]),
    },
    {
      ids: ['golang-jwt CVE-2025-30204'],
      shape: 'A header of many dots takes memory in proportion.',
      answer:
        'Credentials over 10,240 characters are refused unread, and a token that has not two dots unparsed.',
      at: refused(() => [
        `Bearer ${'.'.repeat(8_000)}`,
        `Bearer ${'a.'.repeat(4_000)}`,
        `Bearer ${'.'.repeat(20_000)}`,
      ]),
    },
    {
      ids: ['fast-jwt CVE-2026-35041'],
      shape: 'A regular expression is run on aud.',
      answer: 'Audiences are compared as texts: no pattern can be configured, and none is read from a token.',
      at: refused(() =>
        Promise.all(
          ['.*', `${AUDIENCE}.*`, `${'a'.repeat(2_000)}!`, AUDIENCE.replace('.', 'x')].map(
            async (aud) => `Bearer ${await signed(goodClaims({ sub: 'pep', aud }))}`,
          ),
        ),
      ),
    },
  ],
};
