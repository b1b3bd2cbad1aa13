import { EVENTS, SMALL } from '../fleet/events.ts';
import { figuresOf } from '../fleet/report.ts';
import { simulate } from '../fleet/simulate.ts';
import type { Figure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';

export const topic: Topic = {
  title: 'a simulated fleet: 5 million users, 10,000 requests per second',
  run: async ({ quick, log }) => {
    const figures: Figure[] = [];
    for (const [name, event] of Object.entries({ ...(quick ? {} : EVENTS), small: SMALL })) {
      const begun = performance.now();
      figures.push(...figuresOf(name, event, await simulate(event)));
      log(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
    }
    return figures;
  },
};
