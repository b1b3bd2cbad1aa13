import * as entitlements from './entitlements.ts';
import * as facilities from './facilities.ts';
import * as grants from './grants.ts';
import * as notifications from './notifications.ts';
import type { Pattern } from './pattern.ts';
import * as permissions from './permissions.ts';
import * as platform from './platform.ts';
import * as policies from './policies.ts';
import * as records from './records.ts';
import * as scopes from './scopes.ts';
import { settingsInForce } from './settings.ts';
import * as users from './users.ts';

/** Every named access pattern, by name and, for what is made or held of all of them, as one list. */
export * from './entitlements.ts';
export * from './facilities.ts';
export * from './grants.ts';
export * from './notifications.ts';
export * from './permissions.ts';
export * from './platform.ts';
export * from './policies.ts';
export * from './records.ts';
export * from './scopes.ts';
export { type Setting, type SettingsQuestion, settingsInForce } from './settings.ts';
export * from './users.ts';

const DOMAINS = [
  ...[users, scopes, facilities, grants, permissions, entitlements, { settingsInForce }, records],
  ...[platform, notifications, policies],
];

export const PATTERNS: readonly Pattern<never, unknown>[] = DOMAINS.flatMap(
  (domain): readonly Pattern<never, unknown>[] => Object.values(domain),
);
