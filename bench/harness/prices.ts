/** List prices in dollars, in the form of `bench/prices.json`. */
export interface Prices {
  readonly dynamodb: { readonly millionReadRequestUnits: number };
  readonly lambda: { readonly millionRequests: number; readonly gbSecondArm64: number };
  /** A gigabyte of logs that is ingested. */
  readonly cloudwatch: { readonly gbLogs: number };
  readonly verifiedPermissions: { readonly millionSingleRequests: number };
}

/**
 * Megabytes at which Lambda gives a function one processor; with less memory it gets a proportional share.
 */
export const MB_OF_ONE_PROCESSOR = 1_769;

export interface Invocation {
  /** Milliseconds of a whole processor. */
  readonly processorMs: number;
  /** Milliseconds of waiting. */
  readonly waitMs: number;
}

/** Milliseconds that Lambda bills, rounded up. */
export const billedMs = ({ processorMs, waitMs }: Invocation, memoryMb: number): number =>
  Math.ceil((processorMs * MB_OF_ONE_PROCESSOR) / Math.min(memoryMb, MB_OF_ONE_PROCESSOR) + waitMs);

const REQUEST_ID = '8e1b2c3d-4f50-6172-8394-a5b6c7d8e9f0';

/** Bytes of the lines that Lambda itself writes for an invocation, as text (Lambda monitoring-cloudwatchlogs-view). */
export const lambdaLogBytes = (milliseconds: number, memoryMb: number): number =>
  [
    `START RequestId: ${REQUEST_ID} Version: 1\n`,
    `END RequestId: ${REQUEST_ID}\n`,
    `REPORT RequestId: ${REQUEST_ID}\tDuration: ${milliseconds.toFixed(2)} ms\tBilled Duration: ${milliseconds} ms\t`,
    `Memory Size: ${memoryMb} MB\tMax Memory Used: 100 MB\t\n`,
  ].join('').length;

/** One decision: billed milliseconds, read units, bytes of logs, and requests to Verified Permissions. */
export interface Decided {
  readonly billedMs: number;
  readonly logBytes?: number;
  readonly units?: number;
  readonly requests?: number;
}

export interface Mix {
  /** Share of the decisions that the cache answers, 0 to 1. */
  readonly hitRate: number;
  readonly hit: Decided;
  readonly miss: Decided;
  readonly memoryMb: number;
}

/** Dollars for a million decisions, each an invocation of the authorizer. */
export function dollarsPerMillion({ hitRate, hit, miss, memoryMb }: Mix, prices: Prices): number {
  const { dynamodb, lambda, cloudwatch, verifiedPermissions } = prices;
  const of = ({ billedMs: milliseconds, units = 0, logBytes = 0, requests = 0 }: Decided): number =>
    lambda.millionRequests +
    (memoryMb / 1_024) * milliseconds * 1_000 * lambda.gbSecondArm64 +
    units * dynamodb.millionReadRequestUnits +
    ((logBytes * 1_000_000) / 1_024 ** 3) * cloudwatch.gbLogs +
    requests * verifiedPermissions.millionSingleRequests;
  return hitRate * of(hit) + (1 - hitRate) * of(miss);
}
