import { expect, test } from 'vitest';
import { entryChanges } from '../../table/decision/entries.ts';
import { toTransactItem } from '../../table/dynamodb/expression.ts';
import { GatehouseError } from '../../table/errors.ts';
import { decisionKey, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { createWorld } from '../support/world.ts';

test('the same actions sent again on purpose are carried out again, not taken for a repetition', async () => {
  const world = await createWorld();
  const user = { type: 'user', id: (await world.run('user.create', {})).id };
  const admin = async () => (await world.reader.get(decisionKey(user)))?.isAdmin;
  const entries = [{ at: decisionKey(user), attribute: 'isAdmin', value: true }];
  const set = (isAdmin: boolean) =>
    world.writer.send(isAdmin ? entryChanges([], entries) : entryChanges(entries, []));
  for (const isAdmin of [true, false, true, false]) {
    await set(isAdmin);
    expect(await admin()).toBe(isAdmin);
  }
});

test('an update that changes nothing is sent as a check: DynamoDB refuses an empty expression', () => {
  const action: Action = {
    kind: 'update',
    key: nodeKey({ type: 'project', id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' }),
    when: { exists: true, equals: { ancestors: ['client:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C'], movingTo: undefined } },
    failure: () => new GatehouseError('stale', 'is being moved'),
  };
  expect(toTransactItem(action, 'table')).toEqual({
    ConditionCheck: expect.objectContaining({
      ConditionExpression: 'attribute_exists(#n0) AND #n1 = :v0 AND attribute_not_exists(#n2)',
    }),
  });
});
