import type { IssuerConfiguration } from './configuration.ts';
import { createKeySets, createRemoteKeys, type KeySource, type RemoteKeysOptions } from './keys.ts';
import type { TrustedIssuer } from './verify.ts';

/**
 * The issuers with their keys. Entries that take the same keys share them, and so their one fetch.
 *
 * @param cacheBytes bound on all keys that are kept, in estimated bytes
 */
export function createIssuers(
  issuers: readonly IssuerConfiguration[],
  {
    cacheBytes,
    ...options
  }: Omit<RemoteKeysOptions, 'url' | 'algorithms' | 'keySets'> & { readonly cacheBytes: number },
): readonly TrustedIssuer[] {
  const keySets = createKeySets(cacheBytes, options.clock);
  const shared = new Map<string, KeySource>();
  return issuers.map(({ jwksUrl: url, ...issuer }) => {
    const { algorithms } = issuer;
    const name = [url.href, ...algorithms].join(' ');
    const keys = shared.get(name) ?? createRemoteKeys({ ...options, url, algorithms, keySets });
    shared.set(name, keys);
    return { ...issuer, keys };
  });
}
