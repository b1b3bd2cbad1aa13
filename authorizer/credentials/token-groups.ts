import type { TokenGroups } from '../../engine/index.ts';
import type { Log } from '../../table/log.ts';
import type { IssuerConfiguration } from './configuration.ts';
import { entryOf } from './issuers.ts';
import type { VerifiedClaims } from './verify.ts';

/** The groups that verified claims name; undefined if they name none that count. */
export type GroupsOf = (claims: VerifiedClaims) => TokenGroups | undefined;

const MAX_GROUPS = 1_000;
const MAX_LENGTH = 256;

/** What keeps the groups of a token from counting: too many for it, so that it names another place; or no list of names. */
type Lack = 'groups_overage' | 'groups_malformed';

/**
 * Finds groups by the claim that is configured for the issuer (`groupsFrom`), once for each verified token. They can only
 * allow, so a claim that does not count refuses no request. Undefined where no issuer has such a claim.
 *
 * @param log is told once of each issuer and lack
 */
export function createGroupsOfIssuers(
  issuers: readonly Pick<IssuerConfiguration, 'issuer' | 'tokenUse' | 'groupsFrom'>[],
  log: Pick<Log, 'warn'>,
): GroupsOf | undefined {
  if (issuers.every(({ groupsFrom }) => groupsFrom === undefined)) return undefined;
  const said = new Set<string>();
  // By the claims, which are kept with the verified token.
  const known = new WeakMap<VerifiedClaims, { readonly groups: TokenGroups | undefined }>();

  function read(claims: VerifiedClaims): TokenGroups | undefined {
    const entry = entryOf(issuers, claims);
    if (entry?.groupsFrom === undefined) return undefined;
    const { issuer, groupsFrom } = entry;
    const ids = idsIn(claims, groupsFrom);
    if (typeof ids !== 'string')
      return ids.length > 0 ? { issuer, ids, until: Number(claims.exp) * 1_000 } : undefined;
    if (!said.has(`${ids} ${issuer}`)) log.warn(ids, { issuer });
    said.add(`${ids} ${issuer}`);
    return undefined;
  }

  return (claims) => {
    const found = known.get(claims) ?? { groups: read(claims) };
    known.set(claims, found);
    return found.groups;
  };
}

/** The names in a claim, each once; or why they do not count. */
function idsIn(claims: VerifiedClaims, name: string): readonly string[] | Lack {
  if (isElsewhere(claims, name)) return 'groups_overage';
  if (!Object.hasOwn(claims, name)) return [];
  const value = claims[name];
  if (!Array.isArray(value) || !value.every(isName)) return 'groups_malformed';
  const ids = [...new Set<string>(value)];
  return ids.length > MAX_GROUPS ? 'groups_malformed' : ids;
}

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH;

/** Entra says where to ask for groups that are too many for a token (OpenID Connect Core section 5.6.2), or that there are some. */
function isElsewhere({ hasgroups, _claim_names: names }: VerifiedClaims, name: string): boolean {
  if (hasgroups === true) return true;
  return typeof names === 'object' && names !== null && Object.hasOwn(names, name);
}
