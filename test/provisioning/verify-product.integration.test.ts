import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { type VerifyOptions, verify } from '../../provisioning/verify/index.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { linesOf } from './findings.ts';
import { furnishRichly } from './rich-world.ts';
import { createLightLedgerWorld, type Input, isRecord, NOBODY } from './support.ts';

const world = await createLightLedgerWorld();
await furnishRichly(world);
const items: readonly Item[] = await world.everything();

const look = (more: Partial<VerifyOptions> = {}) =>
  verify({ reader: world.reader, clock: world.clock, graceMs: 0, ...more });
test('a rich world has no finding', async () => {
  world.calls.length = 0;
  const result = await look();
  expect(linesOf(result.open)).toEqual([]);
  expect(result.items).toBeGreaterThan(300);
  expect(result.reads / result.items).toBeLessThan(4);
  expect(new Set(world.calls.map(({ operation }) => operation))).toEqual(new Set(['Query', 'BatchGetItem']));
});

const STAMPS = new Set(['rev', 'writtenAt', 'writeId']);
const plain = (value: unknown): unknown => (value instanceof Set ? [...value].sort() : value);
const asState = (all: readonly Item[]) =>
  Object.fromEntries(
    all
      .filter((item) => !isRecord(item))
      .map((item) => [
        `${item.PK} / ${item.SK}`,
        Object.fromEntries(
          Object.entries(item)
            .filter(([name]) => !STAMPS.has(name) && !(item.Type === 'Guard' && name.endsWith('edAt')))
            .map(([name, value]) => [name, plain(value)]),
        ),
      ]),
  );

interface Damage {
  readonly name: string;
  readonly before: Item;
  readonly after: Item | undefined;
}

/** Every way in which one item, or one of its attributes, can be gone or another. */
function* damagesOf(item: Item): Generator<Damage> {
  const name = `${item.PK} / ${item.SK} (${String(item.Type)})`;
  yield { name: `no ${name}`, before: item, after: undefined };
  yield { name: `an attribute too many in ${name}`, before: item, after: { ...item, surplus: 'x' } };
  for (const [attribute, value] of Object.entries(item)) {
    if (attribute === 'PK' || attribute === 'SK') continue;
    const { [attribute]: _, ...rest } = item;
    yield { name: `no ${attribute} in ${name}`, before: item, after: rest as Item };
    for (const other of othersOf(value))
      yield {
        name: `${attribute} ${JSON.stringify(plain(other))} in ${name}`,
        before: item,
        after: { ...item, [attribute]: other },
      };
  }
}
function othersOf(value: unknown): readonly unknown[] {
  if (typeof value === 'boolean') return [!value, 'x'];
  if (typeof value === 'number') return [value + 1, 'x'];
  if (value instanceof Set) return [new Set([...value, NOBODY]), 'x'];
  if (Array.isArray(value)) return [[...value, 'x'], 'x'];
  if (typeof value === 'string' && /^\d{4}-/.test(value)) return ['2026-07-01T00:00:00.000Z', 'x'];
  return [`${String(value)}x`, 7];
}

/** One damage in memory: found, and put right or said not to be. */
async function inMemory({ before, after }: Damage) {
  const table = createMemoryTable({ items });
  if (after) table.put(after);
  else table.remove(before);
  const { open, repaired } = await verify({
    reader: table.reader,
    clock: world.clock,
    graceMs: 0,
    logs: false,
    repair: { writer: table.writer, newId: () => ulid() },
  });
  return { open, found: [...open, ...repaired], state: asState(table.items()) };
}

/** Nodes say what is true: another value that may be right is the truth, and what repeats it follows. */
const isTruth = ({ before }: Damage) =>
  before.SK === 'META' && before.Type !== 'Guard' && before.Type !== 'TenantGrant';
/** Of what nothing else speaks. */
const isAlone = ({ before, after }: Damage) =>
  before.Type === 'Setting' ||
  (after !== undefined &&
    (after.writtenAt !== before.writtenAt ||
      // A form that this release writes as well, of other items: it is read by the same rules.
      (after.v !== before.v && Number(after.v) <= FORMS.writes) ||
      after.writeId !== before.writeId ||
      (before.Type === 'Guard' && isDeepStrictEqual(asState([after]), asState([before])))));

