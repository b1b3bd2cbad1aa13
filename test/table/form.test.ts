import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { stamped } from '../../table/decision/writes.ts';
import { GatehouseError, notFound } from '../../table/errors.ts';
import { assertReadable } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, guardKey, identityOf, nodeKey, secretKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { createWorld } from '../support/world.ts';

/** Every item says its form; what a later release wrote is neither changed nor deleted (ADR 0030). */
const world = await createWorld();
const { reader, writer } = world;

const put = (item: Item) => writer.send([{ kind: 'put', item }]);
const send = (...actions: readonly Action[]) =>
  writer.send(stamped(actions, { writtenAt: world.clock.now(), writeId: ulid() }));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof GatehouseError ? error.code : error),
  );

const there = { exists: true };
const failure = () => notFound('id', 'it');

describe('what is written', () => {
  test('says its form, whoever made it: new, put whole, changed blindly, changed on a condition', async () => {
    const [a, b, c, d] = [1, 2, 3, 4].map(() => nodeKey({ type: 'user', id: ulid() }));
    await put({ ...d, old: 1 } as Item);
    await send(
      { kind: 'put', item: { ...a } as Item, when: { exists: false }, failure },
      { kind: 'put', item: { ...b } as Item },
      { kind: 'update', key: c as Item, add: { rev: 1 } },
      { kind: 'update', key: d as Item, set: { old: 2 }, when: there, failure },
    );
    const items = await reader.getMany([a, b, c, d] as Item[]);
    expect(items.map((item) => item?.v)).toEqual([1, 1, 1, 1]);
  });

  test('is changed where it says none: it is of the first form', async () => {
    const key = nodeKey({ type: 'user', id: ulid() });
    await put({ ...key, rev: 1 });
    await send({ kind: 'update', key, add: { rev: 1 }, when: { exists: true, equals: { rev: 1 } }, failure });
    expect(await reader.get(key)).toEqual({ ...key, rev: 2, v: 1 });
  });

  test('keeps the failure of its own condition', async () => {
    const key = nodeKey({ type: 'user', id: ulid() });
    expect(await codeOf(send({ kind: 'update', key, set: { a: 1 }, when: there, failure }))).toBe(
      'not_found',
    );
  });
});

const KEY = nodeKey({ type: 'user', id: 'of-tomorrow' });
const WRITES: readonly (readonly [string, Action])[] = [
  ['put', { kind: 'put', item: { ...KEY } }],
  ['blind update', { kind: 'update', key: KEY, add: { groups: new Set(['g']) } }],
  ['conditional update', { kind: 'update', key: KEY, set: { a: 1 }, when: there, failure }],
  [
    'update that another condition fails',
    { kind: 'update', key: KEY, set: { a: 1 }, when: { exists: true, equals: { a: 7 } }, failure },
  ],
  ['deletion', { kind: 'delete', key: KEY }],
  ['check', { kind: 'check', key: KEY, when: there, failure }],
];

describe('an item of a newer form', () => {
  test.each(WRITES)(
    'is left as it is, and everything that was to be written with it: %s',
    async (_, action) => {
      const item = { ...KEY, v: 3, a: 2 };
      await put(item);
      const beside = nodeKey({ type: 'user', id: ulid() });
      expect(await codeOf(send({ kind: 'put', item: { ...beside } as Item }, action))).toBe('newer_form');
      expect(await reader.getMany([KEY, beside])).toEqual([item, undefined]);
    },
  );

  test('refuses a command and its dry run alike, and says what to do', async () => {
    const { id } = await world.run('user.create', {});
    const key = decisionKey({ type: 'user', id });
    const item = (await reader.get(key)) as Item;
    await put({ ...item, v: 3 });
    const scope = `tenant:${(await world.run('tenant.create', { name: ulid() })).id}`;
    const role = await world.run('role.create', { name: 'r', scope });
    const input = { user: id, scope, roles: [role.id] };
    for (const dryRun of [true, false]) {
      const answer = await world.provision({ command: 'grant.create', input, dryRun });
      expect(answer).toMatchObject({ ok: false, error: { code: 'newer_form', retryable: false } });
      expect(!answer.ok && answer.error.message).toMatch(
        new RegExp(
          `^USER#${id} / DECISION is of form 3, newer than form 2, .* deploy the newer release here`,
        ),
      );
    }
    expect(await reader.get(key)).toEqual({ ...item, v: 3 });
  });

  test('is named without what its key says of a person', () => {
    const guard = { ...guardKey('EMAIL', 'ann@example.com'), v: 3 };
    expect(() => assertReadable(guard)).toThrow(/^a guard of EMAIL is of form 3/);
    const secret = { ...secretKey({ type: 'user', id: 'ann' }), v: 3 };
    expect(() => assertReadable(secret)).toThrow(`${secret.PK} / META is of form 3`);
    expect(identityOf(guard)).toContain('ann@example.com');
  });
});
