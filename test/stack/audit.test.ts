import { expect, test } from 'vitest';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import { logCountKey, logKey, pseudonymKey } from '../../table/keys.ts';
import type { Resource } from './template.ts';

/** The audit log outside the table. That serverless.yml has the same is in stack.integration.test.ts. */
const { Resources } = samTemplate() as unknown as { Resources: Readonly<Record<string, Resource>> };
const properties = (name: string) => (Resources[name] as Resource).Properties;

test('the bucket locks each version, is private and encrypted, and outlives the stack', () => {
  const bucket = Resources.AuditBucket as Resource;
  expect(bucket.DeletionPolicy).toBe('Retain');
  expect(bucket.Properties).toMatchObject({
    ObjectLockEnabled: true,
    ObjectLockConfiguration: {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: { Ref: 'AuditLockMode' }, Days: { Ref: 'AuditRetentionDays' } } },
    },
    VersioningConfiguration: { Status: 'Enabled' },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
  });
});

const actionsOf = (role: string): readonly string[] =>
  properties(role).Policies.flatMap(
    ({ PolicyDocument }: { PolicyDocument: { Statement: { Action: string }[] } }) =>
      PolicyDocument.Statement.flatMap(({ Action }) => Action),
  );

test('who delivers may put objects and neither delete nor unlock them; the pipe may read the stream only', () => {
  expect(actionsOf('AuditDeliveryRole')).toEqual([
    ...['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
    ...['s3:PutObject', 's3:AbortMultipartUpload', 'logs:PutLogEvents'],
  ]);
  expect(actionsOf('AuditPipeRole')).toEqual([
    ...[
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    ],
    ...['firehose:PutRecord', 'firehose:PutRecordBatch'],
  ]);
});

/** Whether the pipe lets a record of the stream pass: one of its patterns matches. */
function passes(eventName: string, PK: string): boolean {
  const { Filters } = properties('AuditPipe').SourceParameters.FilterCriteria;
  return Filters.some(({ Pattern }: { Pattern: string }) => {
    const pattern = JSON.parse(Pattern);
    const prefixes = pattern.dynamodb.Keys.PK.S as { prefix: string }[];
    return pattern.eventName.includes(eventName) && prefixes.some(({ prefix }) => PK.startsWith(prefix));
  });
}

test('new records and every count pass; what an erasure takes away, and everything else, does not', () => {
  const owner = { type: 'tenant', id: 'T' };
  const record = logKey(owner, '2026-01-01T00:00:00.000Z', 'ID').PK;
  const count = logCountKey(undefined, '2026-01', 3).PK;
  expect([passes('INSERT', record), passes('INSERT', count), passes('MODIFY', count)]).toEqual([
    true,
    true,
    true,
  ]);
  // The old image of a changed record would have what was erased.
  expect([passes('MODIFY', record), passes('REMOVE', record)]).toEqual([false, false]);
  expect(passes('INSERT', pseudonymKey({ type: 'user', id: 'U' }).PK)).toBe(false);
  expect(passes('INSERT', 'USER#U')).toBe(false);
});