/** What is the matter with the verifier, if anything. */
async function verdict(damage: Damage): Promise<string | undefined> {
  const { found, open, state } = await inMemory(damage);
  if (found.length === 0) return isTruth(damage) || isAlone(damage) ? undefined : 'is not found';
  if (open.length > 0)
    return found.every(({ repairable }) => repairable) ? 'is not put right, as promised' : undefined;
  if (isTruth(damage) || isAlone(damage)) return undefined;
  return isDeepStrictEqual(state, asState(items)) ? undefined : 'is put right otherwise';
}

describe('damage', () => {
  const entries = () => items.filter((item) => !isRecord(item));
  const all = () => entries().flatMap((item) => [...damagesOf(item)]);

  test('any one, in memory: found, and put right or said not to be', async () => {
    const random = createRandom(SEED);
    const many = all();
    const problems: string[] = [];
    for (let n = 0; n < size(3, 400); n++) {
      const damage = random.pick(many);
      const what = await verdict(damage).catch((error: unknown) => `throws ${String(error)}`);
      if (what) problems.push(`${damage.name} ${what}`);
    }
    expect(problems, again()).toEqual([]);
  }, 600_000);
});

describe('in a table that others may change', () => {
  const put = (item: Item) => world.writer.send([{ kind: 'put', item }]);
  const drop = ({ PK, SK }: Item) => world.writer.send([{ kind: 'delete', key: { PK, SK } }]);
  const one = (of: (item: Item) => boolean): Item => {
    const item = items.find(of);
    if (!item) throw new Error('no such item');
    return item;
  };
  const repairing = () => ({ repair: { writer: world.writer, newId: () => ulid() } });

  test('all at once: found, what opens something first, and put right as it was', async () => {
    const whole = asState(items);
    const [, page] = items.filter(({ Type }) => Type === 'Page');
    const orphan = { ...one(({ PK }) => PK.startsWith('EMAIL#root@')), PK: 'EMAIL#gone@example.com' };
    const ofUser = one(
      ({ Type, PK, groups }) => Type === 'Decision' && PK.startsWith('USER#') && groups instanceof Set,
    );
    const ofScope = one(
      ({ Type, ancestors, PK, SK }) =>
        Type === 'Decision' && SK === 'DECISION' && PK.startsWith('ZONE#') && Array.isArray(ancestors),
    );
    const { GSI1PK: _, ...unlisted } = one(({ Type }) => Type === 'TechnicalUser');
    for (const item of [
      { ...ofUser, groups: new Set([...(ofUser.groups as Set<string>), NOBODY]) },
      { ...one(({ Type, SK }) => Type === 'Ownership' && SK.startsWith('LICENSE#')), name: 'other' },
      { ...orphan, owner: `user:${NOBODY}`, GSI1SK: orphan.PK },
      { ...ofScope, ancestors: (ofScope.ancestors as string[]).slice(1) },
      unlisted,
    ])
      await put(item);
    for (const item of [
      one(({ Type, PK, SK }) => Type === 'Membership' && PK.startsWith('GROUP#') && SK.startsWith('USER#')),
      one(({ Type, PK }) => Type === 'Guard' && PK.startsWith('TENANT_NAME#')),
      one(({ PK, SK }) => PK === page?.PK && SK === 'DECISION'),
    ])
      await drop(item);

    const found = await look();
    expect(found.open[0]).toMatchObject({ code: 'decision_more', effect: 'opens', dangerous: true });
    expect([...new Set(found.open.map(({ code }) => code))].sort()).toEqual([
      ...['copy_differs', 'decision_differs', 'decision_missing', 'decision_more', 'edge_missing'],
      ...['guard_missing', 'guard_without_owner', 'index'],
    ]);
    expect(found.open.every(({ repairable }) => repairable)).toBe(true);

    const before = world.transactions.length;
    const repaired = await look(repairing());
    expect(linesOf(repaired.open)).toEqual([]);
    expect(repaired.repaired.length).toBeGreaterThanOrEqual(found.open.length);
    expect(linesOf((await look()).open)).toEqual([]);
    expect(asState((await world.everything()).filter(({ PK }) => PK !== orphan.PK))).toEqual(whole);
    const writes = world.transactions.slice(before);
    expect(writes.length).toBeGreaterThan(5);
    for (const sent of writes) expect(sent.filter(({ key }) => key.PK.startsWith('AUDIT#'))).toHaveLength(1);
    expect(world.calls.some(({ operation }) => operation === 'Scan')).toBe(false);
  });

  test('a repaired decision item is stamped with the time of the repair', async () => {
    const item = one(({ Type, PK }) => Type === 'Decision' && PK.startsWith('USER#'));
    await put({ ...item, status: 'x' });
    world.clock.advance(5_000);
    await look(repairing());
    expect(await world.reader.get(item)).toEqual({
      ...item,
      writtenAt: world.clock.now(),
      writeId: expect.not.stringMatching(String(item.writeId)),
    });
  });

  test('nothing is found, and nothing repaired, while others change the table', async () => {
    let isOver = false;
    const errors: unknown[] = [];
    const busy = async (worker: number) => {
      for (let n = 0; !isOver; n++) {
        const name = `busy-${worker}-${n}`;
        const scope = `tenant:${(await world.run('tenant.create', { name })).id}`;
        const place = `location:${(await world.run('location.create', { name, code: name, parent: scope })).id}`;
        const group = (await world.run('group.create', { scope: place, name })).id;
        const role = (await world.run('role.create', { name, scope })).id;
        const user = (await world.run('user.create', { username: name, tenant: scope })).id;
        await world.run('group-role.create', { group, role });
        await world.run('membership.create', { group, user });
        await world.run('assignment.create', { user, role, scope: place });
        await world.run('grant.create', { user, roles: [role], scope });
        await world.run('role-permission.create', { role, permission: 'robots:drive:hall', effect: 'DENY' });
        await world.run('location.update', { id: place.slice(9), name: `${name}x`, code: `${name}x` });
        await world.run('user.update', { id: user, username: `${name}x`, status: 'disabled' });
        await world.run('group.delete', { id: group });
        if (n % 2 === 0) await world.run('user.delete', { id: user });
        if (n % 3 === 0) await world.run('scope.delete-tree', { scope });
      }
    };
    const workers = [1, 2, 3].map((worker) => busy(worker).catch((error) => errors.push(error)));
    for (let n = 0; n < size(2, 3); n++) {
      const { open, repaired } = await look(n === 1 ? repairing() : {});
      expect([linesOf(open), linesOf(repaired)]).toEqual([[], []]);
    }
    isOver = true;
    await Promise.all(workers);
    expect(errors).toEqual([]);
    expect(linesOf((await look()).open)).toEqual([]);
  });

  test.each([
    ['loses a role', ['role.delete']],
    ['goes and comes again under another id', ['grant.delete', 'grant.create']],
  ])('a grant that %s while it is looked at: nothing is found, nothing repaired', async (_, commands) => {
    const name = `passing-${commands.length}`;
    const scope = `tenant:${(await world.run('tenant.create', { name })).id}`;
    const role = (await world.run('role.create', { name, scope })).id;
    const user = (await world.run('user.create', { username: name })).id;
    const grant = { user, scope };
    await world.run('grant.create', { ...grant, roles: [role] });
    const inputs: Readonly<Record<string, Input>> = {
      'role.delete': { id: role },
      'grant.delete': grant,
      'grant.create': { ...grant, roles: [role] },
    };
    let isThere = true;
    const list: typeof world.reader.list = async (query) => {
      const page = await world.reader.list(query);
      if (isThere && page.items.some(({ PK, Type }) => Type === 'TenantGrant' && PK === `USER#${user}`)) {
        isThere = false;
        for (const command of commands) await world.run(command, inputs[command] as Input);
      }
      return page;
    };
    const { open, repaired } = await look({ ...repairing(), reader: { ...world.reader, list } });
    expect([isThere, linesOf(open), linesOf(repaired)]).toEqual([false, [], []]);
  });

  test('one tenant: what is wrong elsewhere is not looked at', async () => {
    const [a, b] = items.filter(({ Type, SK }) => Type === 'Tenant' && SK === 'META');
    const decision = { PK: String(a?.PK), SK: 'DECISION' };
    const set = (status: string) => world.writer.send([{ kind: 'update', key: decision, set: { status } }]);
    const was = String((await world.reader.get(decision))?.status);
    await set('odd');
    expect((await look({ tenant: { type: 'tenant', id: String(b?.id) } })).open).toEqual([]);
    expect((await look({ tenant: { type: 'tenant', id: String(a?.id) } })).open).toMatchObject([
      { code: 'decision_differs', key: decision, attribute: 'status', effect: 'closes' },
    ]);
    await set(was);
  });
});
