import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf } from '../../local/message-of.ts';
import { type Aws, AwsError } from './aws.ts';
import { STACKS } from './deploy.ts';

const stacks = z.object({ Stacks: z.tuple([z.object({ StackStatus: z.string() })]).rest(z.unknown()) });
const tables = z.object({ TableNames: z.array(z.string()) });
const groups = z.object({ logGroups: z.array(z.object({ logGroupName: z.string() })) });

const BETWEEN_LOOKS_MS = 15_000;
/** An hour of looks. */
const MOST_LOOKS = 240;

/**
 * Removes all that a proof made: it begins with the name of the proof. What fails does not keep the rest.
 *
 * @returns a line for each thing that is left
 */
export async function removeAll(
  aws: Aws,
  name: string,
  say: (line: string) => void,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<readonly string[]> {
  const left: string[] = [];
  const remove = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    say(`removing ${what}`);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof AwsError && error.isAbsent)) left.push(`${what}: ${messageOf(error)}`);
    }
  };

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
  await remove(`bucket ${name}`, () => aws(['s3', 'rb', `s3://${name}`, '--force']));
  // The stack leaves its table behind; the other one is restored.
  await remove('tables', async () => {
    const { TableNames } = tables.parse(await aws(['dynamodb', 'list-tables']));
    for (const table of TableNames.filter((each) => each.startsWith(`${name}-`)))
      await remove(`table ${table}`, () => removeTable(table));
  });
  // Lambda makes these by itself when a function is called.
  await remove('log groups', async () => {
    const of = ['--log-group-name-prefix', `/aws/lambda/${name}`];
    const { logGroups } = groups.parse(await aws(['logs', 'describe-log-groups', ...of]));
    for (const { logGroupName: group } of logGroups)
      await remove(`log group ${group}`, () => aws(['logs', 'delete-log-group', '--log-group-name', group]));
  });
  return left;
}
