import { INDEXES } from '../entities/entity.ts';
import { RECORDS } from '../entities/records.ts';
import { inTenant, withStatus } from './lists.ts';
import { optionOf, type PageInput, type Period, pattern, periodOf, refOf } from './pattern.ts';
import { mergedPageOf, pageOf } from './reads.ts';
import { every } from './shapes.ts';

/** The records of notifications that were sent, failed or were skipped (seed 002). */
export const notifications = every('notification', {
  name: 'notifications',
  title: 'all records of notifications',
  rows: ['PL-14'],
});

export const notificationsOfAccount = pattern(
  {
    name: 'notifications-of-account',
    title: 'the notifications of an account, by the time of sending',
    reads: [{ operation: 'Query', index: INDEXES.tenant }],
    rows: ['PL-15'],
  },
  (reader, { account, ...rest }: Period & PageInput & { readonly account: string }) =>
    pageOf(reader, inTenant('notification', refOf('account', account, 'account'), periodOf(rest)), rest),
);

const STATUSES = RECORDS.notification.attributes.shape.deliveryStatus.options;

export const notificationsByStatus = pattern(
  {
    name: 'notifications-by-status',
    title: 'the notifications that were sent, failed or were skipped, by the time of sending',
    reads: [{ operation: 'Query', index: INDEXES.status }],
    rows: ['PL-16', 'PL-17'],
  },
  (
    reader,
    { deliveryStatus, ...rest }: Period & PageInput & { readonly deliveryStatus: (typeof STATUSES)[number] },
  ) => {
    const status = optionOf(deliveryStatus, STATUSES, 'deliveryStatus');
    return mergedPageOf(reader, withStatus('notification', status, periodOf(rest)), rest);
  },
);
