import type { IssuerConfiguration } from './configuration.ts';
import { createKeySets, createRemoteKeys, type RemoteKeys, type RemoteKeysOptions } from './keys.ts';
import type { TrustedIssuer, VerifiedClaims } from './verify.ts';

/** An issuer whose keys are fetched. */
export interface RemoteIssuer extends TrustedIssuer {
  readonly keys: RemoteKeys;
}

/**
 * Adds a key source to each issuer. Entries with the same key set URL and algorithms share one.
 *
 * @param cacheBytes bound on all cached keys, in estimated bytes
 */
export function createIssuers(
  issuers: readonly IssuerConfiguration[],
  {
    cacheBytes,
    ...options
  }: Omit<RemoteKeysOptions, 'url' | 'algorithms' | 'keySets'> & { readonly cacheBytes: number },
): readonly RemoteIssuer[] {
  const keySets = createKeySets(cacheBytes, options.clock);
  const shared = new Map<string, RemoteKeys>();
  return issuers.map(({ jwksUrl: url, ...issuer }) => {
    const { algorithms } = issuer;
    const name = [url.href, ...algorithms].join(' ');
    const keys = shared.get(name) ?? createRemoteKeys({ ...options, url, algorithms, keySets });
    shared.set(name, keys);
    return { ...issuer, keys };
  });
}

/** The entry that verified claims were verified against. */
export const entryOf = <Entry extends Pick<IssuerConfiguration, 'issuer' | 'tokenUse'>>(
  issuers: readonly Entry[],
  { iss, token_use }: VerifiedClaims,
): Entry | undefined =>
  issuers.find(
    ({ issuer, tokenUse }) => issuer === iss && (tokenUse === undefined || tokenUse === token_use),
  );
