import * as z from 'zod';
import { object } from '../provisioning/apply/fields.ts';

/** What conditions look at beside the table, as people write it. */

/** Any values: what does not fit its declaration counts as missing. */
export const properties = z.record(z.string().max(64), z.unknown(), 'must be a map of properties');

export const given = object({
  subject: object({ properties }).optional(),
  resource: z
    .strictObject({
      type: z.string().min(1).max(32).optional(),
      id: z.string().min(1).max(256).optional(),
      properties: properties.optional(),
    })
    .optional(),
  action: z
    .strictObject({ name: z.string().min(1).max(128).optional(), properties: properties.optional() })
    .optional(),
  context: properties.optional(),
});
