import * as z from 'zod';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/** What is kept of people's comings and goings, for a time: tokens, login sessions, notifications. */
export const TOKEN_DAYS = 30;
export const SESSION_DAYS = 90;

export const RECORDS = {
  token: {
    type: 'token',
    label: 'AuthToken',
    hangsOn: ['user'],
    summary:
      'A token of a user or technical user. Of an API token only a hash is kept; it is shown once, in the answer to its creation.',
    attributes: z.strictObject({
      user: field.subject,
      tenant: field.ref.optional(),
      tokenType: z.enum(['JWT', 'refresh', 'api']),
      issuedAt: field.instant.optional(),
      expiresAt: field.end.optional(),
      payload: field.map.optional(),
      deviceId: field.text(256).optional(),
      ipAddress: field.ipAddress.optional(),
    }),
    immutable: ['user', 'tenant', 'tokenType', 'issuedAt', 'expiresAt'],
    hidden: ['hash'],
    personal: ['payload', 'deviceId', 'ipAddress'],
    inTenant: { tenant: 'tenant', time: 'issuedAt' },
    expires: { from: 'issuedAt', afterDays: TOKEN_DAYS },
    guards: [],
    listShards: 16,
  },
  session: {
    type: 'session',
    label: 'LoginSession',
    hangsOn: ['user'],
    summary: 'A login session of a user.',
    attributes: z.strictObject({
      user: field.id,
      tenant: field.ref.optional(),
      ssoProvider: field.text(128).optional(),
      sessionStart: field.instant.optional(),
      sessionEnd: field.end.optional(),
      ipAddress: field.ipAddress.optional(),
      userAgent: field.text(512).optional(),
      deviceInfo: field.map.optional(),
      mfaVerified: z.boolean().optional(),
      location: field.text(256).optional(),
      status: z.enum(['active', 'expired', 'revoked']).optional(),
    }),
    defaults: { status: 'active', mfaVerified: false },
    personal: ['ipAddress', 'userAgent', 'deviceInfo', 'location'],
    immutable: ['user', 'tenant', 'sessionStart'],
    inTenant: { tenant: 'tenant', time: 'sessionStart' },
    byStatus: { status: 'status', date: 'sessionStart' },
    expires: { from: 'sessionStart', afterDays: SESSION_DAYS },
    guards: [],
    listShards: 16,
  },
  notification: {
    type: 'notification',
    label: 'NotificationAudit',
    summary: 'The record of a notification that was sent, failed or was skipped.',
    attributes: z.strictObject({
      notificationType: field.text(128),
      account: field.ref.optional(),
      accountName: field.text(256).optional(),
      userId: field.id.optional(),
      recipientEmail: field.contactEmail.optional(),
      recipientFirstName: field.text(128).optional(),
      recipientLastName: field.text(128).optional(),
      deliveryStatus: z.enum(['sent', 'failed', 'skipped']),
      sesMessageId: field.text(256).optional(),
      errorMessage: field.text(2_000).optional(),
      skipReason: field.text(1_000).optional(),
      senderEmail: field.contactEmail.optional(),
      subject: field.text(1_000).optional(),
      sentAt: field.instant.optional(),
      metadata: field.map.optional(),
    }),
    filledIn: ['sentAt'],
    personal: [
      ...['recipientEmail', 'recipientFirstName', 'recipientLastName', 'senderEmail', 'subject'],
      ...['errorMessage', 'metadata'],
    ],
    immutable: ['account'],
    inTenant: { tenant: 'account', time: 'sentAt' },
    byStatus: { status: 'deliveryStatus', date: 'sentAt' },
    guards: [],
    listShards: 16,
  },
} as const satisfies Record<string, Entity>;
