import { ASSUMED } from './assumptions.ts';
import type { Simulation } from './simulate.ts';

/** A simulation with what it shows. */
export interface Event extends Simulation {
  readonly title: string;
}

/** Longer than the time-to-live, with the time until the full rate. */
const WARM_UP = 62;

/** With a tenant whose item has nearly 400 KB. */
const ONE_ITEM: Simulation['population'] = {
  users: ASSUMED.users,
  largeTenantUsers: ASSUMED.largeTenantUsers,
  tenants: ASSUMED.tenants,
  groups: 7_000,
  groupsAt: 'tenant',
};
const SPREAD: Simulation['population'] = { ...ONE_ITEM, groupsAt: 'locations' };

const BASE: Simulation = {
  seed: 1,
  population: SPREAD,
  exponent: ASSUMED.exponent,
  rate: 10_000,
  largeShare: () => ASSUMED.largeShare,
  sampleOneIn: ASSUMED.sampleOneIn,
  partitions: { count: ASSUMED.partitions, tableReadUnits: ASSUMED.tableReadUnits },
  warmUpSeconds: WARM_UP,
  seconds: 45,
  phases: { before: [-5, 0], event: [0, 10], after: [10, 45] },
};

const atOnce = (second: number): number => (second >= 0 ? 1 : 0);
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
const CROWD = { largeShare: (second: number) => (second >= 0 && second < 20 ? 0.5 : ASSUMED.largeShare) };

/** In the order in which they run. The names are those of the figures. */
export const EVENTS: Readonly<Record<string, Event>> = {
  'rate-10': steady('10 requests per second', { rate: 10, sampleOneIn: 1 }),
  'rate-100': steady('100 requests per second', { rate: 100, sampleOneIn: 1 }),
  'rate-1000': steady('1,000 requests per second', { rate: 1_000, sampleOneIn: 8 }),
  steady: steady('10,000 requests per second', {}),
  'deploy-spread': deployment('a deployment at once, groups at 100 locations'),
  deploy: deployment('a deployment at once, 7,000 groups in one item', { population: ONE_ITEM }),
  linear: deployment('a deployment by tenths', {
    newVersion: linear,
    seconds: 65,
    phases: { before: [-5, 0], event: [0, 60], after: [60, 65] },
  }),
  'crowd-spread': { ...BASE, ...CROWD, title: 'a crowd in the large tenant, groups at 100 locations' },
  crowd: {
    ...BASE,
    ...CROWD,
    population: ONE_ITEM,
    title: 'a crowd in the large tenant, 7,000 groups in one item',
  },
  'storm-spread': { ...BASE, ...STORM, title: '1,667 revocations per second in one tenant' },
};

/** Small enough for each run of CI: every environment runs the engine, so its counts are exact. */
export const SMALL: Event = {
  ...BASE,
  title: 'a small fleet, a deployment and revocations',
  population: { ...ONE_ITEM, users: 100_000, largeTenantUsers: 5_000, tenants: 400, groups: 700 },
  rate: 400,
  sampleOneIn: 1,
  newVersion: (second) => (second >= 10 ? 1 : 0),
  writes: { revocations: 600, rewrites: 6 },
  warmUpSeconds: 10,
  seconds: 20,
  phases: { event: [0, 20] },
};
