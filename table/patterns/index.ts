import * as grants from './grants.ts';
import type { Pattern } from './pattern.ts';
import * as permissions from './permissions.ts';
import * as scopes from './scopes.ts';
import * as users from './users.ts';

/** Every named access pattern, by name and, for what is made or held of all of them, as one list. */
export * from './grants.ts';
export * from './permissions.ts';
export * from './scopes.ts';
export * from './users.ts';

export const PATTERNS: readonly Pattern<never, unknown>[] = [users, scopes, grants, permissions].flatMap(
  (domain): readonly Pattern<never, unknown>[] => Object.values(domain),
);
