import { expect, test } from 'vitest';
import { billOf, coldStartsIn, pageOf } from '../../../bench/aws-proof/page.ts';

const HEAD = {
  date: '2026-11-27',
  region: 'eu-central-1',
  version: '0.1.0',
  prefix: 'gatehouse-proof-0123abcd',
  account: '123456789012',
};

test('a page has what each step found, and that nothing is left', () => {
  const sections = [{ title: 'Smoke', lines: ['- what is allowed: 200', '- what is not: 403'] }];
  expect(pageOf(HEAD, { sections, left: [] })).toBe(`# Proof on AWS: gatehouse-proof-0123abcd

Gatehouse 0.1.0, eu-central-1, 2026-11-27.

## Smoke

- what is allowed: 200
- what is not: 403

## What is left

Nothing: all that was made is removed.

`);
});

test('a page says why a proof ended early, and what is left', () => {
  const page = pageOf(HEAD, {
    sections: [],
    ended: 'load: broken',
    left: ['stack a: no\nright to arn:aws:x:123456789012'],
  });
  expect(page).toContain('**It ended early**: load: broken.');
  expect(page).toContain('\n- stack a: no right to arn:aws:x:ACCOUNT\n');
});

test('the bill has quantities, and dollars where there is a price', () => {
  const usage = { readUnits: 2e6, writeUnits: 7, invocations: 1e6, billedMs: 4_000, memoryMb: 512 };
  const prices = {
    dynamodb: { millionReadRequestUnits: 0.125 },
    lambda: { millionRequests: 0.2, gbSecondArm64: 0.5 },
  };
  expect(billOf(usage, prices).slice(2)).toEqual([
    '| DynamoDB read units | 2000000 | 0.250000 |',
    '| DynamoDB write units | 7 | see AWS |',
    '| Lambda requests (authorizer) | 1000000 | 0.200000 |',
    '| Lambda GB-seconds (authorizer) | 2.0 | 1.000000 |',
    '| API Gateway requests | as many as answered | see AWS |',
  ]);
});

test('cold starts are the INIT phases in the log', () => {
  expect(
    coldStartsIn([
      'REPORT RequestId: 1\tDuration: 8.1 ms\tBilled Duration: 9 ms\tInit Duration: 312.4 ms\t',
      'REPORT RequestId: 2\tDuration: 2.0 ms\tBilled Duration: 2 ms\t',
    ]),
  ).toEqual([312.4]);
});
