import * as z from 'zod';
import type { PlainEntity } from '../entity.ts';
import * as field from '../fields.ts';

/** What enterprises use. */
const used = <T extends 'product' | 'service'>(type: T, name: string, description: string) =>
  ({
    type,
    summary: `A ${type} that enterprises use.`,
    attributes: z.strictObject({
      name: field.name,
      description: field.text(1_000).optional(),
      status: z.enum(['active', 'inactive']).optional(),
    }),
    defaults: { status: 'active' },
    named: { kind: type, by: ['name'] },
    guards: [],
    listShards: 4,
    example: { create: { name }, update: { description } },
  }) as const satisfies PlainEntity;

export const product = used('product', 'Ledger', 'counts money');
export const service = used('service', 'Support', 'answers');
