import { type Behaviour, type Dependencies, dynamodbError, type KeyName } from './dependencies.ts';
import type { FunctionOptions } from './runtime/function.ts';

export const FUNCTIONS = ['authorizer', 'provisioning', 'authzen'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** A fault, and on which functions it strikes. One more fault is one more row. */
export interface Fault {
  readonly title: string;
  readonly on: readonly FunctionName[];
  /** A file of docs/runbooks. */
  readonly runbook: string;
  readonly strike?: (scene: Dependencies) => Promise<void> | void;
  readonly options?: Partial<FunctionOptions>;
  /** Whether the function has answered the same before. */
  readonly isWarm?: true;
  /** How long before. */
  readonly aheadMs?: number;
  readonly key?: KeyName;
  /** How often each question is asked: an alarm on a share wants some traffic. Default: once. */
  readonly rounds?: number;
  /** Whether the event is far larger than the function has memory for. */
  readonly isHuge?: true;
  /** What does not answer, so that callers wait. Otherwise durations do not count: a busy machine is slow too. */
  readonly silent?: 'dynamodb' | 'issuer';
}

const MINUTE_MS = 60_000;
const [DOWN, THROTTLING, BROKEN] = ['dynamodb-down.md', 'throttling.md', 'broken-deploy.md'] as const;
const VERIFYING: readonly FunctionName[] = ['authorizer', 'authzen'];

const dynamodb = (
  title: string,
  runbook: string,
  behaviour: Behaviour,
  more: Partial<Fault> = {},
): Fault => ({ title, runbook, on: FUNCTIONS, strike: (scene) => scene.dynamodb.behave(behaviour), ...more });
const issuer = (title: string, behaviour: Behaviour, more: Partial<Fault> = {}): Fault => ({
  title,
  runbook: 'issuer.md',
  on: VERIFYING,
  strike: (scene) => scene.issuer.behave(behaviour),
  ...more,
});
const changeKeys = (scene: Dependencies): void => scene.issuer.publish('next');
const onAll = (title: string, more: Partial<Fault>): Fault => ({
  title,
  runbook: BROKEN,
  on: FUNCTIONS,
  ...more,
});

export const FAULTS: readonly Fault[] = [
  dynamodb('DynamoDB refuses connections', DOWN, 'down'),
  dynamodb('DynamoDB refuses connections; the answer is in the cache', DOWN, 'down', {
    on: VERIFYING,
    isWarm: true,
  }),
  dynamodb('DynamoDB refuses connections; the answer was in the cache two minutes ago', DOWN, 'down', {
    on: VERIFYING,
    isWarm: true,
    aheadMs: 2 * MINUTE_MS,
  }),
  dynamodb('DynamoDB answers after 30 s', DOWN, 'silent', { silent: 'dynamodb' }),
  dynamodb('DynamoDB answers 500', DOWN, dynamodbError('InternalServerError', 500)),
  dynamodb('the table is throttled', THROTTLING, dynamodbError('ProvisionedThroughputExceededException')),
  dynamodb('the account is throttled', THROTTLING, dynamodbError('RequestLimitExceeded')),
  dynamodb('the table is missing', BROKEN, dynamodbError('ResourceNotFoundException')),
  dynamodb('the role may not read the table', BROKEN, dynamodbError('AccessDeniedException')),
  issuer('the issuer refuses connections', 'down'),
  issuer('the issuer answers after 30 s', 'silent', { silent: 'issuer' }),
  issuer('the issuer answers 500', { status: 500, body: '' }),
  issuer('the issuer answers with a page', { status: 200, body: '<html>Sign in</html>' }),
  issuer('the issuer answers without keys', { status: 200, body: '{"keys":[]}' }, { rounds: 12 }),
  issuer('the issuer refuses connections; its keys are eleven minutes old', 'down', {
    isWarm: true,
    aheadMs: 11 * MINUTE_MS,
  }),
  issuer('a token of a key that the issuer never had', 'well', { key: 'foreign' }),
  issuer('the issuer has changed its keys', 'well', {
    isWarm: true,
    aheadMs: MINUTE_MS,
    key: 'next',
    strike: changeKeys,
  }),
  issuer('a token of the key before, eleven minutes after the issuer has changed its keys', 'well', {
    isWarm: true,
    aheadMs: 11 * MINUTE_MS,
    strike: changeKeys,
  }),
  onAll('out of memory', { options: { heapMb: 16 }, isHuge: true }),
  dynamodb('out of time', DOWN, 'silent', { options: { cutOffMs: 300 }, silent: 'dynamodb' }),
  onAll('a variable of the configuration is wrong', { options: { environment: { TABLE_NAME: '' } } }),
  onAll('Lambda throttles', { runbook: THROTTLING, options: { reservedConcurrency: 0 } }),
];
