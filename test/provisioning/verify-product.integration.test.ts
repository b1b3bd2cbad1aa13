import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { type VerifyOptions, verify } from '../../provisioning/verify/index.ts';
import { parseAttribute } from '../../table/decision/attributes.ts';
import { ONLY_GROWS } from '../../table/decision/entries.ts';
import { FORMS } from '../../table/form.ts';
import { groupBy } from '../../table/group-by.ts';
import { isRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, parseKey } from '../../table/keys.ts';
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

/** Of each write, and of each split, another one. */
const STAMPS = new Set(['rev', 'writtenAt', 'writeId', 'byScope']);
const plain = (value: unknown): unknown => (value instanceof Set ? [...value].sort() : value);
const asState = (all: readonly Item[]) =>
  Object.fromEntries(
    all
      .filter((item) => !isRecord(item))
      .map((item) => [
        identityOf(item),
        Object.fromEntries(
          Object.entries(item)
            .filter(([name]) => !STAMPS.has(name) && !(item.Type === 'Guard' && name.endsWith('edAt')))
            .map(([name, value]) => [name, plain(value)]),
        ),
      ]),
  );

interface Damage {
  readonly name: string;
  /** Of what type the item is, and of what kind the attribute; of a decision item, also what became of it. */
  readonly kind: string;
  readonly attribute: string;
  readonly before: Item;
  readonly after: Item | undefined;
}

