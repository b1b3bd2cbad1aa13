import { type Finding, verify } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from './memory-table.ts';

export const told = (findings: readonly Finding[]): readonly string[] =>
  findings.map(
    ({ code, key, attribute, expected }) =>
      `${code} ${key.PK} / ${key.SK} ${attribute ?? ''}: expected ${expected}`,
  );

/** What `gatehouse verify` says of a table with these items. */
export async function findingsIn(
  items: readonly Item[],
  clock: { readonly now: () => number },
): Promise<readonly string[]> {
  const { reader } = createMemoryTable(items);
  return told((await verify({ reader, clock, graceMs: 0 })).open);
}
