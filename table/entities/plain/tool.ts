import * as z from 'zod';
import type { PlainEntity } from '../entity.ts';
import * as field from '../fields.ts';

export const tool = {
  type: 'tool',
  hangsOn: ['workstream'],
  summary: 'A tool of a workstream.',
  attributes: z.strictObject({
    workstream: field.ref,
    name: field.name,
    description: field.text(1_000).optional(),
    url: field.webAddress.optional(),
  }),
  immutable: ['workstream'],
  inTenant: { tenant: 'root', time: 'createdAt' },
  guards: [],
  listShards: 4,
  example: { create: { name: 'Board' }, update: { url: 'https://tool.example' } },
} as const satisfies PlainEntity;
