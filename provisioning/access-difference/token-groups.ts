import type { TokenGroups } from '../../engine/index.ts';
import { groupBy } from '../../table/group-by.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { LAST_INSTANT } from '../../table/timing.ts';

/** Groups of tokens: who shows such a token stands nowhere, so each of them may be shown by anybody. */

/** A group of a root, as the tokens of an issuer name it. */
export interface ExternalGroup {
  readonly issuer: string;
  readonly externalId: string;
  readonly group: string;
  /** The scope at which the group is. */
  readonly scope: string;
}

/** Groups of one token that count. */
export const MOST_GROUPS = 1_000;

export const externalGroupOf = ({ issuer, externalId, group, groupScope }: Item): ExternalGroup => ({
  issuer: String(issuer),
  externalId: String(externalId),
  group: String(group),
  scope: String(groupScope),
});

/** Every group that means something in a root. */
export const externalGroupsIn = async (reader: Reader, root: string): Promise<readonly ExternalGroup[]> =>
  (await reader.listAll(ownedBy(parseRef(root, 'root'), 'external-group'))).map(externalGroupOf);

export const byIssuer = (groups: readonly ExternalGroup[]): readonly (readonly ExternalGroup[])[] => [
  ...groupBy(groups, ({ issuer }) => issuer).values(),
];

/** A token that names some groups of one issuer. */
export const tokenNaming = (groups: readonly ExternalGroup[]): TokenGroups => ({
  issuer: groups[0]?.issuer ?? '',
  ids: groups.map(({ externalId }) => externalId),
  until: LAST_INSTANT,
});
