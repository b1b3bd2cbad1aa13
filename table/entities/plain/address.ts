import * as z from 'zod';
import type { PlainEntity } from '../entity.ts';
import * as field from '../fields.ts';

const words = field.text(256).optional();

export const address = {
  type: 'address',
  hangsOn: ['account'],
  summary: 'An address of an account.',
  attributes: z.strictObject({
    account: field.ref,
    label: words,
    street: field.text(1_000).optional(),
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
  example: { create: { city: 'Berlin' }, update: { isPrimary: true } },
} as const satisfies PlainEntity;
