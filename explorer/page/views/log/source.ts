import { useEffect, useState } from 'preact/hooks';
import { useClient } from '../../client.ts';
import { commandPages, type Item } from '../../load-page.ts';
import type { Send } from '../../send.ts';

/** Which log is read, and from when until when. */

/** Types of roots that come with the table. */
const ROOTS = ['tenant', 'client', 'account', 'enterprise', 'location', 'scope'];

/** Types of scopes that have commands of their own; added ones have those of `scope`. */
const BUILT_IN = new Set([...ROOTS.slice(0, -1), 'project', 'building', 'zone', 'device', 'workstream']);

/** The first root that the table lists: a table often has one. */
async function firstRoot(send: Send): Promise<string | undefined> {
  for (const list of ROOTS) {
    const reply = await commandPages(send, `${list}.list`, { limit: 1 })(undefined);
    const [first] = reply.ok ? reply.result.items : [];
    if (first) return String(first.root);
  }
  return undefined;
}

/** The root of a scope, which has the log of everything below it. */
async function rootOf(send: Send, scope: string): Promise<string> {
  const colon = scope.indexOf(':');
  const [type, id] = [scope.slice(0, colon), scope.slice(colon + 1)];
  const asked = BUILT_IN.has(type)
    ? { command: `${type}.read`, input: { id } }
    : { command: 'scope.read', input: { type, id } };
  const reply = await send('command', asked);
  const root = reply.ok && reply.result.ok ? reply.result.result.root : undefined;
  return typeof root === 'string' ? root : scope;
}

/** What became of a look-up: undefined while it is under way. */
export type Tenant = { readonly ref: string | undefined } | undefined;

/**
 * The tenant whose log is shown.
 *
 * @param scope the one that was chosen, or one below it; the first tenant of the table if left out
 */
export function useTenant(scope: string | undefined): Tenant {
  const { send, revision } = useClient();
  const [found, setFound] = useState<{ readonly key: string; readonly ref: string | undefined }>();
  const key = `${scope} ${revision}`;
  useEffect(() => {
    let isCurrent = true;
    (scope === undefined ? firstRoot(send) : rootOf(send, scope)).then((ref) => {
      if (isCurrent) setFound({ key, ref });
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return found?.key === key ? { ref: found.ref } : undefined;
}

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
}

/** An instant of a field, which is of UTC; undefined for what is none. */
export const instantOf = (text: string | undefined): string | undefined => {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

/** The input of audit.list; undefined where nobody was chosen yet. */
export function inputOf({ log, tenant, user, from, until }: Wanted): Item | undefined {
  if ((log === 'tenant' && tenant === undefined) || (log === 'user' && user === undefined)) return undefined;
  const [begin, end] = [instantOf(from), instantOf(until)];
  return {
    ...(log === 'tenant' ? { tenant } : {}),
    ...(log === 'user' ? { user: user?.replace(/^user:/, '') } : {}),
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { until: end }),
  };
}
