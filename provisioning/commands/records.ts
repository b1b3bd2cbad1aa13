import * as z from 'zod';
import { changeCredential, newCredential } from '../../table/decision/writes.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { allOf, inTenant, withStatus } from '../../table/patterns/lists.ts';
import { mergedPageOf, pageOf } from '../../table/patterns/reads.ts';
import { ownedBy } from '../../table/patterns/stretches.ts';
import { type Command, readCommand } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { nodeCommands, tenantFrom } from '../kinds/node-commands.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { pageFields, periodFields } from '../kinds/node-lists.ts';
import { loadScope, loadScopeOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';

/** Login sessions (seed 000, "Login Session") and the log of notifications (seed 002). */
const refuseEarlyEnd = (sessionStart: unknown, sessionEnd: unknown): void => {
  if (typeof sessionEnd === 'string' && sessionEnd < String(sessionStart))
    throw invalid('sessionEnd', 'sessionEnd is before sessionStart');
};

/** A session that says nothing of its end is over when its record goes. */
const endOf = (start: unknown, end: unknown): string =>
  typeof end === 'string' ? end : new Date(Date.parse(String(start)) + SESSION_DAYS * DAY_MS).toISOString();

const sessionBehaviour: Behaviour = {
  tenantOf: tenantFrom('tenant'),
  onCreate: async (planning, ref, { user, sessionStart = planning.now, sessionEnd, status, tenant }) => {
    refuseEarlyEnd(sessionStart, sessionEnd);
    const record = {
      subject: formatRef(subject(String(user))),
      status: String(status),
      endsAt: endOf(sessionStart, sessionEnd),
      ttl: Math.floor(Date.parse(endOf(sessionStart, undefined)) / 1000),
    };
    return {
      actions: [newCredential(ref, record)],
      derived: { sessionStart },
      tenant: typeof tenant === 'string' ? (await loadScope(planning, tenant, 'tenant')).ref : undefined,
    };
  },
  onUpdate: async (_planning, { ref }, { sessionStart, sessionEnd }, changes) => {
    refuseEarlyEnd(sessionStart, sessionEnd);
    const set = {
      ...(typeof changes.status === 'string' ? { status: changes.status } : {}),
      ...(changes.sessionEnd === undefined ? {} : { endsAt: endOf(sessionStart, sessionEnd) }),
    };
    return Object.keys(set).length > 0 ? [changeCredential(ref, set)] : [];
  },
  onDelete: ({ ref }) => [{ kind: 'delete', key: decisionKey(ref) }],
};

const notificationBehaviour: Behaviour = {
  tenantOf: tenantFrom('account'),
  onCreate: async (planning, _ref, { sentAt = planning.now, account }) => ({
    derived: { sentAt },
    tenant:
      typeof account === 'string'
        ? (await loadScopeOf(planning, 'account', account, 'account')).ref
        : undefined,
  }),
};

const atMostOne = (...names: readonly string[]) =>
  [
    (given: Readonly<Record<string, unknown>>) =>
      names.filter((name) => given[name] !== undefined).length <= 1,
    `give at most one of ${names.join(', ')}`,
  ] as const;

const listSessions = readCommand({
  name: 'session.list',
  summary:
    'Lists login sessions: of one user, of one tenant or one status by their start, or all. A session that is past its end is expired, whatever its status says.',
  input: z
    .strictObject({
      user: field.id.optional(),
      tenant: field.ref.optional(),
      status: ENTITIES.session.attributes.shape.status,
      ...periodFields,
      ...pageFields,
    })
    .refine(...atMostOne('user', 'tenant', 'status')),
  run: async ({ reader }, { user, tenant, status, from, until, ...page }) => {
    if (status !== undefined)
      return mergedPageOf(reader, withStatus('session', status, { from, until }), page);
    const query =
      user !== undefined
        ? ownedBy(subject(user), 'session')
        : tenant !== undefined
          ? inTenant('session', await readScopeRef(reader, tenant, 'tenant'), { from, until })
          : allOf('session');
    return pageOf(reader, query, page);
  },
});

const listNotifications = readCommand({
  name: 'notification.list',
  summary:
    'Lists the records of notifications: of one account or one delivery status by the time of sending, or all.',
  input: z
    .strictObject({
      account: field.ref.optional(),
      deliveryStatus: ENTITIES.notification.attributes.shape.deliveryStatus.optional(),
      ...periodFields,
      ...pageFields,
    })
    .refine(...atMostOne('account', 'deliveryStatus')),
  run: async ({ reader }, { account, deliveryStatus, from, until, ...page }) => {
    const period = { from, until };
    if (deliveryStatus !== undefined)
      return mergedPageOf(reader, withStatus('notification', deliveryStatus, period), page);
    const query =
      account === undefined
        ? allOf('notification')
        : inTenant('notification', await readScopeRef(reader, account, 'account'), period);
    return pageOf(reader, query, page);
  },
});

export const RECORD_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.session, behaviour: sessionBehaviour },
  { entity: ENTITIES.notification, behaviour: notificationBehaviour },
];

export const recordCommands: readonly Command[] = [
  ...RECORD_KINDS.flatMap(nodeCommands),
  listSessions,
  listNotifications,
];
