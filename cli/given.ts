import type { Given } from '../engine/index.ts';
import { inPlainWords, problemsOf } from '../provisioning/index.ts';
import { parseJson } from '../table/json.ts';
import { given } from '../testing/given.ts';
import { UsageError } from './context.ts';
import { instant, parsed } from './options.ts';

const MAX_LENGTH = 65_536;

/** The value of `--given`. Throws {@link UsageError}. */
function readGiven(text: string): Given {
  if (text.length > MAX_LENGTH) throw new UsageError(`--given is longer than ${MAX_LENGTH} characters`);
  const data = parseJson(text);
  if (data === undefined) throw new UsageError('--given is not JSON, such as {"context":{"ip":"10.0.0.1"}}');
  const parsed = given.safeParse(data, { error: inPlainWords });
  if (parsed.success) return parsed.data;
  const [problem] = problemsOf(parsed.error);
  throw new UsageError(`--given: ${[...(problem?.path ?? [])].join('.')} ${problem?.message ?? ''}`.trim());
}

/** The options of every question. */
export const ASKED = {
  at: instant('the instant to decide for, from now on (default: now)'),
  given: parsed<Given>(
    '<json>',
    'the input of conditions, such as {"context":{"ip":"10.0.0.1"}}; also subject, resource, action',
    readGiven,
  ),
};
