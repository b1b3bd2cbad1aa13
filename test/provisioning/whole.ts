import { expect } from 'vitest';
import type { Item } from '../../table/item.ts';
import { findingsIn } from './findings.ts';
import type { LedgerWorld } from './support.ts';

/**
 * Expects that the table is whole, as `gatehouse verify` says: verify-product.integration.test.ts is about that, and
 * test/releases about what writes and checks have in common. Returns all items.
 */
export async function expectWhole(world: LedgerWorld): Promise<readonly Item[]> {
  const items = await world.everything();
  expect(await findingsIn(items, world.clock)).toEqual([]);
  return items;
}
