import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Finding, type VerifyOptions, verify } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { furnishRichly } from './rich-world.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';

let world: LedgerWorld;
let items: readonly Item[];
beforeAll(async () => {
  world = await createLedgerWorld();
  await furnishRichly(world);
  items = await world.everything();
}, 120_000);

const look = (more: Partial<VerifyOptions> = {}) =>
  verify({ reader: world.reader, clock: world.clock, graceMs: 0, ...more });
const told = (findings: readonly Finding[]) =>
  findings.map(({ code, key, attribute, expected }) => `${code} ${key.PK} / ${key.SK} ${attribute ?? ''}: ${expected}`);

test('a rich world has no finding', async () => {
  world.calls.length = 0;
  const result = await look();
  expect(told(result.open)).toEqual([]);
  console.log(result.partitions, result.items, result.reads, items.length);
  expect(new Set(world.calls.map(({ operation }) => operation))).toEqual(new Set(['Query', 'BatchGetItem']));
});
