import { DAY_MS } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import { allOf } from '../../table/index-queries.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { subject } from '../edges/rights.ts';
import { by, listCommand, ofStatus, ofTenant } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadScope, loadScopeOf } from '../nodes/nodes.ts';
import type { Attributes } from '../visible.ts';

/** Login sessions and the log of notifications. */

/** A session without an end is over when its record expires. */
const endOf = (start: unknown, end: unknown): string =>
  typeof end === 'string' ? end : new Date(Date.parse(String(start)) + SESSION_DAYS * DAY_MS).toISOString();

const sessionBehaviour: Behaviour = {
  check: async ({ now }, _changes, { sessionStart = now, sessionEnd }) => {
    if (typeof sessionEnd === 'string' && sessionEnd < String(sessionStart))
      throw invalid('sessionEnd', 'sessionEnd is before sessionStart');
  },
  onCreate: async (planning, _ref, { sessionStart = planning.now, tenant }) => {
    if (typeof tenant === 'string') await loadScope(planning, tenant, 'tenant');
    return { derived: { sessionStart } };
  },
  asRead: ['sessionEnd'],
};

const notificationBehaviour: Behaviour = {
  onCreate: async (planning, _ref, { sentAt = planning.now, account }) => {
    if (typeof account === 'string') await loadScopeOf(planning, 'account', account);
    return { derived: { sentAt } };
  },
};

const isOpen =
  (at: string) =>
  ({ status, sessionStart, sessionEnd }: Attributes): boolean =>
    status === 'active' && at < endOf(sessionStart, sessionEnd);

const listSessions = listCommand({
  name: 'session.list',
  summary:
    'Lists login sessions: of one user (with `at`, those that are valid at that instant), of one tenant or one status by their start, or all. A session that is past its end is expired, whatever its status says.',
  by: [
    by(
      { user: field.id },
      ({ user, at }) => ownedBy(subject(user), 'session', at === undefined ? undefined : isOpen(at)),
      { optional: { at: field.instant } },
    ),
    ofTenant('session'),
    ofStatus('session'),
  ],
  all: allOf('session'),
});

const listNotifications = listCommand({
  name: 'notification.list',
  summary:
    'Lists the records of notifications: of one account or one delivery status by the time of sending, or all.',
  by: [ofTenant('notification'), ofStatus('notification')],
  all: allOf('notification'),
});

export const RECORD_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.session, behaviour: sessionBehaviour, commands: [listSessions] },
  { entity: ENTITIES.notification, behaviour: notificationBehaviour, commands: [listNotifications] },
];
