import type { Parsed } from '../parse.ts';
import type { State } from '../state.ts';
import { readCatalogue, readProperties } from './catalogue.ts';
import { readEdges } from './edges.ts';
import { readEntitlements } from './entitlements.ts';
import { readGroups } from './groups.ts';
import { type ReadingOptions, startReading } from './reading.ts';
import { readEffects, readRoles } from './roles.ts';
import { readScopes } from './scopes.ts';
import { readSettings } from './settings.ts';
import { readSubjects } from './subjects.ts';
import { readTechnicalUsers } from './technical-users.ts';
import { readUsers } from './users.ts';

/** Reads what a manifest names, by ids, unique values and names, and what else is at its scopes. */
export async function readState(parsed: Parsed, options: ReadingOptions): Promise<State> {
  const reading = startReading(parsed, options);
  await readCatalogue(reading);
  await readProperties(reading);
  const places = await readScopes(reading);
  const roles = await readRoles(reading, places);
  const groups = await readGroups(reading, places, roles);
  const users = await readUsers(reading, places);
  const technicalUsers = await readTechnicalUsers(reading, places);
  const subjects = await readSubjects(reading, places);
  await readEdges(reading, { places, roles, groups, users, technicalUsers, subjects });
  await readEntitlements(reading, places);
  await readSettings(reading, places, users);
  await readEffects(reading, roles);
  return { ...reading, scopes: places.scopes };
}
