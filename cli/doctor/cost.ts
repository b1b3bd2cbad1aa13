import { createEngine, type Observation } from '../../engine/index.ts';
import type { Reader } from '../../table/reader.ts';
import { type Result, reporter } from './result.ts';

const { ok, warning, failed } = reporter('cost');

/** What a cold decision takes at most in an ordinary table (docs/limits.md). */
const MOST_CALLS = 2;
const MOST_UNITS = 40;

export interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/** Decides once with an empty cache, and says what it cost. */
export async function checkCost(
  reader: Reader,
  now: () => number,
  { subject, permission, scope }: Question,
): Promise<Result> {
  let seen: Observation | undefined;
  const observe = (observation: Observation) => {
    seen = observation;
  };
  try {
    const { allowed, reason } = await createEngine({ reader, clock: { now }, observe }).check(
      subject,
      permission,
      scope,
    );
    const { calls = 0, units = 0 } = seen ?? {};
    const cost = `${calls} call(s), ${units} read units with an empty cache (${allowed ? 'allowed' : 'refused'}: ${reason})`;
    return calls > MOST_CALLS || units > MOST_UNITS
      ? warning(`${cost}: more than ${MOST_CALLS} calls or ${MOST_UNITS} units; see docs/limits.md`)
      : ok(cost);
  } catch (error) {
    const code = (error as { readonly code?: string }).code ?? 'internal';
    return failed(`no decision: ${code}. See docs/errors.md`);
  }
}
