import { expect, test } from 'vitest';
import { billedMs, dollarsPerMillion, lambdaLogBytes, type Prices } from '../../bench/harness/prices.ts';
import real from '../../bench/prices.json' with { type: 'json' };

const prices: Prices = {
  dynamodb: { millionReadRequestUnits: 0.1 },
  lambda: { millionRequests: 0.2, gbSecondArm64: 0.00001 },
  cloudwatch: { gbLogs: 0.5 },
  verifiedPermissions: { millionSingleRequests: 5 },
};

test('a decision costs a request, its time and memory, and its reads or requests', () => {
  const hit = { billedMs: 1 };
  const miss = { billedMs: 10, units: 5 };
  const at = (hitRate: number) => dollarsPerMillion({ hitRate, hit, miss, memoryMb: 1_024 }, prices);
  // A million decisions of 1 ms with 1 GB are 1,000 GB-seconds.
  expect(at(1)).toBeCloseTo(0.2 + 0.01, 10);
  expect(at(0)).toBeCloseTo(0.2 + 0.1 + 0.5, 10);
  expect(at(0.9)).toBeCloseTo(0.9 * at(1) + 0.1 * at(0), 10);
  // A gigabyte of logs.
  const logged = { billedMs: 1, logBytes: 1_024 ** 3 / 1_000_000 };
  expect(dollarsPerMillion({ hitRate: 1, hit: logged, miss, memoryMb: 1_024 }, prices)).toBeCloseTo(
    at(1) + 0.5,
    10,
  );
  const asked = { billedMs: 10, requests: 1 };
  expect(dollarsPerMillion({ hitRate: 0, hit, miss: asked, memoryMb: 512 }, prices)).toBeCloseTo(5.25, 10);
});

test('milliseconds are rounded up, and half a processor takes twice as long', () => {
  expect(billedMs({ processorMs: 0.1, waitMs: 0 }, 1_769)).toBe(1);
  expect(billedMs({ processorMs: 1, waitMs: 3.2 }, 1_769)).toBe(5);
  expect(billedMs({ processorMs: 1, waitMs: 0 }, 884.5)).toBe(2);
  // One thread does not run faster on more than one.
  expect(billedMs({ processorMs: 2, waitMs: 0 }, 3_538)).toBe(2);
});

test('Lambda writes three lines of text for an invocation', () => {
  expect(lambdaLogBytes(3, 512)).toBe(lambdaLogBytes(13, 512) - 2);
  expect(lambdaLogBytes(3, 512)).toBeGreaterThan(3 * 50);
});

test('the prices have a date, a region and sources', () => {
  expect(real.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(real.region).toBe('us-east-1');
  for (const source of Object.values(real.sources)) expect(source).toMatch(/^https:\/\/aws\.amazon\.com\//);
});
