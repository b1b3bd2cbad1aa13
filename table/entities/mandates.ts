import * as z from 'zod';
import { isPropertyName } from '../properties.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/** Hours for which a mandate counts where its creation does not say, and at most, unless a setting of its root says more. */
export const MANDATE_HOURS = 24;
/** Days for which it counts at most, whatever a setting says. */
export const MAX_MANDATE_DAYS = 30;
/** Mandates of one subject that count at once. */
export const MAX_MANDATES = 1_000;
/** Days for which one that is over is still listed. */
const MANDATE_KEPT_DAYS = 30;

/** The most that a budget may hold: sums of safe integers stay exact. */
const MAX_USES = 1_000_000_000;
const MAX_SUM = 1_000_000_000_000_000;

const distinct = (all: readonly string[]): boolean => new Set(all).size === all.length;

const budget = z
  .strictObject({
    uses: z.int().min(1).max(MAX_USES).optional().describe('how often it may be used'),
    sum: z.int().min(1).max(MAX_SUM).optional().describe('how much its uses may come to, in minor units'),
    of: z
      .string()
      .max(64)
      .refine(isPropertyName, 'is no name of a property')
      .optional()
      .describe('the property of the action that is summed up'),
  })
  .refine(
    ({ uses, sum, of }) =>
      (uses === undefined) === (sum !== undefined) && (sum === undefined) === (of === undefined),
    'must be either { uses }, or { sum, of }',
  );

export const MANDATES = {
  mandate: {
    type: 'mandate',
    summary:
      'What an actor may do for a subject, until when: never more than the subject, nor more than the actor. It is not changed: it ends, and another one is made.',
    hangsOn: ['subject', 'actor', 'scopes'],
    attributes: z.strictObject({
      subject: field.subjectRef,
      actor: field.subjectRef,
      permissions: z
        .array(field.permissionOrPattern)
        .min(1)
        .max(50)
        .refine(distinct, 'names one of them twice'),
      scopes: z.array(field.ref).min(1).max(20).refine(distinct, 'names one of them twice'),
      endsAt: field.end.optional(),
      purpose: field.text(500),
      when: field.condition.optional(),
      budget: budget.optional(),
    }),
    filledIn: ['endsAt'],
    immutable: ['subject', 'actor', 'permissions', 'scopes', 'endsAt', 'purpose', 'when', 'budget'],
    hidden: ['hash'],
    personal: ['purpose'],
    inTenant: { tenant: 'root', time: 'createdAt' },
    expires: { from: 'endsAt', afterDays: MANDATE_KEPT_DAYS },
    guards: [],
    listShards: 16,
  },
} as const satisfies Record<string, Entity>;
