import * as z from 'zod';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/**
 * What hangs on scopes and gives no rights by itself: entitlements, and what a platform keeps of its
 * customers.
 */
const description = field.text(1_000).optional();
const words = field.text(256).optional();
const active = { status: 'active' };

/** What enterprises use. */
const used = <T extends 'product' | 'service'>(type: T, label: string) => ({
  type,
  label,
  summary: `A ${type} that enterprises use.`,
  attributes: z.strictObject({
    name: field.name,
    description,
    status: z.enum(['active', 'inactive']).optional(),
  }),
  defaults: active,
  named: { kind: type, by: ['name'] as const },
  guards: [],
  listShards: 4,
});

export const PLATFORM = {
  subscription: {
    type: 'subscription',
    label: 'Subscription',
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
    label: 'License',
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
  address: {
    type: 'address',
    label: 'Address',
    hangsOn: ['account'],
    summary: 'An address of an account.',
    attributes: z.strictObject({
      account: field.ref,
      label: words,
      street: description,
      city: words,
      state: words,
      country: words,
      postalCode: words,
      isPrimary: z.boolean().optional(),
    }),
    defaults: { isPrimary: false },
    immutable: ['account'],
    inTenant: { tenant: 'account', time: 'createdAt' },
    guards: [],
    listShards: 4,
  },
  tool: {
    type: 'tool',
    label: 'Tool',
    hangsOn: ['workstream'],
    summary: 'A tool of a workstream.',
    attributes: z.strictObject({
      workstream: field.ref,
      name: field.name,
      description,
      url: field.webAddress.optional(),
    }),
    immutable: ['workstream'],
    inTenant: { tenant: 'root', time: 'createdAt' },
    guards: [],
    listShards: 4,
  },
  product: used('product', 'Product'),
  service: used('service', 'Service'),
} as const satisfies Record<string, Entity>;
