import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../table/item.ts';
import { nodeKey, secretKey } from '../../table/keys.ts';
import { linesOf, verifyOn } from './findings.ts';
import { createLedgerWorld, isRecord } from './support.ts';

/** Password hashes and the like stand in a partition of their own (ADR 0016). */
const world = await createLedgerWorld();

const SECRETS = { passwordHash: 'argon2id-of-something', mfaSecret: 'sealed-something' };
const VALUES = /argon2id|sealed/;
const refOf = (id: string) => ({ type: 'user', id });
const nodeOf = (id: string) => world.reader.get(nodeKey(refOf(id)));
const secretOf = (id: string) => world.reader.get(secretKey(refOf(id)));
const put = (item: Item) => world.writer.send([{ kind: 'put', item }]);

describe('secrets of a user', () => {
  test('stand apart from it, in no index, from one transaction', async () => {
    const before = world.transactions.length;
    const { id } = await world.run('user.create', { ...SECRETS, title: 'Dr' });
    expect(await secretOf(id)).toEqual({
      PK: `SECRET#USER#${id}`,
      SK: 'META',
      Type: 'Secret',
      v: 1,
      ...SECRETS,
      updatedAt: expect.any(String),
    });
    expect(JSON.stringify(await nodeOf(id))).not.toMatch(VALUES);
    expect(world.transactions).toHaveLength(before + 1);
  });

  test('are not there where none were given, and come with the first', async () => {
    const { id } = await world.run('user.create', {});
    expect(await secretOf(id)).toBeUndefined();
    await world.run('user.update', { id, passwordHash: SECRETS.passwordHash });
    expect(await secretOf(id)).toMatchObject({ Type: 'Secret', passwordHash: SECRETS.passwordHash });
  });

  test('are changed and cleared one by one, with the revision of their user', async () => {
    const { id } = await world.run('user.create', SECRETS);
    const { rev } = (await nodeOf(id)) as Item;
    await Promise.all([
      world.run('user.update', { id, passwordHash: 'argon2id-of-another' }),
      world.run('user.update', { id, mfaSecret: null }),
    ]);
    const { updatedAt: _, ...item } = (await secretOf(id)) as Item;
    const left = { Type: 'Secret', v: 1, passwordHash: 'argon2id-of-another' };
    expect(item).toEqual({ ...secretKey(refOf(id)), ...left });
    expect(await nodeOf(id)).toMatchObject({ rev: Number(rev) + 2 });
    await world.run('user.update', { id, title: 'Dr' });
    expect(await secretOf(id)).toMatchObject({ passwordHash: 'argon2id-of-another' });
  });

  test('go with their user, and leave nothing', async () => {
    const { id } = await world.run('user.create', SECRETS);
    const before = world.transactions.length;
    await world.run('user.delete', { id });
    expect([await nodeOf(id), await secretOf(id)]).toEqual([undefined, undefined]);
    expect(world.transactions).toHaveLength(before + 1);
  });

  test('are never shown: not in an answer, not in a list, not in the log, not where several commands are one', async () => {
    const made = await world.run('user.create', { ...SECRETS, email: 'shown@example.com' });
    const { id } = made;
    const read = await world.run('user.read', { id });
    const changed = await world.run('user.update', { id, passwordHash: 'argon2id-of-another' });
    const together = await world.run('transaction.write', {
      commands: [
        { command: 'user.create', input: { id: ulid(), ...SECRETS } },
        { command: 'user.update', input: { id, mfaSecret: 'sealed-again' } },
      ],
    });
    const deleted = await world.run('user.delete', { id });
    const lists = [await world.listed('user.list', {}), await world.listed('audit.list', {})];
    const log = (await world.everything()).filter(isRecord);
    expect(log.length).toBeGreaterThan(3);
    expect(JSON.stringify([made, read, changed, together, deleted, lists, log])).not.toMatch(VALUES);
  });
});

describe('gatehouse verify', () => {
  const look = (isRepairing = false) => verifyOn(world, isRepairing);

  test('moves secrets that stand in their user to where they belong; what is there already wins', async () => {
    const { id } = await world.run('user.create', { passwordHash: 'argon2id-of-now' });
    const node = (await nodeOf(id)) as Item;
    await put({ ...node, passwordHash: 'argon2id-of-then', mfaSecret: 'sealed-then' });
    const { open } = await look();
    expect(open.map(({ code, attribute, repairable }) => [code, attribute, repairable])).toEqual([
      ['secret_misplaced', 'mfaSecret', true],
      ['secret_misplaced', 'passwordHash', true],
    ]);
    expect(JSON.stringify(open)).not.toMatch(VALUES);
    expect(linesOf((await look(true)).open)).toEqual([]);
    expect(await secretOf(id)).toMatchObject({ passwordHash: 'argon2id-of-now', mfaSecret: 'sealed-then' });
    expect(JSON.stringify(await nodeOf(id))).not.toMatch(VALUES);
    expect(linesOf((await look()).open)).toEqual([]);
  });

  test('tells of what such an item cannot hold', async () => {
    const { id } = await world.run('user.create', SECRETS);
    const item = (await secretOf(id)) as Item;
    await put({ ...item, passwordHash: 7, surplus: 'x' });
    expect((await look()).open).toMatchObject(
      ['passwordHash', 'surplus'].map((attribute) => ({ code: 'secret_damaged', attribute })),
    );
    await put(item);
  });
});