/** What says how a decision item says it. */
const MARKS = new Set(['roleTable', 'groupRoles', 'groupsIn']);
/** Every way in which one item, or one of its attributes, can be gone or another. */
function* damagesOf(before: Item, all: readonly Item[]): Generator<Damage> {
  const type = String(before.Type);
  const parsed = parseKey(before);
  const isOfGroup = parsed?.form === 'decision' && parsed.type === 'group';
  const damage = (what: string, after: Item | undefined, attribute = what, how = ''): Damage => {
    const kind = (type === 'Decision' && parseAttribute(attribute)?.kind) || attribute;
    const name = `${what} in ${before.PK} / ${before.SK} (${type})`;
    const place = `${parsed?.form}${isOfGroup ? ' of a group' : ''}`;
    return {
      name,
      kind: type === 'Decision' ? `${place} ${kind} ${how}` : `${type} ${kind}`,
      attribute,
      before,
      after,
    };
  };
  yield damage('nothing', undefined);
  yield damage('an attribute too many', { ...before, surplus: 'x' });
  // What another item says.
  if (type === 'Decision')
    for (const [name, value] of all.flatMap((item) => (item.Type === type ? Object.entries(item) : [])))
      if (!(name in before || MARKS.has(name)))
        yield damage(`${name} of another item`, { ...before, [name]: value }, name, 'of another');
  for (const [attribute, value] of Object.entries(before)) {
    if (attribute === 'PK' || attribute === 'SK') continue;
    const { [attribute]: _, ...rest } = before;
    yield damage(`no ${attribute}`, rest as Item, attribute, 'no');
    for (const [n, other] of othersOf(value).entries())
      yield damage(
        `${attribute} ${JSON.stringify(plain(other))}`,
        { ...before, [attribute]: other },
        attribute,
        `other ${n}`,
      );
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

/** The same world where all that can stand apart does (ADR 0003). */
const ASUNDER = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };
const asunder = createMemoryTable({ items });
await migrate({ ...asunder, clock: world.clock, newId: ulid, thresholds: ASUNDER });
const split = asunder.items();

/** Damage in memory: found, and put right or said not to be. What is made anew is listed: then it is split again. */
async function inMemory(items: readonly Item[], damages: readonly Damage[]) {
  const table = createMemoryTable({ items });
  for (const { before, after } of damages)
    if (after) table.put(after);
    else table.remove(before);
  const { open, repaired } = await verify({
    reader: table.reader,
    clock: world.clock,
    graceMs: 0,
    logs: false,
    repair: { writer: table.writer, newId: () => ulid() },
  });
  if (items === split) await migrate({ ...table, clock: world.clock, newId: ulid, thresholds: ASUNDER });
  return { open, found: [...open, ...repaired], state: asState(table.items()) };
}

/** Nodes say what is true: another value that may be right is the truth, and what repeats it follows. Roots are repeated. */
const isTruth = ({ attribute, before }: Damage) =>
  before.SK === 'META' &&
  before.Type !== 'Guard' &&
  before.Type !== 'TenantGrant' &&
  !(attribute === 'root' && typeof before.root === 'string');
/** Of what nothing else speaks. */
const isAlone = ({ attribute, before, after }: Damage) =>
  before.Type === 'Setting' ||
  // Creations note anew what a gate does not say, and count in it.
  (before.Type === 'Gate' &&
    (attribute === 'rev' || (isRef(attribute) ? after?.[attribute] : after) === undefined)) ||
  (ONLY_GROWS.has(attribute) && after?.[attribute] instanceof Set) ||
  (after !== undefined &&
    (after.writtenAt !== before.writtenAt ||
      // A form that this release writes as well, of other items, or the first one: it is read by the same rules.
      (after.v !== before.v && Number(after.v) <= FORMS.writes) ||
      // Nor did the first release say the form of anything but decision items: `gatehouse migrate` writes it.
      (after.v === undefined && before.v === FORMS.usual && before.Type !== 'Decision') ||
      after.writeId !== before.writeId ||
      (before.Type === 'Guard' && isDeepStrictEqual(asState([after]), asState([before])))));

/** What is found in any case. A node that its first list does not name is found where another item names it. */
const isNoticed = (damage: Damage) =>
  !isAlone(damage) && (!isTruth(damage) || /^GSI[2-9]/.test(damage.attribute));

/** The partitions that the key names: its own, and by the ids of nodes. */
const placesOf = ({ before: { PK, SK } }: Damage) => [
  PK,
  ...`${PK}#${SK}`.split('#').filter((part) => /^[0-9A-Z]{26}$|[a-z]/.test(part)),
];

const states = new Map([items, split].map((all) => [all, asState(all)]));
const stateOf = (all: readonly Item[]) => states.get(all) ?? asState(all);
/** The table when the damage is put right: a gate that is wrong goes. */
const asRight = (items: readonly Item[], { before }: Damage) =>
  stateOf(before.Type === 'Gate' ? items.filter((item) => item !== before) : items);

/** What is the matter with the verifier, if anything. */
async function verdict(items: readonly Item[], damage: Damage): Promise<string | undefined> {
  const { found, open, state } = await inMemory(items, [damage]);
  if (found.length === 0) return isTruth(damage) || isAlone(damage) ? undefined : 'is not found';
  if (open.length > 0)
    return found.every(({ repairable }) => repairable) ? 'is not put right, as promised' : undefined;
  if (isTruth(damage) || isAlone(damage)) return undefined;
  return isDeepStrictEqual(state, asRight(items, damage)) ? undefined : 'is put right otherwise';
}

const entriesOf = (of: readonly Item[]) =>
  of.filter((item) => !isRecord(item) && (of !== split || item.Type === 'Decision'));
const whole = entriesOf(items);
/** Kinds of damage to a table that is not split. */
const WHOLE = new Set(whole.flatMap((item) => [...damagesOf(item, whole)].map(({ kind }) => kind)));

const OTHERS: [string, number, (each: Damage) => boolean][] = [
  ['all others', 300, ({ before }) => before.Type !== 'Decision'],
];

describe.each([
  ['as commands leave it', items],
  ['split', split],
])('damage to a table, %s', (_name, items) => {
  const entries = entriesOf(items);
  const all = () => entries.flatMap((item) => [...damagesOf(item, entries)]);

  /**
   * Of each type and attribute one damage, many at once: no two of one round are of one partition. Decision items are apart
   * from what their repair would follow. Where a round leaves one as it is, that one is tried alone.
   */
  test.each<[string, number, (each: Damage) => boolean]>([
    ['decision items', 40, ({ before }) => before.Type === 'Decision'],
    // All others are the same in both.
    ...(items === split ? [] : OTHERS),
  ])(
    'of each attribute of each type, of %s: found, and put right or said not to be',
    async (_, least, isOf) => {
      const random = createRandom(SEED);
      const isNew = ({ kind }: Damage) => items !== split || !WHOLE.has(kind);
      const wanted = all().filter((each) => isOf(each) && isNew(each) && isNoticed(each));
      const left = new Map(groupBy(wanted, ({ kind }) => kind));
      expect(left.size).toBeGreaterThan(least);
      const problems: string[] = [];
      while (left.size > 0) {
        const taken = new Set<string>();
        const round: Damage[] = [];
        for (const [kind, damages] of left) {
          const free = damages.filter((each) => !placesOf(each).some((place) => taken.has(place)));
          if (free.length === 0) continue;
          const one = random.pick(free);
          for (const place of placesOf(one)) taken.add(place);
          round.push(one);
          left.delete(kind);
        }
        const { open, state } = await inMemory(items, round);
        const said = new Set(open.map(({ key }) => identityOf(key)));
        const before = stateOf(items);
        const changed = new Set(round.map((each) => identityOf(each.before)));
        for (const at of Object.keys({ ...state, ...before }))
          if (!changed.has(at) && !said.has(at) && !isDeepStrictEqual(state[at], before[at]))
            problems.push(`${at} is changed by the repair of another`);
        for (const damage of round) {
          const at = identityOf(damage.before);
          if (said.has(at) || isDeepStrictEqual(state[at], asRight(items, damage)[at])) continue;
          const what = await verdict(items, damage);
          if (what) problems.push(`${damage.name} ${what}`);
        }
      }
      expect(problems, again()).toEqual([]);
    },
  );

  test('any one, in memory: found, and put right or said not to be', async () => {
    const random = createRandom(SEED);
    const many = all();
    const problems: string[] = [];
    for (let n = 0; n < size(3, 200); n++) {
      const damage = random.pick(many);
      const what = await verdict(items, damage).catch((error: unknown) => `throws ${String(error)}`);
      if (what) problems.push(`${damage.name} ${what}`);
    }
    expect(problems, again()).toEqual([]);
  });
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
