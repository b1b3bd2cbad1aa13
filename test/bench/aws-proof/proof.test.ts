import { describe, expect, test } from 'vitest';
import { type Aws, AwsError } from '../../../bench/aws-proof/aws.ts';
import { assertAccount, prove } from '../../../bench/aws-proof/proof.ts';
import { removeAll } from '../../../bench/aws-proof/remove.ts';

const NAME = 'gatehouse-proof-0123abcd';
const REGION = 'eu-central-1';

/** A proof of steps that note what they did; each name in `faulty` fails. */
function setUp(
  names: readonly string[],
  { faulty = [] as readonly string[], no = [] as readonly string[], interruptedBy = '' } = {},
) {
  const log: string[] = [];
  const interrupt = new AbortController();
  const step = (name: string) => async () => {
    log.push(name);
    if (name === interruptedBy) interrupt.abort();
    if (faulty.includes(name)) throw new Error('broken');
    return { title: name, lines: [] };
  };
  const run = () =>
    prove({
      steps: Object.fromEntries(names.map((name) => [name, step(name)])) as never,
      ask: async (name) => {
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
    const { log, run } = setUp(['deploy', 'load', 'measure']);
    expect(await run()).toMatchObject({ left: [], sections: [{ title: 'deploy' }, { title: 'load' }, {}] });
    expect(log).toEqual(['deploy?', 'deploy', 'load?', 'load', 'measure', 'removed']);
  });

  test('asks before a step of which it does not know what it costs', async () => {
    const { log, run } = setUp(['renamed'], { no: ['renamed'] });
    expect((await run()).ended).toBe('renamed: not confirmed');
    expect(log).toEqual(['renamed?', 'removed']);
  });

  test('ends where the answer is no, and removes what is there', async () => {
    const { log, run } = setUp(['deploy', 'load', 'measure'], { no: ['load'] });
    expect((await run()).ended).toBe('load: not confirmed');
    expect(log).toEqual(['deploy?', 'deploy', 'load?', 'removed']);
  });

  test('removes after a step that fails, and keeps what the steps before found', async () => {
    const { log, run } = setUp(['deploy', 'load', 'measure'], { faulty: ['load'] });
    expect(await run()).toMatchObject({ ended: 'load: broken', sections: [{ title: 'deploy' }] });
    expect(log.at(-1)).toBe('removed');
    expect(log).not.toContain('measure');
  });

  test('removes after an interruption', async () => {
    const { log, run } = setUp(['deploy', 'load'], { interruptedBy: 'deploy' });
    expect((await run()).ended).toBe('interrupted');
    expect(log).toEqual(['deploy?', 'deploy', 'removed']);
  });

  test('does nothing in an account that was not named', async () => {
    const calls: string[] = [];
    const aws: Aws = async (words) => {
      calls.push(words.join(' '));
      return { Account: '999999999999' };
    };
    const refusal = assertAccount(aws, '123456789012');
    await expect(refusal).rejects.toThrow('of account 999999999999, not of 123456789012');
    expect(calls).toEqual(['sts get-caller-identity']);
  });
});

/**
 * An account with what a proof makes, and with a table that is not of it. Each call in `faulty` is refused; the stack
 * `hanging` is being updated for ever.
 */
function setUpAccount({
  faulty = [] as readonly string[],
  absent = [] as readonly string[],
  hanging = '',
  bucketIn = REGION,
} = {}) {
  const calls: string[] = [];
  const statuses = ['UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE'];
  const aws: Aws = async (words) => {
    const call = words.slice(0, 2).join(' ');
    calls.push(words.join(' '));
    if (faulty.some((each) => words.join(' ').includes(each))) throw new AwsError(call, 'AccessDenied');
    if (absent.some((each) => words.includes(each))) throw new AwsError(call, 'Stack does not exist');
    if (call === 'cloudformation describe-stacks' && words.includes(hanging))
      return { Stacks: [{ StackStatus: 'UPDATE_ROLLBACK_IN_PROGRESS' }] };
    if (call === 'cloudformation describe-stacks')
      return { Stacks: [{ StackStatus: statuses.length > 1 ? statuses.shift() : statuses[0] }] };
    if (call === 's3api get-bucket-location') return { LocationConstraint: bucketIn };
    if (call === 'dynamodb list-tables')
      return { TableNames: ['another', NAME.slice(0, -1), `${NAME}-Table-1A`, `${NAME}-restored`] };
    if (call === 'logs describe-log-groups') return { logGroups: [{ logGroupName: '/aws/lambda/left' }] };
    return undefined;
  };
  const remove = () =>
    removeAll(
      aws,
      { name: NAME, region: REGION },
      () => {},
      async () => {},
    );
  const removed = () => calls.filter((call) => / (?:cancel|delete|rb|update-table)/.test(call));
  return { removed, remove };
}

