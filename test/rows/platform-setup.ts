import type { World } from '../support/world.ts';
import { create } from './setup.ts';

/** What rows of the platform are set up with: accounts and enterprises by reference, what hangs on them by id. */
type Input = Record<string, unknown>;

export const newAccount = async (world: World, name: string): Promise<string> =>
  `account:${await create(world, 'account', { name })}`;

export const newEnterprise = async (world: World, name: string): Promise<string> =>
  `enterprise:${await create(world, 'enterprise', { name })}`;

export const newWorkstream = (world: World, parent: string, enterprise: string, more: Input = {}) =>
  create(world, 'workstream', { parent, enterprise, name: 'Stream', ...more });

export const newLicense = (world: World, account: string, enterprise: string, more: Input = {}) =>
  create(world, 'license', { account, enterprise, ...more });

/** The id that a reference holds. */
export const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** Midnight of a day in 2026, in UTC. */
export const day = (month: number, date: number): string =>
  new Date(Date.UTC(2026, month - 1, date)).toISOString();
