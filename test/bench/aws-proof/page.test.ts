import { expect, test } from 'vitest';
import { coldStartsIn, pageOf } from '../../../bench/aws-proof/page.ts';

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

test('cold starts are the INIT phases in the log', () => {
  expect(
    coldStartsIn([
      'REPORT RequestId: 1\tDuration: 8.1 ms\tBilled Duration: 9 ms\tInit Duration: 312.4 ms\t',
      'REPORT RequestId: 2\tDuration: 2.0 ms\tBilled Duration: 2 ms\t',
    ]),
  ).toEqual([312.4]);
});
