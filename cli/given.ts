import { Option } from 'commander';
import type { Given } from '../engine/index.ts';
import { problemsOf } from '../provisioning/apply/problem.ts';
import { inPlainWords } from '../provisioning/issues.ts';
import { given } from '../testing/given.ts';
import { UsageError } from './context.ts';

const MAX_LENGTH = 65_536;

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
