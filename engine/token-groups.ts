import type { ScopeItem } from '../table/decision/items.ts';
import { EXTERNAL_GROUPS, externalGroupsId, GROUP_ROLES, groupRolesId, SCOPE } from './items.ts';
import type { Look } from './load.ts';

/**
 * The groups that a token of the subject names, verified (ADR 0043). What is passed once must not change: decisions are
 * kept by it.
 */
export interface TokenGroups {
  /** The token's `iss`, as it is. */
  readonly issuer: string;
  /** As the issuer calls them; at most 1,000. */
  readonly ids: readonly string[];
  /** The token's `exp`, in epoch milliseconds: from then on they give nothing. */
  readonly until: number;
}

/** A group of ours that a token names, at a scope of the path. */
export interface TokenGroup {
  readonly group: string;
  readonly scope: string;
  readonly roles: readonly string[];
  /** `until` of the token. */
  readonly end: number;
}

export const NO_TOKEN_GROUPS: readonly TokenGroup[] = [];

/**
 * What the groups of a token are at a scope and above: the root of the scope says it (`EXTERNAL_GROUPS`). One that is at
 * another scope, or that everyone is in, gives nothing. Undefined while an item is missing.
 *
 * @param scopes the scope and its ancestors; undefined where one is missing
 */
export function tokenGroupsAt(
  { issuer, ids, until: end }: TokenGroups,
  scope: ScopeItem,
  scopes: readonly (ScopeItem | null | undefined)[],
  look: Look,
): readonly TokenGroup[] | undefined {
  if (ids.length === 0) return NO_TOKEN_GROUPS;
  const meant = look.item(EXTERNAL_GROUPS, externalGroupsId(scope.ancestors.at(-1) ?? scope.ref, issuer));
  if (!meant) return meant === null ? NO_TOKEN_GROUPS : undefined;
  const path = [scope.ref, ...scope.ancestors];
  const found = new Map<string, TokenGroup>();
  let isWhole = true;
  for (const id of ids) {
    const { group, scope: at } = meant.get(id) ?? NOT_MEANT;
    const position = group === '' ? -1 : path.indexOf(at);
    if (position < 0 || found.has(group)) continue;
    const item = scopes[position];
    if (item === undefined) {
      isWhole = false;
      if (look.recall(SCOPE, at)?.groupsApart) look.prefetch(GROUP_ROLES, groupRolesId(group));
    }
    if (!item || item.everyone === group) continue;
    const roles = item.groupsApart
      ? look.item(GROUP_ROLES, groupRolesId(group))
      : (item.groups.get(group) ?? NO_ROLES);
    if (roles === undefined) isWhole = false;
    else found.set(group, { group, scope: at, roles: roles ?? NO_ROLES, end });
  }
  return isWhole ? [...found.values()] : undefined;
}

const NOT_MEANT = { group: '', scope: '' };
const NO_ROLES: readonly string[] = [];

/** Prefetches what the groups of a token are at a root, and what those that stand apart are as far as it is remembered. */
export function prefetchTokenGroups(
  { issuer, ids }: TokenGroups,
  root: string,
  path: readonly string[],
  look: Look,
): void {
  if (ids.length === 0) return;
  const id = externalGroupsId(root, issuer);
  look.prefetch(EXTERNAL_GROUPS, id);
  const meant = look.recall(EXTERNAL_GROUPS, id);
  if (!meant) return;
  for (const each of ids) {
    const { group, scope } = meant.get(each) ?? NOT_MEANT;
    if (group !== '' && path.includes(scope) && look.recall(SCOPE, scope)?.groupsApart)
      look.prefetch(GROUP_ROLES, groupRolesId(group));
  }
}

/** By token: the subject that it was last asked for, and the text for both. */
const TEXTS = new WeakMap<TokenGroups, { readonly subject: string; readonly text: string }>();

/** A text that tells a subject with the groups of a token from every other. Made once where they are one object. */
export function textWithGroups(subject: string, groups: TokenGroups): string {
  const known = TEXTS.get(groups);
  if (known?.subject === subject) return known.text;
  const text = JSON.stringify([subject, groups.issuer, String(groups.until), ...groups.ids]);
  TEXTS.set(groups, { subject, text });
  return text;
}
