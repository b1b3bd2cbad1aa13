import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EVENTS, SMALL } from '../fleet/events.ts';
import { allFigures, smallFigures, tablesOf, withTables } from '../fleet/report.ts';
import { type Simulated, simulate } from '../fleet/simulate.ts';
import type { Topic } from '../harness/topic.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/performance/fleet.md', import.meta.url));

export const fleet: Topic = {
  name: 'fleet',
  title: 'a simulated fleet: 5 million users, 10,000 requests per second',
  run: async ({ quick, log }) => {
    if (quick) return smallFigures(await simulate(SMALL));
    const results: Record<string, Simulated> = {};
    for (const [name, event] of Object.entries({ ...EVENTS, small: SMALL })) {
      const begun = performance.now();
      results[name] = await simulate(event);
      log(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
    }
    writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8'), tablesOf(results)));
    return allFigures(results);
  },
};
