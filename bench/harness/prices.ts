/** List prices in dollars, in the form of `bench/prices.json`. */
export interface Prices {
  readonly dynamodb: { readonly millionReadRequestUnits: number };
  readonly lambda: { readonly millionRequests: number; readonly gbSecondArm64: number };
  readonly verifiedPermissions: { readonly millionSingleRequests: number };
}

/**
 * Megabytes at which Lambda gives a function one processor; with less memory it gets a proportional share.
 */
const MB_OF_ONE_PROCESSOR = 1_769;

export interface Invocation {
  /** Milliseconds of a whole processor. */
  readonly processorMs: number;
  /** Milliseconds of waiting. */
  readonly waitMs: number;
}

/** Milliseconds that Lambda bills, rounded up. */
export const billedMs = ({ processorMs, waitMs }: Invocation, memoryMb: number): number =>
  Math.ceil((processorMs * MB_OF_ONE_PROCESSOR) / Math.min(memoryMb, MB_OF_ONE_PROCESSOR) + waitMs);

/** One decision: billed milliseconds, read units, and requests to Verified Permissions. */
export interface Decided {
  readonly billedMs: number;
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
  const { dynamodb, lambda, verifiedPermissions } = prices;
  const of = ({ billedMs: milliseconds, units = 0, requests = 0 }: Decided): number =>
    lambda.millionRequests +
    (memoryMb / 1_024) * milliseconds * 1_000 * lambda.gbSecondArm64 +
    units * dynamodb.millionReadRequestUnits +
    requests * verifiedPermissions.millionSingleRequests;
  return hitRate * of(hit) + (1 - hitRate) * of(miss);
}
