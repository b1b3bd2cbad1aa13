import type { Clock } from '../../engine/clock.ts';
import type { RemoteIssuer } from './issuers.ts';
import { createVerify } from './verify.ts';

/** Of the length of a signature by RSA with 2,048 bits. Those of other keys are refused before they are computed. */
const SIGNATURE = Buffer.alloc(256, 1).toString('base64url');

/**
 * Fetches the keys of each key source, and verifies with one of them a token that nobody has signed. It fails at its
 * signature, but has run what verifies (ADR 0036).
 */
export async function verifyOnce(issuers: readonly RemoteIssuer[], { now }: Clock): Promise<void> {
  const sources = new Map(issuers.map((trusted) => [trusted.keys, trusted]));
  const verify = createVerify(issuers);
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const tried = [...sources.values()].map(async ({ issuer: iss, tokenUse: token_use, keys }) => {
    const [key] = (await keys.prefetch()).values();
    if (key === undefined) return;
    const [header, payload] = [
      { alg: key.alg, kid: key.kid },
      { iss, token_use, exp: 0 },
    ];
    await verify([encoded(header), encoded(payload), SIGNATURE].join('.'), now()).catch(() => undefined);
  });
  await Promise.all(tried);
}
