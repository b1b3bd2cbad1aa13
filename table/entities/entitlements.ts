import * as z from 'zod';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/** What a scope is entitled to. */
const active = { status: 'active' };

export const ENTITLEMENTS = {
  subscription: {
    type: 'subscription',
    hangsOn: ['scope', 'module'],
    summary: 'A module that is paid for at a scope and all below it.',
    attributes: z.strictObject({
      scope: field.ref,
      module: field.pageName,
      status: z.enum(['active', 'expired', 'trial']).optional(),
      tier: z.enum(['standard', 'premium']).optional(),
      startDate: field.instant.optional(),
      endDate: field.end.optional(),
      autoRenew: z.boolean().optional(),
      usageQuota: field.map.optional(),
      createdBy: field.id.optional(),
    }),
    defaults: { ...active, autoRenew: false },
    immutable: ['scope', 'module', 'createdBy'],
    inTenant: { tenant: 'root', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endDate' },
    guards: [],
    listShards: 4,
  },
  license: {
    type: 'license',
    hangsOn: ['account', 'enterprise'],
    summary: 'What entitles an account to use an enterprise, for the workstreams linked to it.',
    attributes: z.strictObject({
      account: field.ref,
      enterprise: field.ref,
      name: field.name.optional(),
      status: z.enum(['active', 'expired']).optional(),
      startDate: field.instant.optional(),
      endDate: field.end.optional(),
    }),
    defaults: active,
    immutable: ['account', 'enterprise'],
    inTenant: { tenant: 'account', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endDate' },
    guards: [],
    listShards: 4,
  },
} as const satisfies Record<string, Entity>;
