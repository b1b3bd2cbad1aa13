import { describe, expect, test } from 'vitest';
import { SMALL } from '../../../bench/fleet/events.ts';
import { createPopulation } from '../../../bench/fleet/population.ts';
import { createRecord } from '../../../bench/fleet/record.ts';
import { failureShare } from '../../../bench/fleet/report.ts';
import { type Simulation, simulate } from '../../../bench/fleet/simulate.ts';
import { MAX_ITEM_BYTES } from '../../../table/size.ts';

/** Some hundred requests, with a deployment in the middle. */
const TINY: Simulation = {
  ...SMALL,
  population: { ...SMALL.population, users: 600, largeTenantUsers: 60, tenants: 20, groups: 60 },
  rate: 50,
  warmUpSeconds: 3,
  seconds: 6,
  newVersion: (second) => (second >= 3 ? 1 : 0),
  phases: { event: [0, 6] },
};

describe('a simulation', () => {
  test('gives the same answer for the same seed, and another for another', async () => {
    const [first, again, other] = [
      await simulate(TINY),
      await simulate(TINY),
      await simulate({ ...TINY, seed: 2 }),
    ];
    expect(again).toEqual(first);
    expect(other.totals).not.toEqual(first.totals);
  });

  test.each([1, 4])(
    'ends every request once, with one environment of %i in the sample',
    async (sampleOneIn) => {
      const { totals, phases } = await simulate({ ...TINY, sampleOneIn });
      const { requests, answered, faults, refused, elsewhere } = totals;
      expect(answered + faults + refused + elsewhere).toBe(requests);
      expect(elsewhere > 0).toBe(sampleOneIn > 1);
      expect(phases.event?.sampled).toBeGreaterThan(0);
    },
  );

  test('throttles where a partition has too little, and then answers faults', async () => {
    const starved = await simulate({ ...TINY, partitions: { count: 1, tableReadUnits: 40 } });
    expect(starved.throttled.table).toBeGreaterThan(0);
    expect(starved.totals.faults).toBeGreaterThan(0);
  });
});

describe('the population', () => {
  const population = createPopulation({ ...SMALL.population, groups: 7_000 });

  test('has a large tenant whose item fits into the table', () => {
    const bytes = population.largeTenantBytes();
    expect(bytes).toBeLessThan(MAX_ITEM_BYTES);
    expect(bytes).toBeGreaterThan(0.9 * MAX_ITEM_BYTES);
  });
});

test('a phase counts what was refused, and faults in proportion', () => {
  const record = createRecord();
  for (let n = 0; n < 10; n++) record.arrived();
  record.refused();
  const outcome = { milliseconds: 4.2, calls: 1, units: 3 };
  record.ended({ ...outcome, ending: 'answered' });
  record.ended({ ...outcome, calls: 0, units: 0, ending: 'answered' });
  record.ended({ ...outcome, ending: 'fault' });
  const summary = record.summary();
  expect(summary).toMatchObject({ requests: 10, refused: 1, sampled: 3, faults: 1, calls: 2 / 3, units: 2 });
  expect(summary).toMatchObject({ hitRate: 1 / 3, latency: { p50: 4.2, p999: 4.2 } });
  // One of ten was refused, and a third of the other nine failed.
  expect(failureShare(summary)).toBeCloseTo(0.4);
});
