import { describe, expect, test } from 'vitest';
import { COSTS, readProofRequest } from '../../../bench/aws-proof/options.ts';

const ACCOUNT = ['--account', '123456789012'];
const REGION = ['--region', 'eu-central-1'];
const NAME = 'gatehouse-proof-0123abcd';

test('names the account and the region, and confirms nothing by itself', () => {
  expect(readProofRequest([...ACCOUNT, ...REGION])).toMatchObject({
    account: '123456789012',
    region: 'eu-central-1',
    yes: [],
  });
  expect(readProofRequest([...ACCOUNT, ...REGION, '--remove', NAME])).toMatchObject({ remove: NAME });
});

test('confirms the steps that are named, one by one', () => {
  const yes = ['--yes', 'deploy', '--yes', 'load'];
  expect(readProofRequest([...ACCOUNT, ...REGION, ...yes])).toMatchObject({ yes: ['deploy', 'load'] });
});

describe('wrong options get one line that says what to do', () => {
  test.each<readonly [string, readonly string[]]>([
    ['--account is needed', REGION],
    ['--account is needed', [...REGION, '--account', '12345']],
    ['--account is needed', [...REGION, '--remove', NAME]],
    ['--region is needed', ACCOUNT],
    ['--region is needed', [...ACCOUNT, '--remove', NAME]],
    ['--remove takes the name of a proof', [...ACCOUNT, ...REGION, '--remove', 'gatehouse']],
    ['--region is needed', [...ACCOUNT, '--region', 'here']],
    ['--yes all is no step', [...ACCOUNT, ...REGION, '--yes', 'all']],
    ["Unknown option '--force'", [...ACCOUNT, ...REGION, '--force']],
    ["'--yes <value>' argument missing", [...ACCOUNT, ...REGION, '--yes']],
  ])('%s: %j', (message, words) => {
    expect(() => readProofRequest(words)).toThrow(message);
  });
});

test('the steps that cost are those of the proof', () => {
  expect(Object.keys(COSTS)).toEqual(['deploy', 'smoke', 'load', 'canary', 'restore']);
});
