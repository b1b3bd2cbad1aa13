import { describe, expect, test } from 'vitest';
import { type Aws, AwsError } from '../../../bench/aws-proof/aws.ts';
import { createLedger, type Made, type ProofRecord } from '../../../bench/aws-proof/ledger.ts';
import { assertAccount, prove, type Step } from '../../../bench/aws-proof/proof.ts';
import { removeAll } from '../../../bench/aws-proof/remove.ts';

const RECORD: ProofRecord = {
  account: '123456789012',
  region: 'eu-central-1',
  prefix: 'gatehouse-proof-0123abcd',
  made: [],
};

/** A proof of steps that note what they did; each name in `faulty` fails. */
function setUp(
  names: readonly string[],
  { faulty = [] as readonly string[], no = [] as readonly string[] } = {},
) {
  const log: string[] = [];
  const interrupt = new AbortController();
  const steps: Step[] = names.map((name) => ({
    name,
    ...(name.startsWith('free') ? {} : { costs: 'a cent' }),
    run: async () => {
      log.push(name);
      if (name === 'interrupted') interrupt.abort();
      if (faulty.includes(name)) throw new Error('broken');
      return { title: name, lines: [] };
    },
  }));
  const run = () =>
    prove({
      steps,
      ask: async ({ name }) => {
        log.push(`${name}?`);
        return !no.includes(name);
      },
      remove: async () => {
        log.push('removed');
        return [];
      },
      say: () => {},
      signal: interrupt.signal,
    });
  return { log, run };
}

describe('a proof', () => {
  test('asks before each step that costs, and before no other', async () => {
    const { log, run } = setUp(['deploy', 'load', 'free']);
    expect(await run()).toMatchObject({ left: [], sections: [{ title: 'deploy' }, { title: 'load' }, {}] });
    expect(log).toEqual(['deploy?', 'deploy', 'load?', 'load', 'free', 'removed']);
  });

  test('ends where the answer is no, and removes what is there', async () => {
    const { log, run } = setUp(['deploy', 'load', 'free'], { no: ['load'] });
    expect((await run()).ended).toBe('load: not confirmed');
    expect(log).toEqual(['deploy?', 'deploy', 'load?', 'removed']);
  });

  test('removes after a step that fails, and keeps what the steps before found', async () => {
    const { log, run } = setUp(['deploy', 'load', 'free'], { faulty: ['load'] });
    expect(await run()).toMatchObject({ ended: 'load: broken', sections: [{ title: 'deploy' }] });
    expect(log.at(-1)).toBe('removed');
    expect(log).not.toContain('free');
  });

  test('removes after an interruption', async () => {
    const { log, run } = setUp(['interrupted', 'load']);
    expect((await run()).ended).toBe('interrupted');
    expect(log).toEqual(['interrupted?', 'interrupted', 'removed']);
  });

  test('does nothing in an account that was not named', async () => {
    const calls: string[] = [];
    const aws: Aws = async (words) => {
      calls.push(words.join(' '));
      return { Account: '999999999999' };
    };
    const refusal = assertAccount(aws, RECORD.account);
    await expect(refusal).rejects.toThrow('of account 999999999999, not of 123456789012');
    expect(calls).toEqual(['sts get-caller-identity']);
  });
});

/** An account with these things; each call in `faulty` is refused. */
function setUpAccount(made: readonly Made[], tables: readonly string[] = [], faulty: readonly string[] = []) {
  const written: ProofRecord[] = [];
  const ledger = createLedger({ ...RECORD, made: [...made] }, (record) => void written.push(record));
  const calls: string[] = [];
  const statuses = ['UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE'];
  const aws: Aws = async (words) => {
    const call = words.slice(0, 2).join(' ');
    calls.push(words.join(' '));
    if (faulty.some((each) => words.join(' ').includes(each))) throw new AwsError(call, 'AccessDenied');
    if (words.includes('absent')) throw new AwsError(call, 'Stack with id absent does not exist');
    if (call === 'cloudformation describe-stacks')
      return { Stacks: [{ StackStatus: statuses.length > 1 ? statuses.shift() : statuses[0] }] };
    if (call === 'cloudformation describe-stack-resources')
      return {
        StackResources: tables.map((name) => ({
          ResourceType: 'AWS::DynamoDB::Table',
          PhysicalResourceId: name,
        })),
      };
    if (call === 'logs describe-log-groups') return { logGroups: [{ logGroupName: '/aws/lambda/left' }] };
    return undefined;
  };
  const remove = () => removeAll({ aws, ledger, say: () => {}, pause: async () => {} });
  return { ledger, written, calls, remove };
}

const STACK: Made = { kind: 'stack', name: 'stack' };
const BUCKET: Made = { kind: 'bucket', name: 'bucket' };

describe('the removal', () => {
  test('goes backwards, takes an update back first, and takes what a stack leaves behind', async () => {
    const { ledger, calls, remove } = setUpAccount([BUCKET, STACK], ['kept']);
    expect(await remove()).toEqual([]);
    expect(ledger.made()).toEqual([]);
    const done = calls.filter((call) => / (?:cancel|delete|rb|update-table)/.test(call));
    expect(done).toEqual([
      'cloudformation cancel-update-stack --stack-name stack',
      'cloudformation delete-stack --stack-name stack',
      's3 rb s3://bucket --force',
      'dynamodb update-table --table-name kept --no-deletion-protection-enabled',
      'dynamodb delete-table --table-name kept',
      'logs delete-log-group --log-group-name /aws/lambda/left',
    ]);
  });

  test('takes what is not there as removed', async () => {
    const { ledger, remove } = setUpAccount([{ kind: 'stack', name: 'absent' }]);
    expect(await remove()).toEqual([]);
    expect(ledger.made()).toEqual([]);
  });

  test('goes on after a failure, says what is left, and keeps it in the record', async () => {
    const { ledger, written, remove } = setUpAccount(
      [BUCKET, STACK],
      ['kept'],
      ['delete-stack', 'delete-table'],
    );
    const left = await remove();
    expect(left).toEqual([
      expect.stringContaining('stack stack: aws cloudformation delete-stack: AccessDenied'),
      expect.stringContaining('table kept: aws dynamodb delete-table: AccessDenied'),
    ]);
    const kept = [STACK, { kind: 'table', name: 'kept' }];
    expect(ledger.made()).toEqual(kept);
    expect(written.at(-1)?.made).toEqual(kept);
  });
});

test('what is made is in the record before it exists, and once', () => {
  const { ledger, written } = setUpAccount([]);
  ledger.note(STACK);
  expect(written).toEqual([{ ...RECORD, made: [STACK] }]);
  ledger.note(STACK);
  expect(written).toHaveLength(1);
});

test('a fault of the removal itself is what is left', async () => {
  const proven = await prove({
    steps: [],
    ask: async () => true,
    say: () => {},
    signal: new AbortController().signal,
    remove: () => Promise.reject(new Error('no record')),
  });
  expect(proven.left).toEqual(['no record']);
});
