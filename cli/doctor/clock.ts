import { DescribeEndpointsCommand } from '@aws-sdk/client-dynamodb';
import { CLOCK_SKEW_MS } from '../../table/timing.ts';
import type { OpenTable } from '../connection.ts';
import { type Result, reporter } from './result.ts';

const { ok, failed, notChecked } = reporter('clock');

/** The header Date has whole seconds (RFC 9110 section 5.6.7). */
const GRANULARITY_MS = 1_000;

/**
 * Compares the clock of this machine with that of DynamoDB. Coherence and freshness tokens allow a skew of a second
 * between writer and reader (docs/freshness.md).
 *
 * @param dateOf the header Date of an answer of DynamoDB, if it has one
 */
export async function checkClock(
  now: () => number,
  dateOf: () => Promise<string | undefined>,
): Promise<Result> {
  const sentAt = now();
  const date = Date.parse((await dateOf()) ?? '');
  const receivedAt = now();
  if (Number.isNaN(date)) return notChecked('the endpoint does not tell its time');
  // Its answer was made between sending and receiving, somewhere within the second that it names.
  const ahead = sentAt - (date + GRANULARITY_MS);
  const behind = date - receivedAt;
  const skew = Math.max(0, ahead, behind);
  const which = ahead > behind ? 'ahead of' : 'behind';
  return skew > CLOCK_SKEW_MS
    ? failed(
        `this clock is at least ${Math.round(skew)} ms ${which} that of DynamoDB; at most ${CLOCK_SKEW_MS} ms are allowed for`,
      )
    : ok('this clock agrees with that of DynamoDB');
}

/** Asks DynamoDB for its time: every answer of HTTP has one, whatever it says. */
export async function dateOfTable({ client }: OpenTable): Promise<string | undefined> {
  let date: string | undefined;
  const command = new DescribeEndpointsCommand({});
  command.middlewareStack.add(
    (next) => async (args) => {
      const answered = await next(args);
      const { headers } = answered.response as { readonly headers?: Readonly<Record<string, string>> };
      date = headers?.date ?? headers?.Date;
      return answered;
    },
    { step: 'deserialize', priority: 'low', name: 'takeDate' },
  );
  // An engine that does not know the operation answers with an error, which has a date as well.
  await client.send(command).catch(() => undefined);
  return date;
}
