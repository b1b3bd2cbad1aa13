import { writeFileSync } from 'node:fs';
import { createSampleWorld, goldenItems, toJson } from './world.ts';

/** Writes the items of the sample world as today's code makes them: see README.md. */
const { items } = await createSampleWorld();
writeFileSync(new URL('current/items.json', import.meta.url), toJson(goldenItems(items())));
