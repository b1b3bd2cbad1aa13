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

const VERIFYING: readonly FunctionName[] = ['authorizer', 'authzen'];

const dynamodb = (behaviour: Behaviour): Pick<Fault, 'strike' | 'on'> => ({
  on: FUNCTIONS,
  strike: (scene) => scene.dynamodb.behave(behaviour),
});
const issuer = (behaviour: Behaviour): Pick<Fault, 'strike' | 'on' | 'runbook'> => ({
  on: VERIFYING,
  runbook: 'issuer.md',
  strike: (scene) => scene.issuer.behave(behaviour),
});

const MINUTE_MS = 60_000;

export const FAULTS: readonly Fault[] = [
  { title: 'DynamoDB refuses connections', runbook: 'dynamodb-down.md', ...dynamodb('down') },
  {
    title: 'DynamoDB refuses connections; the answer is in the cache',
    runbook: 'dynamodb-down.md',
    ...dynamodb('down'),
    on: VERIFYING,
    isWarm: true,
  },
  {
    title: 'DynamoDB refuses connections; the answer was in the cache two minutes ago',
    runbook: 'dynamodb-down.md',
    ...dynamodb('down'),
    on: VERIFYING,
    isWarm: true,
    aheadMs: 2 * MINUTE_MS,
  },
  {
    title: 'DynamoDB answers after 30 s',
    runbook: 'dynamodb-down.md',
    ...dynamodb('silent'),
    silent: 'dynamodb',
  },
  {
    title: 'DynamoDB answers 500',
    runbook: 'dynamodb-down.md',
    ...dynamodb(dynamodbError('InternalServerError', 500)),
  },
  {
    title: 'the table is throttled',
    runbook: 'throttling.md',
    ...dynamodb(dynamodbError('ProvisionedThroughputExceededException')),
  },
  {
    title: 'the account is throttled',
    runbook: 'throttling.md',
    ...dynamodb(dynamodbError('RequestLimitExceeded')),
  },
  {
    title: 'the table is missing',
    runbook: 'broken-deploy.md',
    ...dynamodb(dynamodbError('ResourceNotFoundException')),
  },
  {
    title: 'the role may not read the table',
    runbook: 'broken-deploy.md',
    ...dynamodb(dynamodbError('AccessDeniedException')),
  },
  { title: 'the issuer refuses connections', ...issuer('down') },
  { title: 'the issuer answers after 30 s', ...issuer('silent'), silent: 'issuer' },
  { title: 'the issuer answers 500', ...issuer({ status: 500, body: '' }) },
  { title: 'the issuer answers with a page', ...issuer({ status: 200, body: '<html>Sign in</html>' }) },
  {
    title: 'the issuer answers without keys',
    ...issuer({ status: 200, body: '{"keys":[]}' }),
    rounds: 12,
  },
  {
    title: 'the issuer refuses connections; its keys are eleven minutes old',
    ...issuer('down'),
    isWarm: true,
    aheadMs: 11 * MINUTE_MS,
  },
  {
    title: 'a token of a key that the issuer never had',
    on: VERIFYING,
    runbook: 'issuer.md',
    key: 'foreign',
  },
  {
    title: 'the issuer has changed its keys',
    on: VERIFYING,
    runbook: 'issuer.md',
    isWarm: true,
    aheadMs: MINUTE_MS,
    key: 'next',
    strike: (scene) => scene.issuer.publish('next'),
  },
  {
    title: 'a token of the key before, eleven minutes after the issuer has changed its keys',
    on: VERIFYING,
    runbook: 'issuer.md',
    isWarm: true,
    aheadMs: 11 * MINUTE_MS,
    strike: (scene) => scene.issuer.publish('next'),
  },
  {
    title: 'out of memory',
    on: FUNCTIONS,
    runbook: 'broken-deploy.md',
    options: { heapMb: 16 },
    isHuge: true,
  },
  {
    title: 'out of time',
    ...dynamodb('silent'),
    runbook: 'dynamodb-down.md',
    options: { cutOffMs: 300 },
    silent: 'dynamodb',
  },
  {
    title: 'a variable of the configuration is wrong',
    on: FUNCTIONS,
    runbook: 'broken-deploy.md',
    options: { environment: { TABLE_NAME: '' } },
  },
  { title: 'Lambda throttles', on: FUNCTIONS, runbook: 'throttling.md', options: { reservedConcurrency: 0 } },
];
