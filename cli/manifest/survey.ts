import type { Problem } from '../document.ts';
import type { Fact } from './fact.ts';
import type { ManifestFile } from './file.ts';
import type { Look } from './look.ts';
import { surveyCatalogue } from './survey/catalogue.ts';
import { surveyEntitlements } from './survey/entitlements.ts';
import { surveyGroups } from './survey/groups.ts';
import { surveyEffects, surveyRoles } from './survey/roles.ts';
import { surveyScopes } from './survey/scopes.ts';
import { surveySettings } from './survey/settings.ts';
import { startSurvey } from './survey/surveying.ts';
import { surveyTechnicalUsers } from './survey/technical-users.ts';
import { surveyTies } from './survey/ties.ts';
import { surveyUsers } from './survey/users.ts';

/** What a manifest wants and what of it the table has, as facts that can be compared. */
export interface Survey {
  readonly wanted: readonly Fact[];
  readonly present: readonly Fact[];
  readonly problems: readonly Problem[];
  /** Roles by the id of what inherits from them, in the file and in the table. */
  readonly inherits: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names by reference. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads what a manifest speaks of, by ids, unique values and names, and the rest of what stands in its places. */
export async function surveyTable(file: ManifestFile, look: Look): Promise<Survey> {
  const surveying = startSurvey(file, look);
  await surveyCatalogue(surveying);
  const places = await surveyScopes(surveying);
  const roles = await surveyRoles(surveying, places);
  const groups = await surveyGroups(surveying, places, roles);
  const users = await surveyUsers(surveying, places);
  const technicalUsers = await surveyTechnicalUsers(surveying, places);
  await surveyTies(surveying, { places, roles, groups, users, technicalUsers });
  await surveyEntitlements(surveying, places);
  await surveySettings(surveying, places, users);
  await surveyEffects(surveying, roles);
  return surveying;
}
