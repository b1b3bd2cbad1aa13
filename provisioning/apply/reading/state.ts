import type { Parsed } from '../parse.ts';
import { NAMELESS, PLAIN_SECTIONS } from '../schema.ts';
import type { State } from '../state.ts';
import { readCatalogue } from './catalogue.ts';
import { readEdges } from './edges.ts';
import { readGroups } from './groups.ts';
import { readInvariants } from './invariants.ts';
import { readNameless } from './nameless.ts';
import { readOwned } from './owned.ts';
import { readPeople } from './people.ts';
import { readScopes } from './places.ts';
import { type ReadingOptions, startReading } from './reading.ts';
import { readEffects, readRoles } from './roles.ts';
import { readSettings } from './settings.ts';

/** Reads what a manifest names, by ids, unique values and names, and what else is at its scopes. */
export async function readState(parsed: Parsed, options: ReadingOptions): Promise<State> {
  const reading = startReading(parsed, options);
  await readCatalogue(reading);
  const places = await readScopes(reading);
  await readRoles(reading, places);
  const others = await readGroups(reading, places);
  await readPeople(reading, places, 'users');
  await readOwned(reading, places, 'technicalUsers');
  await readPeople(reading, places, 'subjects');
  await readEdges(reading, places, others);
  for (const section of NAMELESS) await readNameless(reading, places, section);
  await readInvariants(reading, places);
  for (const section of PLAIN_SECTIONS) await readOwned(reading, places, section);
  await readSettings(reading, places);
  await readEffects(reading);
  return { ...reading, scopes: reading.found.scopes };
}
