import { Option } from 'commander';
import * as z from 'zod';
import type { Given } from '../engine/index.ts';
import { object } from '../provisioning/apply/fields.ts';
import { problemsOf } from '../provisioning/apply/problem.ts';
import { inPlainWords } from '../provisioning/issues.ts';
import { UsageError } from './context.ts';

/** What conditions look at beside the table, as people write it. */

const MAX_LENGTH = 65_536;

/** Any values: what does not fit its declaration counts as missing. */
export const properties = z.record(z.string().max(64), z.unknown(), 'must be a map of properties');

const given = object({
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

/** The option `--given`. Its parser throws UsageError. */
export const givenOption = () =>
  new Option(
    '--given <json>',
    'the input of conditions, such as {"context":{"ip":"10.0.0.1"}}; also subject, resource, action',
  ).argParser((text): Given => {
    if (text.length > MAX_LENGTH) throw new UsageError(`--given is longer than ${MAX_LENGTH} characters`);
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      throw new UsageError('--given is not JSON, such as {"context":{"ip":"10.0.0.1"}}');
    }
    const parsed = given.safeParse(data, { error: inPlainWords });
    if (parsed.success) return parsed.data;
    const [problem] = problemsOf(parsed.error);
    throw new UsageError(`--given: ${[...(problem?.path ?? [])].join('.')} ${problem?.message ?? ''}`.trim());
  });
