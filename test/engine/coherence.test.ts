import { ulid } from 'ulid';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Consistency, Engine } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { COHERENCE_MARGIN_MS, WRITE_DEADLINE_MS } from '../../table/timing.ts';
import { createLateWriter } from '../support/late-writer.ts';
import { createVault, type Vault } from '../support/vault.ts';

/**
 * Every decision is correct for some single instant (SPEC section 2). In each scenario the user is not
 * allowed at any instant, but items cached at different times would allow if they were combined.
 */
let vault: Vault;
let world: Vault['world'];
let zoe: string;
beforeEach(async () => {
  vault = await createVault();
  world = vault.world;
  zoe = `user:${(await world.run('user.create', {})).id}`;
  world.settle();
});

const eve = (engine: Engine, where = vault.place, consistency: Consistency = 'cached') =>
  engine.check(`user:${vault.eve}`, 'vault', where, { consistency });
const later = () => world.clock.advance(10_000);

describe('a BatchGetItem reads each item at a different instant', () => {
  beforeEach(async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    world.settle();
  });

  /** An engine whose first BatchGetItem reads one item after the other; `between` happens after the first. */
  function tornEngine(between: () => Promise<unknown>): Engine {
    let isDone = false;
    const getMany = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
      const items: (Item | undefined)[] = [];
      for (const key of keys) {
        items.push(await world.reader.get(key));
        if (isDone || items.length > 1 || keys.length === 1) continue;
        isDone = true;
        await between();
      }
      return items;
    };
    return world.newEngine({ reader: { getMany, getSnapshot: world.reader.getSnapshot } });
  }

  const remove = () => ({ command: 'membership.delete', input: { user: vault.eve, group: vault.group } });
  const give = () => ({ command: 'group-role.create', input: { group: vault.group, role: vault.role } });

  test.each([
    [
      'one transaction, of which the call sees one half',
      () => world.run('transaction.write', { commands: [remove(), give()] }),
    ],
    [
      'two transactions, one after the other',
      async () => {
        await world.run(remove().command, remove().input);
        world.clock.advance(2);
        await world.run(give().command, give().input);
      },
    ],
  ])('%s: she is refused, at once and later out of the cache', async (_, between) => {
    const engine = tornEngine(between);
    const first = await eve(engine);
    world.clock.advance(50_000);
    const last = await eve(engine);
    expect([first, last]).toEqual(Array(2).fill({ allowed: false, reason: 'no_grant' }));
  });
});

describe('a write that is committed after its writer gave up', () => {
  test('the token of a repeated revocation has the time of its response', async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    await world.run('group-role.create', { group: vault.group, role: vault.role });
    world.settle();
    const engine = world.newEngine();
    const late = createLateWriter(world);
    const event = {
      command: 'membership.delete',
      input: { user: vault.eve, group: vault.group },
      operationId: 'remove-eve',
    };
    const answer = late.provision(event);
    await late.sent();
    world.clock.advance(WRITE_DEADLINE_MS);
    late.giveUp();
    await answer;
    world.clock.advance(3_100);
    expect(await eve(engine)).toMatchObject({ allowed: true });
    world.clock.advance(100);
    await late.commit();
    world.clock.advance(100);
    const again = await createProvisioning({ ...world, newId: () => ulid() })(event);
    if (!again.ok) throw new Error(again.error.code);
    expect(await eve(engine, vault.place, { atLeast: again.token as string })).toMatchObject({
      allowed: false,
    });
  });

  test('a margin that is negative or not a number is refused', () => {
    for (const coherenceMarginMs of [-1, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(() => world.newEngine({ coherenceMarginMs })).toThrow(/coherenceMarginMs/);
  });
});

describe('calls', () => {
  const cost = () => world.calls.splice(0).map(({ keys }) => keys);

  test('an item written longer than the margin before its read is used as it is', async () => {
    const engine = world.newEngine();
    await engine.check(zoe, 'vault', vault.place);
    cost();
    await eve(engine);
    expect(cost()).toEqual([1]);
  });

  test('a cold check of items written within the margin makes one more call, for those read too early', async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    world.clock.advance(COHERENCE_MARGIN_MS - 1);
    cost();
    const engine = world.newEngine();
    await eve(engine);
    expect(cost()).toEqual([5, 5]);
    await eve(engine);
    expect(cost()).toEqual([]);
  });

  test('makes no further call when the cache is too small for any item', async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    cost();
    await eve(world.newEngine({ maxBytes: 1 }));
    expect(cost()).toEqual([5, 5]);
  });

  test('after the margin one call is enough', async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    world.clock.advance(COHERENCE_MARGIN_MS);
    cost();
    await eve(world.newEngine());
    expect(cost()).toEqual([5]);
  });

  test('after a write to a shared item, that item is read twice and each other item once', async () => {
    const people = await Promise.all(
      Array.from({ length: 20 }, async () => `user:${(await world.run('user.create', {})).id}`),
    );
    world.settle();
    const keys: string[] = [];
    const counting = world.newEngine({
      reader: {
        ...world.reader,
        getMany: (wanted, notes) => {
          keys.push(...wanted.map(({ PK, SK }) => `${PK} ${SK}`));
          return world.reader.getMany(wanted, notes);
        },
      },
    });
    for (const who of people) await counting.check(who, 'vault', vault.place);
    keys.length = 0;
    await world.run('group-role.create', { group: vault.group, role: vault.role });
    // Somebody needs to see the write: the shared item is brought by a decision that asks for it now.
    await counting.check(zoe, 'vault', vault.place, { consistency: 'strong' });
    for (const who of people) await counting.check(who, 'vault', vault.place);
    for (const who of people) await counting.check(who, 'vault', vault.place);
    const times = (key: string) => keys.filter((each) => each === key).length;
    const own = people.map((who) => times(`USER#${who.slice('user:'.length)} DECISION`));
    expect(own).toEqual(people.map(() => 1));
    for (const key of new Set(keys)) expect([key, times(key) <= 2]).toEqual([key, true]);
  });
});

describe("a tenant's first DENY on a permission, of which the cache has one half", () => {
  test.each([['cached'], ['strong']] as const)('is read, and is no damage: %s', async (consistency) => {
    const engine = world.newEngine();
    await eve(engine);
    later();
    const lock = (await world.run('role.create', { name: 'locked', scope: vault.place })).id;
    await world.run('role-permission.create', { role: lock, permission: 'vault', effect: 'DENY' });
    later();
    // Brings the place anew, which now says that there is a DENY; that there was none is still cached.
    await engine.check(zoe, 'elsewhere', vault.place, { consistency: 'strong' });
    expect(await eve(engine, vault.place, consistency)).toEqual({ allowed: false, reason: 'no_grant' });
  });
});
