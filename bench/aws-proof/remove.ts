import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf } from '../../local/message-of.ts';
import { type Aws, AwsError } from './aws.ts';
import { STACKS } from './deploy.ts';

const stacks = z.object({ Stacks: z.tuple([z.object({ StackStatus: z.string() })]).rest(z.unknown()) });
const tables = z.object({ TableNames: z.array(z.string()) });
const locations = z.object({ LocationConstraint: z.string().nullish() });
const groups = z.object({ logGroups: z.array(z.object({ logGroupName: z.string() })) });

const BETWEEN_LOOKS_MS = 15_000;
/** An hour of looks. */
const MOST_LOOKS = 240;

/**
 * Removes all that a proof made: it begins with the name of the proof. What fails does not keep the rest.
 *
 * @param region that of `aws`
 * @returns a line for each thing that is left, and whether anything is removed: where nothing is, the name or the
 * region may be wrong
 */
export async function removeAll(
  aws: Aws,
  { name, region }: { readonly name: string; readonly region: string },
  say: (line: string) => void,
  pause: (ms: number) => Promise<unknown> = sleep,
) {
  const left: string[] = [];
  let isAnyRemoved = false;
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    say(`removing ${what}`);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof AwsError && error.isAbsent)) left.push(`${what}: ${messageOf(error)}`);
    }
  };
  const remove = (what: string, act: () => Promise<unknown>): Promise<void> =>
    attempt(what, async () => {
      await act();
      isAnyRemoved = true;
    });

  async function removeStack(stack: string): Promise<void> {
    const of = ['--stack-name', stack];
    const look = async () =>
      stacks.parse(await aws(['cloudformation', 'describe-stacks', ...of])).Stacks[0].StackStatus;
    // A stack that is being updated takes no deletion: the update is taken back before.
    let status = await look();
    for (let looks = 1; /^UPDATE_.*IN_PROGRESS$/.test(status); looks++) {
      if (looks === MOST_LOOKS) throw new Error(`still ${status} after ${MOST_LOOKS} looks`);
      if (status === 'UPDATE_IN_PROGRESS')
        await aws(['cloudformation', 'cancel-update-stack', ...of]).catch(() => undefined);
      await pause(BETWEEN_LOOKS_MS);
      status = await look();
    }
    await aws(['cloudformation', 'delete-stack', ...of]);
    await aws(['cloudformation', 'wait', 'stack-delete-complete', ...of]);
  }

  async function removeBucket(): Promise<void> {
    const located = await aws(['s3api', 'get-bucket-location', '--bucket', name]);
    // `s3 rb` follows a bucket into any region: in a wrong one it would be all that goes.
    const { LocationConstraint } = locations.parse(located);
    const home = LocationConstraint ?? 'us-east-1';
    if (home !== region) throw new Error(`it is in ${home}, not in ${region}`);
    await aws(['s3', 'rb', `s3://${name}`, '--force']);
  }

  async function removeTable(table: string): Promise<void> {
    const of = ['--table-name', table];
    // A stack that failed half-way may have protected it.
    await aws(['dynamodb', 'update-table', ...of, '--no-deletion-protection-enabled']);
    await aws(['dynamodb', 'wait', 'table-exists', ...of]);
    await aws(['dynamodb', 'delete-table', ...of]);
    await aws(['dynamodb', 'wait', 'table-not-exists', ...of]);
  }

  for (const stack of STACKS.toReversed())
    await remove(`stack ${name}${stack}`, () => removeStack(`${name}${stack}`));
  await remove(`bucket ${name}`, removeBucket);
  // The stack leaves its table behind; the other one is restored.
  await attempt('tables', async () => {
    const { TableNames } = tables.parse(await aws(['dynamodb', 'list-tables']));
    for (const table of TableNames.filter((each) => each.startsWith(`${name}-`)))
      await remove(`table ${table}`, () => removeTable(table));
  });
  // Lambda makes these by itself when a function is called.
  await attempt('log groups', async () => {
    const of = ['--log-group-name-prefix', `/aws/lambda/${name}`];
    const { logGroups } = groups.parse(await aws(['logs', 'describe-log-groups', ...of]));
    for (const { logGroupName: group } of logGroups)
      await remove(`log group ${group}`, () => aws(['logs', 'delete-log-group', '--log-group-name', group]));
  });
  return { left, isAnyRemoved };
}
