import { DOCUMENTED } from './assumptions.ts';
import type { Simulation } from './simulate.ts';

/** A simulation with what it shows. */
export interface Event extends Simulation {
  readonly title: string;
}

const MILLION = 1_000_000;
/** Longer than the time-to-live, with the time until the full rate. */
const WARM_UP = 62;
/** Of the requests of ordinary times. */
const LARGE_SHARE = 0.05;

const POPULATION: Simulation['population'] = {
  users: 5 * MILLION,
  largeTenantUsers: 250_000,
  tenants: 20_000,
  groups: 7_000,
  groupsAt: 'tenant',
};
const SPREAD: Simulation['population'] = { ...POPULATION, groupsAt: 'locations' };

const BASE: Simulation = {
  seed: 1,
  population: POPULATION,
  exponent: 0.8,
  rate: 10_000,
  largeShare: () => LARGE_SHARE,
  sampleOneIn: 32,
  routing: 'any',
  // Twice the units that the fleet reads, as on demand keeps for a peak that it has seen.
  partitions: { count: 32, burst: false, tableReadUnits: 3 * DOCUMENTED.tableReadUnits },
  warmUpSeconds: WARM_UP,
  seconds: 45,
  phases: { before: [-5, 0], event: [0, 10], after: [10, 45] },
};

const atOnce = (second: number): number => (second >= 0 ? 1 : 0);
/** Canary10Percent5Minutes, with 20 s in place of five minutes. */
const canary = (second: number): number => (second < 0 ? 0 : second < 20 ? 0.1 : 1);
/** Linear10PercentEvery1Minute, with 6 s in place of a minute. */
const linear = (second: number): number => Math.max(0, Math.min(1, 0.1 * (1 + Math.floor(second / 6))));

const steady = (title: string, more: Partial<Simulation>): Event => ({
  ...BASE,
  title,
  seconds: 20,
  phases: { event: [0, 20] },
  ...more,
});
const deployment = (title: string, more: Partial<Simulation> = {}): Event => ({
  ...BASE,
  title,
  newVersion: atOnce,
  ...more,
});

/** Users of the large tenant who lose a group within a minute, and changes of its item. */
const STORM = { writes: { revocations: 100_000, rewrites: 30 } };
/** The large tenant sends half of all requests for 20 s. */
const CROWD = { largeShare: (second: number) => (second >= 0 && second < 20 ? 0.5 : LARGE_SHARE) };

/** In the order in which they run. The names are those of the figures. */
export const EVENTS: Readonly<Record<string, Event>> = {
  steady: steady('steady, 10,000 requests per second', {
    sampleOneIn: 8,
    seconds: 40,
    phases: { event: [0, 40] },
  }),
  'rate-10': steady('steady, 10 requests per second', { rate: 10, sampleOneIn: 1 }),
  'rate-100': steady('steady, 100 requests per second', { rate: 100, sampleOneIn: 1 }),
  'rate-1000': steady('steady, 1,000 requests per second', { rate: 1_000, sampleOneIn: 2 }),
  'environments-1000': steady('1,000 environments', { standing: 1_000 }),
  'environments-2000': steady('2,000 environments', { standing: 2_000 }),
  'zipf-0.6': steady('users less unequal: exponent 0.6', { exponent: 0.6 }),
  'zipf-1.0': steady('users more unequal: exponent 1.0', { exponent: 1 }),
  'names-tenant': steady('paths name the tenant', { namesTenant: true }),
  'latest-first': steady('the latest environment first', { routing: 'latest' }),
  deploy: deployment('a deployment at once, 7,000 groups in one item'),
  'deploy-spread': deployment('a deployment at once, the groups at 100 locations', { population: SPREAD }),
  'deploy-burst': deployment('a deployment at once, with burst capacity', {
    partitions: { ...BASE.partitions, burst: true },
  }),
  'deploy-quota': deployment('a deployment at once, the table at its default quota', {
    population: SPREAD,
    partitions: { ...BASE.partitions, tableReadUnits: DOCUMENTED.tableReadUnits },
  }),
  'deploy-provisioned': deployment('a deployment at once, 1,000 environments provisioned', {
    population: SPREAD,
    standing: 1_000,
    newStanding: 1_000,
  }),
  canary: deployment('a canary of a tenth, then at once', {
    ...{ population: SPREAD, newVersion: canary, seconds: 45 },
    phases: { before: [-5, 0], event: [20, 30], after: [30, 45] },
  }),
  linear: deployment('a tenth more at each step', {
    ...{ population: SPREAD, newVersion: linear, seconds: 65 },
    phases: { before: [-5, 0], event: [0, 60], after: [60, 65] },
  }),
  storm: { ...BASE, ...STORM, title: '100,000 revocations in a minute, 7,000 groups in one item' },
  'storm-spread': {
    ...{ ...BASE, ...STORM, population: SPREAD },
    title: '100,000 revocations in a minute, the groups at 100 locations',
  },
  crowd: { ...BASE, ...CROWD, title: 'half of the requests from the large tenant, one item' },
  'crowd-spread': {
    ...{ ...BASE, ...CROWD, population: SPREAD },
    title: 'half of the requests from the large tenant, the groups at 100 locations',
  },
  'new-table': {
    ...BASE,
    ...{ title: 'a new table on demand: four partitions', seconds: 10, warmUpSeconds: 20 },
    partitions: { count: 4, burst: false, tableReadUnits: DOCUMENTED.newTableReadUnits },
    phases: { event: [0, 10] },
  },
};

/** The same with half of the sample. */
export const halved = (event: Event): Event => ({ ...event, sampleOneIn: event.sampleOneIn * 2 });

/** Events whose figures are compared with those of half the sample. */
export const HALVED = ['steady', 'deploy-spread', 'storm-spread'] as const;

/** Small enough for each run of CI: every environment runs the engine, so its counts are exact. */
export const SMALL: Event = {
  ...BASE,
  title: 'a small fleet, a deployment and revocations',
  population: { ...POPULATION, users: 100_000, largeTenantUsers: 5_000, tenants: 400, groups: 700 },
  rate: 400,
  sampleOneIn: 1,
  newVersion: (second) => (second >= 10 ? 1 : 0),
  writes: { revocations: 600, rewrites: 6 },
  warmUpSeconds: 10,
  seconds: 20,
  phases: { event: [0, 20] },
};
