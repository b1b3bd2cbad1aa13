import { badRequest } from './errors.ts';

/** The members of a JSON object by their names in lower case: names have no case (RFC 7643 section 2.1). */
export type Members = ReadonlyMap<string, { readonly name: string; readonly value: unknown }>;

/** @throws ScimError `invalidSyntax` for what is no object, or names a member twice */
export function membersOf(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('invalidSyntax', `${what} is no object`);
  const members = new Map<string, { readonly name: string; readonly value: unknown }>();
  for (const [name, each] of Object.entries(value)) {
    const key = name.toLowerCase();
    if (members.has(key)) throw badRequest('invalidSyntax', `${what} has a member twice, in two cases`);
    members.set(key, { name, value: each });
  }
  return members;
}

/** A text; null for none (RFC 7643 section 2.5). Throws ScimError `invalidValue`. */
export function textOf(value: unknown, name: string): string | null {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') throw badRequest('invalidValue', `${name} is no text`);
  return value;
}

/** A text that has to be there. Throws ScimError `invalidValue`. */
export function requiredText(value: unknown, name: string): string {
  const text = textOf(value, name);
  if (text === null) throw badRequest('invalidValue', `${name} is required`);
  return text;
}

/** Entra ID may send texts: `True`, `False`. Throws ScimError `invalidValue` for any other value. */
export function booleanOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (text !== 'true' && text !== 'false')
    throw badRequest('invalidValue', `${name} is neither true nor false`);
  return text === 'true';
}

/** One value or several, as several. */
export const listOf = (value: unknown): readonly unknown[] =>
  value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
