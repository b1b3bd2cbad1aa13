import { parseScopeRef } from '../entities/scope-types.ts';
import type { Item } from '../item.ts';
import { nodeKey } from '../keys.ts';
import { type View, viewOf } from '../view.ts';
import { inTenant, logOf } from './lists.ts';
import { instantOf, type PageInput, type Period, pattern, periodOf, refOf, subjectOf } from './pattern.ts';
import { mergedPageOf, pageOf } from './reads.ts';
import { byId } from './shapes.ts';
import { ownedBy } from './stretches.ts';

/** What is kept for a time: the audit log, tokens, login sessions (seed 000). */
interface OfUserAt extends PageInput {
  readonly user: string;
  /** The instant to list for: DynamoDB takes away what has ended, but some time later. */
  readonly at: string;
}

/** Whether an item is still to be kept: its time-to-live is not over. */
const isKept = ({ ttl }: Item, at: number): boolean => typeof ttl !== 'number' || at < ttl * 1000;

export const auditLog = pattern(
  {
    name: 'audit-log',
    title: 'the audit log of a tenant, or of what concerns none, by time, all or of a period',
    reads: [{ operation: 'Query' }],
    rows: ['AM-11', 'AM-26'],
  },
  (
    reader,
    { tenant, from, until, ...page }: PageInput & Period & { readonly tenant?: string | undefined },
  ) => {
    const owner = tenant === undefined ? undefined : parseScopeRef(tenant, 'tenant');
    return mergedPageOf(reader, logOf(owner, periodOf({ from, until })), page);
  },
);

export const activityOfUser = pattern(
  {
    name: 'activity-of-user',
    title: 'what a user did, in all tenants, by time, all or of a period',
    reads: [{ operation: 'Query', index: 'GSI2' }],
    rows: ['AM-12'],
  },
  (reader, { user, from, until, ...page }: PageInput & Period & { readonly user: string }) =>
    pageOf(reader, inTenant('audit', subjectOf(user), periodOf({ from, until })), page),
);

export const token = byId('token', {
  name: 'token',
  title: 'a token by id, without its hash',
  rows: ['AM-21'],
});

export const tokensInForce = pattern(
  {
    name: 'tokens-in-force',
    title: 'the tokens of a user that are good at an instant: not revoked, not yet expired',
    reads: [{ operation: 'Query' }],
    rows: ['AM-21'],
  },
  (reader, { user, at, ...page }: OfUserAt) => {
    const time = Date.parse(instantOf(at, 'at'));
    const keep = ({ revoked, expiresAt }: Item) => revoked === false && time < Date.parse(String(expiresAt));
    return pageOf(reader, ownedBy(subjectOf(user), 'token', keep), page);
  },
);

export type SessionStatus = 'active' | 'expired' | 'revoked';

/** The status of a session at an instant: one that is past its end has expired, whatever was written. */
function statusAt({ status, sessionEnd }: View, at: number): unknown {
  const isOver = typeof sessionEnd === 'string' && Date.parse(sessionEnd) <= at;
  return status === 'active' && isOver ? 'expired' : status;
}

const sessionAt = (session: View, at: number): View => ({ ...session, status: statusAt(session, at) });

export const session = pattern(
  {
    name: 'session',
    title: 'a login session by id, with its status at an instant',
    reads: [{ operation: 'GetItem' }],
    rows: ['AM-22'],
  },
  async (reader, input: { readonly session: string; readonly at: string }) => {
    const at = Date.parse(instantOf(input.at, 'at'));
    const item = await reader.get(nodeKey(refOf('session', input.session, 'session')));
    return item && isKept(item, at) ? sessionAt(viewOf(item), at) : undefined;
  },
);

export const sessionsOfUser = pattern(
  {
    name: 'sessions-of-user',
    title: 'the login sessions of a user, all or of one status at an instant',
    reads: [{ operation: 'Query' }],
    rows: ['AM-22'],
  },
  async (
    reader,
    { user, at, status, ...page }: OfUserAt & { readonly status?: SessionStatus | undefined },
  ) => {
    const time = Date.parse(instantOf(at, 'at'));
    const keep = (item: Item) =>
      isKept(item, time) && (status === undefined || statusAt(item, time) === status);
    const found = await pageOf(reader, ownedBy(subjectOf(user), 'session', keep), page);
    return { ...found, items: found.items.map((each) => sessionAt(each, time)) };
  },
);
