import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../table/item.ts';
import { size } from '../support/tier.ts';
import { decisionsOf, rebuild } from './rebuild.ts';
import { furnishRichly } from './rich-world.ts';
import { createLightLedgerWorld, isRecord } from './support.ts';
import { faultsOf } from './verify.ts';

/**
 * The checks on which the other tests of this folder rest: a table with one of each kind is whole, and any
 * damage to it is found.
 */
/** All of them in the soak tier, otherwise some of each type. */
const some = <T>(all: readonly T[]): readonly T[] => all.filter((_, n) => n % size(9, 1) === 0);
const world = await createLightLedgerWorld();
await furnishRichly(world);
const items: readonly Item[] = await world.everything();
const isState = (item: Item) => !isRecord(item);
const isWhole = (state: readonly Item[]) =>
  faultsOf(state).length === 0 && isDeepStrictEqual(decisionsOf(state), rebuild(state));

test('one of each kind, by commands: the table is whole', () => {
  expect(faultsOf(items)).toEqual([]);
  expect(decisionsOf(items)).toEqual(rebuild(items));
  expect(items.filter(isState).length).toBeGreaterThan(300);
});

describe('damage is found', () => {
  /** Nodes on which nothing hangs can be missing altogether; the rest of this table would not show it. */
  const isAlone = ({ PK, SK, Type }: Item) =>
    SK === 'META' &&
    Type !== 'Guard' &&
    items.filter((other) => other.PK === PK || other.SK.includes(PK) || other.owner === ownerText(PK))
      .length === 1;
  const ownerText = (PK: string) => {
    const [type = '', id] = PK.split('#');
    return `${type.toLowerCase().replaceAll('_', '-')}:${id}`;
  };

  test('any one item that is missing', () => {
    const unnoticed = some(items)
      .filter((item) => isState(item) && !isAlone(item))
      .filter((gone) => isWhole(items.filter((item) => item !== gone)))
      // A setting is one item, and nothing else speaks of it, nor of what is secret. A gate is made again.
      .filter(({ Type }) => !['Setting', 'Secret', 'Gate'].includes(String(Type)));
    expect(unnoticed.map(({ PK, SK }) => `${PK} / ${SK}`)).toEqual([]);
  });
});
