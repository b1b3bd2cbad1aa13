import type { Manifest } from './schema.ts';

const listOf = ([first = '', second, ...rest]: readonly string[]): string => {
  if (second === undefined) return first;
  return rest.length === 0 ? `${first} and ${second}` : `${first} and ${rest.length + 1} others`;
};

/**
 * A line for people whose manifest denies something where an allow wins over a deny: that is the default
 * of a root, and hardly what a deny is written for. Undefined where no deny is, or none that an allow can win over.
 */
export function overriddenDeny({ roles, scopes }: Manifest): string | undefined {
  const roots = Object.entries(scopes).flatMap(([name, { parent, combination }]) =>
    parent === undefined && combination !== 'deny-overrides' ? [name] : [],
  );
  const denying = Object.entries(roles).filter(([, { deny }]) => deny.length > 0);
  const places = roots.filter((root) =>
    denying.some(([, { owner }]) => owner === undefined || owner === root),
  );
  const names = denying.flatMap(([name, { owner }]) =>
    owner === undefined || roots.includes(owner) ? [name] : [],
  );
  if (places.length === 0) return undefined;
  const who = `role${names.length === 1 ? '' : 's'} ${listOf(names)} ${names.length === 1 ? 'denies' : 'deny'}`;
  return `${who}, but in ${listOf(places)} any allow wins over a deny: there, combination: deny-overrides turns it round`;
}
