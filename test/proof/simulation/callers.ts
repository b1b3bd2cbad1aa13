import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { TokenGroups } from '../../../engine/index.ts';
import { formatApiToken } from '../../../table/api-token.ts';
import { SECRET } from '../oracle/acting.ts';
import { ISSUER, START } from '../oracle/generate.ts';
import type { Model } from '../oracle/model.ts';
import type { SmallNames } from './worlds.ts';

/** Who sends requests. Signing is slow: all tokens are made once. */
export const AUDIENCE = 'https://api.example';
/** When JWTs end: after every history. */
const END = START + 86_400_000;
const KEYS = 3;
/** The sets of keys that the issuer publishes, one after the other. */
const PUBLISHED: readonly (readonly number[])[] = [[0], [0, 1], [1], [1, 2], [2], [2, 0]];

export interface ShownCaller {
  /** The credential that it shows, signed by one of the keys. */
  readonly token: (key: number) => string;
  readonly isJwt: boolean;
  /** Reference of the record by which it can be revoked. */
  readonly credential: string;
  /** Whose it is by its id; by its email whoever has that. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly groups: TokenGroups | undefined;
}

export interface Callers {
  readonly of: (names: SmallNames) => readonly ShownCaller[];
  /** The key set that is published after so many rotations, as it is downloaded. */
  readonly published: (rotations: number) => string;
  readonly keysOf: (rotations: number) => readonly number[];
}

/** @param users the ids of those who have JWTs: the same in every world */
export async function createCallers(names: SmallNames): Promise<Callers> {
  const keys: JWK[] = [];
  const tokens: string[][] = [];
  for (let n = 0; n < KEYS; n++) {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const kid = `key-${n}`;
    keys.push({ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' });
    for (const [caller, [session, groups]] of names.jwts.entries()) {
      const [sid, user] = names.sessions[session] as (typeof names.sessions)[number];
      const claims = { sid, email: names.emails[session], email_verified: true, groups };
      const token = new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
        .setSubject(idOf(user))
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(START / 1_000)
        .setExpirationTime(END / 1_000);
      tokens[caller] = [...(tokens[caller] ?? []), await token.sign(privateKey)];
    }
  }
  const keysOf = (rotations: number) => PUBLISHED[rotations % PUBLISHED.length] as readonly number[];
  return {
    keysOf,
    published: (rotations) => JSON.stringify({ keys: keysOf(rotations).map((n) => keys[n]) }),
    of: ({ sessions, jwts, tokens: apiTokens, emails }) => [
      ...jwts.map(([session, ids], caller) => {
        const [id, subject] = sessions[session] as (typeof sessions)[number];
        return {
          token: (key: number) => tokens[caller]?.[key] ?? '',
          isJwt: true,
          credential: `session:${id}`,
          subject,
          email: emails[session],
          groups: ids && { issuer: ISSUER, ids, until: END },
        };
      }),
      ...apiTokens.map(([id, subject]) => {
        const [type = '', name = ''] = [subject.slice(0, subject.indexOf(':')), idOf(subject)];
        const text = formatApiToken({ type, id: name }, id, SECRET);
        return {
          token: () => text,
          isJwt: false,
          credential: `token:${id}`,
          subject,
          email: undefined,
          groups: undefined,
        };
      }),
    ],
  };
}

const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** Whether a credential is good for a subject, by the model. */
export const isGood = (model: Model, credential: string, subject: string): boolean =>
  model.credentials.some((each) => each.ref === credential && each.subject === subject && each.active);
