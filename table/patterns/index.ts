import * as grants from './grants.ts';
import * as notifications from './notifications.ts';
import type { Pattern } from './pattern.ts';
import * as permissions from './permissions.ts';
import * as platform from './platform.ts';
import * as policies from './policies.ts';
import * as scopes from './scopes.ts';
import * as users from './users.ts';

/** Every named access pattern, by name and, for what is made or held of all of them, as one list. */
export * from './grants.ts';
export * from './notifications.ts';
export * from './permissions.ts';
export * from './platform.ts';
export * from './policies.ts';
export * from './scopes.ts';
export * from './users.ts';

export const PATTERNS: readonly Pattern<never, unknown>[] = [
  ...[users, scopes, grants, permissions],
  ...[platform, notifications, policies],
].flatMap((domain): readonly Pattern<never, unknown>[] => Object.values(domain));
