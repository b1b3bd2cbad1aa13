import { isDeepStrictEqual } from 'node:util';
import { expect, inject } from 'vitest';
import type { Item } from '../../table/item.ts';
import { findingsIn } from './findings.ts';
import { decisionsOf, rebuild } from './rebuild.ts';
import type { LedgerWorld } from './support.ts';
import { faultsOf } from './verify.ts';

/**
 * Expects that the table is whole, by the naive verifier; in the soak tier by the product's as well, which takes
 * longer. Returns all items.
 */
export async function expectWhole(world: LedgerWorld): Promise<readonly Item[]> {
  const items = await world.everything();
  expect(faultsOf(items)).toEqual([]);
  const [found, wanted] = [decisionsOf(items), rebuild(items)];
  // To ask `expect` takes ten times as long.
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
  if (inject('isSoak')) expect(await findingsIn(items, world.clock)).toEqual([]);
  return items;
}

/** Of so many tests one ends with the product's verifier, the same in each run; in the soak tier all do. */
const EACH = 4;

/** Expects the same by the product's verifier, at the end of a test. */
export async function expectVerified(world: LedgerWorld): Promise<void> {
  const title = [...(expect.getState().currentTestName ?? '')];
  const sum = title.reduce((all, letter) => all + letter.charCodeAt(0), 0);
  if (!inject('isSoak') && sum % EACH > 0) return;
  expect(await findingsIn(await world.everything(), world.clock)).toEqual([]);
}
