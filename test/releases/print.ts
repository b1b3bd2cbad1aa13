import { writeFileSync } from 'node:fs';
import type { Item } from '../../table/item.ts';
import { createSampleWorld, createSplitWorld, goldenItems, splitItems, toJson } from './world.ts';

/** Writes the items of the sample world as today's code makes them: see README.md. */
const write = (name: string, items: readonly Item[]): void =>
  writeFileSync(new URL(`current/${name}.json`, import.meta.url), toJson(items));
write('items', goldenItems((await createSampleWorld()).items()));
write('split', splitItems((await createSplitWorld()).items()));
