import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Answer } from '../../provisioning/index.ts';
import { decisionKey, guardKey, logPartition, nodeKey } from '../../table/keys.ts';
import { eventually } from '../support/eventually.ts';
import { findingsIn } from './findings.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';

/** Many at once: conditions decide, never a check before the write. */
let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
});
afterEach(async () => expect(await findingsIn(await world.everything(), world.clock)).toEqual([]));

const parallel = (count: number, one: (turn: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => one(turn)));

/** Splits answers into those that say yes and the errors of the rest. */
const sorted = (answers: readonly Answer[]) => ({
  done: answers.flatMap((answer) => (answer.ok ? [answer.result] : [])),
  errors: answers.flatMap((answer) => (answer.ok ? [] : [answer.error])),
});

const tally = async () => {
  const counts: Record<string, number> = {};
  for (const { Type } of await world.everything()) counts[String(Type)] = (counts[String(Type)] ?? 0) + 1;
  return counts;
};

test('60 creations of a user with one e-mail address: one succeeds, nothing of the others is left', async () => {
  const email = 'ann@example.com';
  const answers = await parallel(60, (turn) =>
    world.provision({
      command: 'user.create',
      input: { email: turn % 2 === 0 ? email : 'ANN@example.com', username: `ann${turn}` },
    }),
  );
  const { done, errors } = sorted(answers);
  expect(done).toHaveLength(1);
  expect(errors).toHaveLength(59);
  const id = String(done[0]?.id);
  for (const error of errors) {
    expect(error).toMatchObject({
      code: 'conflict',
      field: 'email',
      holder: `user:${id}`,
      retryable: false,
    });
  }

  // Through the keys that readers use: the look-up, the node, its decision item, the list, the log.
  expect(await world.reader.get(guardKey('EMAIL', email))).toMatchObject({ owner: `user:${id}` });
  expect(await world.reader.get(nodeKey({ type: 'user', id }))).toMatchObject({ Type: 'User', email });
  expect(await world.reader.get(decisionKey({ type: 'user', id }))).toMatchObject({ status: 'active' });
  await eventually(async () => {
    expect((await world.listed('user.list', {})).map((row) => row.id)).toEqual([id]);
  });
  const log = await world.reader.listAll({
    ranges: [0, 1, 2, 3].map((shard) => ({ partition: logPartition(undefined, shard) })),
  });
  expect(log).toMatchObject([{ action: 'user.create', entityId: id, status: 'success' }]);
  // And of all the items that any of the 60 transactions named, these exist.
  const records = { AuditLog: 1, AuditCount: 1, PseudonymKey: 1, Operation: 1 };
  expect(await tally()).toEqual({ User: 1, Guard: 2, Decision: 1, ...records });
});

test('12 changes of one user at once: who gives up is told to try again, and the table is whole', async () => {
  const { id } = await world.run('user.create', { username: 'start' });
  const answers = await parallel(12, (turn) =>
    world.provision({ command: 'user.update', input: { id, username: `turn${turn}` } }),
  );
  const { done, errors } = sorted(answers);
  expect(done.length).toBeGreaterThan(0);
  for (const error of errors) expect(error).toMatchObject({ code: 'stale', retryable: true });
  const { username } = await world.run('user.read', { id });
  const guards = (await world.everything()).filter((item) => item.Type === 'Guard');
  expect(guards.map(({ PK }) => PK)).toEqual([`USERNAME#${username}`]);
});

test('two users that want to change into one address: one gets it, the other keeps what it had', async () => {
  const [a, b] = [
    (await world.run('user.create', { email: 'a@example.com' })).id,
    (await world.run('user.create', { email: 'b@example.com' })).id,
  ];
  const answers = await Promise.all(
    [a, b].map((id) => world.provision({ command: 'user.update', input: { id, email: 'c@example.com' } })),
  );
  const { done, errors } = sorted(answers);
  expect(done).toHaveLength(1);
  expect(errors).toMatchObject([{ code: 'conflict', field: 'email', holder: `user:${done[0]?.id}` }]);
  const kept = done[0]?.id === a ? 'b' : 'a';
  const guards = (await world.everything()).filter((item) => item.Type === 'Guard');
  expect(guards.map(({ PK }) => PK).sort()).toEqual(
    [`EMAIL#${kept}@example.com`, 'EMAIL#c@example.com'].sort(),
  );
});

test('changes and a deletion of one user at once: deleted, or refused as stale, and never a guard without owner', async () => {
  for (let round = 0; round < 3; round++) {
    const { id } = await world.run('user.create', { email: 'ann@example.com' });
    const [deletion, ...updates] = await Promise.all([
      world.provision({ command: 'user.delete', input: { id } }),
      ...[0, 1, 2].map((turn) =>
        world.provision({ command: 'user.update', input: { id, email: `ann${turn}@example.com` } }),
      ),
    ]);
    expect(deletion).toMatchObject({ ok: true });
    for (const error of sorted(updates).errors)
      expect(error).toMatchObject({ code: 'not_found', field: 'id' });
    expect(await world.dataItems()).toEqual([]);
  }
});
