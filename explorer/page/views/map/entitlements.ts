import { isOpen } from '../../../../provisioning/index.ts';
import type { NamedRef } from '../../../service/index.ts';
import type { Item } from '../../load-page.ts';
import { DAY } from '../../parts/instant.ts';
import type { Scope } from './levels.ts';

/** What scopes may use because it is paid for: subscriptions of modules, licences of workstreams; and when that ends. */

/** What ends within so many days ends soon. */
export const SOON_DAYS = 30;

/** A subscription of a scope to a module, or a licence of an account for an enterprise. */
export type Entitlement = Readonly<ReturnType<typeof entitlementOf>>;

/** Somebody whose time ends soon. */
export interface Ending extends NamedRef {
  readonly tenant?: string | undefined;
  readonly end: number;
}

/** What is read of the table, of each only so much. */
export const READ = ['modules', 'subscriptions', 'licences', 'users who end soon'] as const;

export interface Entitlements {
  /** Modules that are sold by subscription. */
  readonly modules: readonly string[];
  /** By owner. */
  readonly subscriptions: ReadonlyMap<string, readonly Entitlement[]>;
  /** By account. */
  readonly licences: ReadonlyMap<string, readonly Entitlement[]>;
  readonly endingUsers: readonly Ending[];
  /** Of what there is more: of this it is not known what is missing or over. */
  readonly unread: readonly (typeof READ)[number][];
}

const instantOf = (value: unknown, none: number): number =>
  typeof value === 'string' ? Date.parse(value) : none;

const entitlementOf = (owner: unknown, of: unknown, { status, startDate, endDate }: Item) => ({
  /** Who has it: a scope or an account. */
  owner: String(owner),
  /** For what: a module's name or an enterprise. */
  of: String(of),
  isOpen: isOpen(status),
  /** Epoch milliseconds; without bounds -Infinity and Infinity. */
  start: instantOf(startDate, Number.NEGATIVE_INFINITY),
  end: instantOf(endDate, Number.POSITIVE_INFINITY),
});

export const subscriptionOf = (item: Item): Entitlement => entitlementOf(item.scope, item.module, item);
export const licenceOf = (item: Item): Entitlement => entitlementOf(item.account, item.enterprise, item);

export const byOwner = (all: readonly Entitlement[]): ReadonlyMap<string, readonly Entitlement[]> => {
  const owners = new Map<string, Entitlement[]>();
  for (const each of all) owners.set(each.owner, [...(owners.get(each.owner) ?? []), each]);
  return owners;
};

/** How a scope has something that has to be paid for. */
export type Coverage =
  | {
      readonly state: 'covered' | 'over';
      /** When the last one ends: epoch milliseconds or Infinity. */
      readonly end: number;
      /** Who has it. */
      readonly owner: string;
    }
  | { readonly state: 'none' };

/** The coverage by those of some entitlements that are for something. The end of one is no longer in it. */
export function coverageOf(all: readonly Entitlement[], of: string, now: number): Coverage {
  const mine = all.filter((each) => each.of === of).sort((a, b) => b.end - a.end);
  const current = mine.find(({ isOpen, start, end }) => isOpen && start <= now && now < end);
  if (current) return { state: 'covered', end: current.end, owner: current.owner };
  const past = mine.find(({ isOpen, end }) => !isOpen || end <= now);
  return past ? { state: 'over', owner: past.owner, end: past.end } : { state: 'none' };
}

/** By module that is sold: whether a scope has it, by itself or from above. */
export const modulesOf = (
  { ref, ancestors }: Pick<Scope, 'ref' | 'ancestors'>,
  { modules, subscriptions }: Pick<Entitlements, 'modules' | 'subscriptions'>,
  now: number,
): readonly (readonly [module: string, coverage: Coverage])[] => {
  const onPath = [ref, ...ancestors].flatMap((each) => subscriptions.get(each) ?? []);
  return modules.map((module) => [module, coverageOf(onPath, module, now)]);
};

/** Of a workstream: whether its account has a licence for its enterprise. */
export function licenceCoverage(
  { ancestors, enterprise }: Pick<Scope, 'ancestors' | 'enterprise'>,
  { licences }: Pick<Entitlements, 'licences'>,
  now: number,
): Coverage | undefined {
  const account = ancestors.at(-1);
  if (enterprise === undefined || account === undefined) return undefined;
  return coverageOf(licences.get(account) ?? [], enterprise, now);
}

export const isSoon = (end: number, now: number): boolean => now < end && end <= now + SOON_DAYS * DAY;

/** The last day on which something holds that ends at an instant, as it is written as an end: `2027-01-01`, in UTC. */
export const lastDayOf = (end: number): string => new Date(end - 1).toISOString().slice(0, 10);
