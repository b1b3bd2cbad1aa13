import { ACCESS } from './access.ts';
import type { Entity } from './entity.ts';
import { PLATFORM } from './platform.ts';
import { RECORDS } from './records.ts';
import { SCOPES } from './scopes.ts';
import { SUBJECTS } from './subjects.ts';

/**
 * The kinds of nodes. Everything that differs from kind to kind and is not behaviour stands in these entries:
 * attributes and their schemas, guards, lists, time-to-live.
 */
export const ENTITIES = {
  ...SCOPES,
  ...SUBJECTS,
  ...ACCESS,
  ...PLATFORM,
  ...RECORDS,
} as const satisfies Record<string, Entity>;

export type EntityType = keyof typeof ENTITIES;
