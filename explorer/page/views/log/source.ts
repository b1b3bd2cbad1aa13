import type { Item } from '../../load-page.ts';
import { utcOf } from '../../parts/instant.ts';

/** Which log is read, and from when until when. */

export const LOGS = {
  tenant: 'a tenant',
  user: 'what a user did',
  none: 'what belongs to no tenant',
} as const;
export type LogName = keyof typeof LOGS;
export const isLog = (name: string | undefined): name is LogName =>
  name !== undefined && Object.hasOwn(LOGS, name);

export interface Wanted {
  readonly log: LogName;
  readonly tenant: string | undefined;
  readonly user: string | undefined;
  /** Instants of UTC, as fields of a page have them. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly descending: boolean;
}

/** The input of audit.list; undefined where nobody was chosen yet. */
export function inputOf({ log, tenant, user, from, until, descending }: Wanted): Item | undefined {
  if ((log === 'tenant' && tenant === undefined) || (log === 'user' && user === undefined)) return undefined;
  return {
    tenant: log === 'tenant' ? tenant : undefined,
    user: log === 'user' ? user?.replace(/^user:/, '') : undefined,
    from: utcOf(from),
    until: utcOf(until),
    descending: descending || undefined,
  };
}
