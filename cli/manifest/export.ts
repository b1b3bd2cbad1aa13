import type { Row } from '../../provisioning/apply/entry.ts';
import type { Queries } from '../../provisioning/apply/queries.ts';
import { canonicalManifest } from './canonical.ts';
import { nameAccess, readGrants } from './export/access.ts';
import { catalogueSections } from './export/catalogue.ts';
import { licensesSection, subscriptionsSection } from './export/entitlements.ts';
import type { Exporting, ExportOptions } from './export/exporting.ts';
import { groupsSection, readGroups } from './export/groups.ts';
import { createNames } from './export/names.ts';
import { subjectsSection, technicalUsersSection, usersSection } from './export/people.ts';
import { nameRoles, readEffects, readRoles, rolesSection } from './export/roles.ts';
import { routesSection } from './export/routes.ts';
import { readPlaces, scopesSection } from './export/scopes.ts';
import { settingsSection } from './export/settings.ts';

/** Tenants of a table, as a manifest that makes the same of an empty one. */
export interface Exported {
  readonly manifest: Row;
  /** What no manifest can say, in sentences. */
  readonly notes: readonly string[];
}

/** Reads tenants by commands alone: first what is there, then, when all roles are known, what it is called. */
export async function exportManifest(queries: Queries, options: ExportOptions): Promise<Exported> {
  const notes: string[] = [];
  const exporting: Exporting = {
    queries,
    options,
    idOf: ({ id }) => (options.ids ? { id } : {}),
    note: (sentence) => void notes.push(sentence),
  };
  const places = await readPlaces(exporting);
  const scopes = scopesSection(exporting, places);
  const known = await readRoles(exporting, places);
  const grouped = await readGroups(exporting, places, known);
  const granted = await readGrants(exporting, places, known, grouped);

  const roleNames = nameRoles(known, places);
  const accessBySubject = nameAccess(granted, places, grouped, roleNames);
  const effects = await readEffects(exporting, known);
  const roles = rolesSection(exporting, places, known, roleNames, effects);
  const groups = groupsSection(exporting, places, grouped, roleNames);
  // Of subjects of all types: a name is for one of them.
  const userNames = createNames();
  const users = await usersSection(exporting, places, accessBySubject, userNames);
  const technicalUsers = await technicalUsersSection(exporting, places, granted, accessBySubject, userNames);
  const subjects = await subjectsSection(exporting, places, accessBySubject, userNames);
  const subscriptions = await subscriptionsSection(exporting, places);
  const licenses = await licensesSection(exporting, places);
  const settings = await settingsSection(exporting, places, userNames);
  const sections = {
    ...(await catalogueSections(exporting, places, effects, subscriptions, subjects)),
    scopes,
    roles,
    groups,
    users,
    technicalUsers,
    subjects,
    subscriptions,
    licenses,
    settings,
    routes: await routesSection(exporting),
  };
  const said = Object.entries(sections).filter(([, of]) => Object.keys(of as object).length > 0);
  // A manifest without any section would be refused: that of an empty table says that it has no scopes.
  const manifest = said.length === 0 ? { scopes } : Object.fromEntries(said);
  return { manifest: canonicalManifest(manifest), notes };
}
