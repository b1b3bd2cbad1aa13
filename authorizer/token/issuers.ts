import type { SubjectOf } from '../subject.ts';
import type { SubjectSource } from '../variables.ts';
import type { TrustedIssuer } from './authentication.ts';
import type { IssuerConfiguration } from './configuration.ts';
import { createRemoteKeys, type KeySource, type RemoteKeysOptions } from './keys.ts';

/** The issuers with their keys. Entries that take the same keys share them, and so their one fetch. */
export function createIssuers(
  issuers: readonly IssuerConfiguration[],
  options: Omit<RemoteKeysOptions, 'url' | 'algorithms'>,
): readonly TrustedIssuer[] {
  const shared = new Map<string, KeySource>();
  return issuers.map(({ jwksUrl: url, ...issuer }) => {
    const { algorithms } = issuer;
    const name = [url.href, ...algorithms].join(' ');
    const keys = shared.get(name) ?? createRemoteKeys({ ...options, url, algorithms });
    shared.set(name, keys);
    return { ...issuer, keys };
  });
}

/**
 * Who the subject is, by the issuer of the verified claims: the same `sub` of two issuers is two persons (OpenID
 * Connect Core section 5.7), so what one issuer is asked for, another need not be (token/configuration.ts).
 */
export function createSubjectOfIssuers(
  issuers: readonly Pick<IssuerConfiguration, 'issuer' | 'subjectFrom'>[],
  create: (from: SubjectSource) => SubjectOf,
): SubjectOf {
  const shared = new Map<string, SubjectOf>();
  const byIssuer = new Map<unknown, SubjectOf>();
  for (const { issuer, subjectFrom } of issuers) {
    const name = JSON.stringify(subjectFrom);
    const subjectOf = shared.get(name) ?? create(subjectFrom);
    shared.set(name, subjectOf);
    byIssuer.set(issuer, subjectOf);
  }
  return (claims) => byIssuer.get(claims.iss)?.(claims);
}
