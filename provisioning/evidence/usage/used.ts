import { groupBy } from '../../../table/group-by.ts';
import { namesCovering } from '../../../table/permission-name.ts';
import type { Grant } from './grants-of-people.ts';
import type { Model, UsageOptions } from './model.ts';
import type { Use } from './uses.ts';

/** What of all that people hold was used. */
export interface Used {
  readonly grants: ReadonlySet<Grant>;
  /** Whether somebody used, or may have used, an ALLOW of a role. */
  readonly isUsed: (role: string, name: string) => boolean;
}

/**
 * Finds by which of what somebody holds each use may have been allowed: by all that would allow it. A use that nothing
 * explains today, or of somebody who had more at some time, may have been by any role.
 */
export function usedOf(
  { uses, logged, changes, gathered }: Pick<UsageOptions, 'uses' | 'logged' | 'changes' | 'gathered'>,
  { grants, open, roles, pathOf, isTouched }: Model,
): Used {
  const bySubject = groupBy(grants, ({ subject }) => subject);
  const used = new Set<Grant>();
  const allows = new Set<string>();
  const anywhere = new Set<string>();
  const keyOf = (role: string, name: string): string => `${role} ${name}`;

  /** Whether a use may have been at a scope or below it: where it was may be gone, or have been elsewhere then. */
  function isWithin({ scope: text }: Use, wanted: string | undefined): boolean {
    if (wanted === undefined || text === undefined) return true;
    const scope = logged.refOf(text);
    if (scope === undefined || !gathered.rows.scopes.has(scope)) return true;
    const path = pathOf(scope);
    return path.includes(wanted) || isTouched(...path);
  }
  /** @returns whether a role explains it */
  function note(subject: string | undefined, use: Use): boolean {
    let isExplained = false;
    const by = (role: string): boolean => {
      const found = roles.allowing(role, use.permission);
      for (const each of found) allows.add(keyOf(each.role, each.name));
      isExplained ||= found.length > 0;
      return found.length > 0;
    };
    for (const grant of bySubject.get(subject ?? '') ?? [])
      for (const { role, scope } of grant.rolesAt) if (isWithin(use, scope) && by(role)) used.add(grant);
    for (const { role, scope } of open) if (isWithin(use, scope)) by(role);
    return isExplained;
  }

  for (const [text, list] of uses.bySubject) {
    const subject = logged.refOf(text);
    const hadMore = subject === undefined || changes.hasWholesale || changes.lostBy.has(subject);
    for (const use of list)
      if (!note(subject, use) || hadMore)
        for (const name of namesCovering(use.permission)) anywhere.add(name);
  }
  for (const [text, admin] of uses.byAdmin) for (const use of admin.uses) note(logged.refOf(text), use);
  return { grants: used, isUsed: (role, name) => anywhere.has(name) || allows.has(keyOf(role, name)) };
}
