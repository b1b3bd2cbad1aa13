import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf } from '../../local/message-of.ts';
import { type Aws, AwsError } from './aws.ts';
import type { Ledger, Made } from './ledger.ts';

const resources = z.object({
  StackResources: z.array(z.object({ ResourceType: z.string(), PhysicalResourceId: z.string().optional() })),
});
const stacks = z.object({ Stacks: z.tuple([z.object({ StackStatus: z.string() })]).rest(z.unknown()) });
const groups = z.object({ logGroups: z.array(z.object({ logGroupName: z.string() })) });

export interface RemoveOptions {
  readonly aws: Aws;
  readonly ledger: Ledger;
  readonly say: (line: string) => void;
  readonly pause?: (ms: number) => Promise<unknown>;
}

const BETWEEN_LOOKS_MS = 15_000;
/** An hour of looks. */
const MOST_LOOKS = 240;

/**
 * Removes everything in the ledger, the last first. What fails stays in the ledger, and does not keep the rest.
 *
 * @returns a line for each thing that is left
 */
export async function removeAll({
  aws,
  ledger,
  say,
  pause = sleep,
}: RemoveOptions): Promise<readonly string[]> {
  const left: string[] = [];
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof AwsError && error.isAbsent) return true;
      left.push(`${what}: ${messageOf(error)}`);
      return false;
    }
  };
  const remove = async (made: Made): Promise<void> => {
    say(`removing ${made.kind} ${made.name}`);
    const act = { bucket: removeBucket, table: removeTable, stack: removeStack }[made.kind];
    if (await attempt(`${made.kind} ${made.name}`, () => act(made.name))) ledger.forget(made);
  };

  const removeBucket = (bucket: string) => aws(['s3', 'rb', `s3://${bucket}`, '--force']);

  async function removeTable(table: string): Promise<void> {
    // A stack that failed half-way may have protected it.
    const unprotect = ['--table-name', table, '--no-deletion-protection-enabled'];
    await aws(['dynamodb', 'update-table', ...unprotect]);
    await aws(['dynamodb', 'wait', 'table-exists', '--table-name', table]);
    await aws(['dynamodb', 'delete-table', '--table-name', table]);
    await aws(['dynamodb', 'wait', 'table-not-exists', '--table-name', table]);
  }

  /** A stack that is being updated takes no deletion: the update is taken back before. */
  async function settle(stack: string): Promise<void> {
    for (let look = 0; look < MOST_LOOKS; look++) {
      const { Stacks } = stacks.parse(
        await aws(['cloudformation', 'describe-stacks', '--stack-name', stack]),
      );
      const { StackStatus: status } = Stacks[0];
      if (!/^UPDATE_.*IN_PROGRESS$/.test(status)) return;
      if (status === 'UPDATE_IN_PROGRESS')
        await aws(['cloudformation', 'cancel-update-stack', '--stack-name', stack]).catch(() => undefined);
      await pause(BETWEEN_LOOKS_MS);
    }
  }

  async function removeStack(stack: string): Promise<void> {
    await settle(stack);
    // The stack leaves its tables behind.
    const { StackResources } = resources.parse(
      await aws(['cloudformation', 'describe-stack-resources', '--stack-name', stack]),
    );
    for (const { ResourceType, PhysicalResourceId: id } of StackResources)
      if (ResourceType === 'AWS::DynamoDB::Table' && id) ledger.note({ kind: 'table', name: id });
    await aws(['cloudformation', 'delete-stack', '--stack-name', stack]);
    await aws(['cloudformation', 'wait', 'stack-delete-complete', '--stack-name', stack]);
  }

  for (const made of [...ledger.made()].reverse()) await remove(made);
  // Tables that were found in stacks.
  for (const made of ledger.made().filter(({ kind }) => kind === 'table')) {
    if (!left.some((line) => line.startsWith(`table ${made.name}:`))) await remove(made);
  }
  // Lambda makes these by itself when a function is called.
  await attempt('log groups', async () => {
    const prefix = `/aws/lambda/${ledger.prefix}`;
    const { logGroups } = groups.parse(
      await aws(['logs', 'describe-log-groups', '--log-group-name-prefix', prefix]),
    );
    for (const { logGroupName: group } of logGroups)
      await attempt(`log group ${group}`, () => aws(['logs', 'delete-log-group', '--log-group-name', group]));
  });
  return left;
}