describe('the removal', () => {
  test('goes backwards, takes an update back first, and takes what a stack leaves behind', async () => {
    const { removed, remove } = setUpAccount();
    expect(await remove()).toEqual({ left: [], isAnyRemoved: true });
    expect(removed()).toEqual([
      `cloudformation cancel-update-stack --stack-name ${NAME}-api`,
      `cloudformation delete-stack --stack-name ${NAME}-api`,
      `cloudformation delete-stack --stack-name ${NAME}`,
      `cloudformation delete-stack --stack-name ${NAME}-issuer`,
      `s3 rb s3://${NAME} --force`,
      `dynamodb update-table --table-name ${NAME}-Table-1A --no-deletion-protection-enabled`,
      `dynamodb delete-table --table-name ${NAME}-Table-1A`,
      `dynamodb update-table --table-name ${NAME}-restored --no-deletion-protection-enabled`,
      `dynamodb delete-table --table-name ${NAME}-restored`,
      'logs delete-log-group --log-group-name /aws/lambda/left',
    ]);
  });

  test('takes what is not there as removed', async () => {
    const { removed, remove } = setUpAccount({ absent: [NAME, `${NAME}-api`] });
    expect((await remove()).left).toEqual([]);
    expect(removed()[0]).toBe(`cloudformation cancel-update-stack --stack-name ${NAME}-issuer`);
  });

  test('goes on after a failure, and says what is left', async () => {
    const { removed, remove } = setUpAccount({ faulty: ['delete-stack', 'delete-table'] });
    expect((await remove()).left).toEqual([
      `stack ${NAME}-api: aws cloudformation delete-stack: AccessDenied`,
      `stack ${NAME}: aws cloudformation delete-stack: AccessDenied`,
      `stack ${NAME}-issuer: aws cloudformation delete-stack: AccessDenied`,
      `table ${NAME}-Table-1A: aws dynamodb delete-table: AccessDenied`,
      `table ${NAME}-restored: aws dynamodb delete-table: AccessDenied`,
    ]);
    expect(removed()).toContain(`s3 rb s3://${NAME} --force`);
  });

  test('goes on after an hour of looks at a stack that hangs', async () => {
    const { removed, remove } = setUpAccount({ hanging: `${NAME}-api` });
    expect((await remove()).left).toEqual([
      `stack ${NAME}-api: still UPDATE_ROLLBACK_IN_PROGRESS after 240 looks`,
    ]);
    expect(removed()).not.toContain(`cloudformation delete-stack --stack-name ${NAME}-api`);
    expect(removed()).toContain(`cloudformation delete-stack --stack-name ${NAME}`);
    expect(removed()).toContain(`s3 rb s3://${NAME} --force`);
  });

  test('leaves a bucket of another region, where the rest is too', async () => {
    const { removed, remove } = setUpAccount({ bucketIn: 'eu-west-1' });
    expect((await remove()).left).toEqual([`bucket ${NAME}: it is in eu-west-1, not in ${REGION}`]);
    expect(removed()).not.toContain(`s3 rb s3://${NAME} --force`);
  });

  test('says when it cannot see what is left', async () => {
    const { remove } = setUpAccount({ faulty: ['list-tables', 'describe-log-groups'] });
    expect((await remove()).left).toEqual([
      'tables: aws dynamodb list-tables: AccessDenied',
      'log groups: aws logs describe-log-groups: AccessDenied',
    ]);
  });
});

test('a fault of the removal itself is what is left', async () => {
  const proven = await prove({
    steps: {} as never,
    ask: async () => true,
    say: () => {},
    signal: new AbortController().signal,
    remove: () => Promise.reject(new Error('no record')),
  });
  expect(proven.left).toEqual(['no record']);
});
