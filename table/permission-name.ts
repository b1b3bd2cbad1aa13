import { invalid } from './errors.ts';
import { isName } from './identifiers.ts';

/**
 * The spellings of a permission: a page (`dashboard`) or `module:action:resource`. A pattern may hold `*` for
 * action or resource, or for all three; `*:*:*` covers pages as well.
 */
export interface PermissionName {
  readonly kind: 'page' | 'permission';
  readonly text: string;
}

const EVERYTHING = '*:*:*';

/** Reads a permission that can be checked (no wildcard). Undefined when the text is no permission. */
export function readPermissionName(text: string): PermissionName | undefined {
  const parts = text.split(':');
  if (parts.length === 1) return isName(text) ? { kind: 'page', text } : undefined;
  return parts.length === 3 && parts.every(isName) ? { kind: 'permission', text } : undefined;
}

/** The module of a permission: the first word of its name. A page has one only if its item says so. */
export const moduleOf = (name: PermissionName): string | undefined =>
  name.kind === 'permission' ? name.text.slice(0, name.text.indexOf(':')) : undefined;

/** As {@link readPermissionName}, but throws `invalid` naming `field`. */
export function parsePermissionName(text: string, field: string): PermissionName {
  const name = readPermissionName(text);
  if (!name) throw invalid(field, `${field} is neither a page name nor module:action:resource`);
  return name;
}

/** Whether `text` is a pattern that a role's grant may hold. */
export function isPermissionPattern(text: string): boolean {
  const [module, action, resource, ...rest] = text.split(':');
  if (module === undefined || action === undefined || resource === undefined || rest.length > 0) return false;
  if (text === EVERYTHING) return true;
  const part = (value: string) => value === '*' || isName(value);
  return isName(module) && part(action) && part(resource) && text.includes('*');
}

/** Whether there may be a permission that both cover, each a permission or a pattern. */
export function overlap(one: string, other: string): boolean {
  if (one === EVERYTHING || other === EVERYTHING) return true;
  const [a, b] = [one.split(':'), other.split(':')];
  return a.length === b.length && a.every((part, n) => part === b[n] || part === '*' || b[n] === '*');
}

/**
 * The patterns that cover a permission: four for `module:action:resource`, one for a page.
 * The engine looks each up instead of matching, so a grant can never match by accident.
 */
export function patternsCovering(text: string): readonly string[] {
  const [module, action, resource] = text.split(':');
  if (resource === undefined) return [EVERYTHING];
  return [`${module}:*:${resource}`, `${module}:${action}:*`, `${module}:*:*`, EVERYTHING];
}

/** A permission, and the patterns that cover it. */
export const namesCovering = (text: string): readonly string[] => [text, ...patternsCovering(text)];
