import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import type { Item } from '../../table/item.ts';
import { guardKey } from '../../table/keys.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { findingsIn } from './findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld, NOBODY } from './support.ts';

/**
 * A crowd of writers over few values, on the real engine: at the end each value has at most one owner, there is no
 * guard without owner and no owner without guard.
 */
const WRITERS = size(40, 1_000);
/** A client has 50 sockets, and who waits for one for too long gives up: as many processes as it takes. */
const WRITERS_A_CLIENT = 20;
const VALUES_EACH = 10;
const STEPS = 3;
/** A transient answer is sent again as a client would, and that often at most. */
const ATTEMPTS = 100;
type Provision = LedgerWorld['provision'];

interface Unique {
  readonly type: 'user' | 'role' | 'tenant';
  readonly field: string;
  readonly base: Input;
  /** The n-th value in one of its spellings. */
  readonly spell: (n: number, isOther: boolean) => string;
  /** Its guard, if this item is such a node and has a value: said once more, in the test's own words. */
  readonly guard: (item: Item) => string | undefined;
}

const lower = (value: unknown) => String(value).trim().toLowerCase().replace(/\s+/g, ' ');
const guardOf =
  (type: string, field: string, kind: string, normal: (value: unknown) => string, within?: string) =>
  (item: Item): string | undefined =>
    item.Type === type && item.SK === 'META' && item[field] !== undefined
      ? guardKey(kind as Parameters<typeof guardKey>[0], normal(item[field]), within).PK
      : undefined;

const UNIQUE: readonly Unique[] = [
  {
    type: 'user',
    field: 'email',
    base: {},
    spell: (n, isOther) => (isOther ? ` ANN${n}@Example.com ` : `ann${n}@example.com`),
    guard: guardOf('User', 'email', 'EMAIL', lower),
  },
  {
    type: 'user',
    field: 'phone',
    base: {},
    spell: (n, isOther) => (isOther ? `+49 (30) 123-40${n}` : `+493012340${n}`),
    guard: guardOf('User', 'phone', 'PHONE', (value) => `+${String(value).replace(/\D/g, '')}`),
  },
  {
    type: 'user',
    field: 'username',
    base: {},
    spell: (n, isOther) => (isOther ? `Ann.${n}` : `ann.${n}`),
    guard: guardOf('User', 'username', 'USERNAME', lower),
  },
  {
    type: 'role',
    field: 'name',
    base: { scope: 'global' },
    spell: (n, isOther) => (isOther ? ` CLERK  ${n}` : `Clerk ${n}`),
    guard: guardOf('Role', 'name', 'ROLE_NAME', lower, 'global'),
  },
  {
    type: 'tenant',
    field: 'name',
    base: {},
    spell: (n, isOther) => (isOther ? `ACME ${n} ` : `Acme  ${n}`),
    guard: guardOf('Tenant', 'name', 'TENANT_NAME', lower),
  },
];

/**
 * Who comes too late is told so, and so is who did not get through in time because of all the others. Anything else
 * would be a fault.
 */
const EXPECTED = ['done', 'conflict', 'not_found', 'stale', 'contended', 'transient'];

/** Provisioning in another process, as far as the table can tell. */
function anotherProcess({ endpoint, table, clock, newSecret, watch }: LedgerWorld): Provision {
  const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
  const on = { client, table, pacing: createPacing({ deadlineMs: 20_000 }) };
  return createProvisioning({
    reader: createReader(on),
    writer: watch(createWriter(on)),
    clock,
    newId: () => ulid(),
    newSecret,
  });
}

/** What everybody did and was told: `user.email create conflict` and how often. */
async function crowd(world: LedgerWorld): Promise<ReadonlyMap<string, number>> {
  const tally = new Map<string, number>();
  /** Who is there, as far as has been heard. */
  const present = new Map<Unique, string[]>(UNIQUE.map((unique) => [unique, []]));
  const presentOf = (unique: Unique) => present.get(unique) as string[];
  const processes = Array.from({ length: WRITERS / WRITERS_A_CLIENT }, () => anotherProcess(world));

  async function carryOut(provision: Provision, unique: Unique, verb: string, input: Input): Promise<void> {
    const { type, field } = unique;
    const event = { command: `${type}.${verb}`, input, operationId: ulid() };
    let answer = await provision(event);
    for (let n = 1; n < ATTEMPTS && !answer.ok && answer.error.retryable; n++)
      answer = await provision(event);
    const outcome = answer.ok ? 'done' : answer.error.code;
    expect(EXPECTED, `${again()} ${answer.ok ? '' : answer.error.message}`).toContain(outcome);
    const what = `${type}.${field} ${verb} ${outcome}`;
    tally.set(what, (tally.get(what) ?? 0) + 1);
    if (answer.ok && verb === 'create') presentOf(unique).push((answer.result as { id: string }).id);
    if (answer.ok && verb === 'delete')
      present.set(
        unique,
        presentOf(unique).filter((id) => id !== input.id),
      );
  }

  async function writer(n: number): Promise<void> {
    const random = createRandom(SEED + n);
    const provision = processes[n % processes.length] as Provision;
    for (let step = 0; step < STEPS; step++) {
      const unique = random.pick(UNIQUE);
      const value = { [unique.field]: unique.spell(random.below(VALUES_EACH), random.oneIn(2)) };
      const verb = random.pick(['create', 'create', 'update', 'update', 'delete']);
      const there = presentOf(unique);
      const id = there.length > 0 ? random.pick(there) : NOBODY;
      const input = { create: { ...unique.base, ...value }, update: { id, ...value }, delete: { id } }[verb];
      await carryOut(provision, unique, verb, input as Input);
    }
  }

  for (const unique of UNIQUE) {
    for (let n = 0; n < VALUES_EACH / 2; n++)
      await carryOut(world.provision, unique, 'create', {
        ...unique.base,
        [unique.field]: unique.spell(n, false),
      });
  }
  tally.clear();
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
  return tally;
}

/** Everything that is wrong between owners and guards. */
function disagreements(items: readonly Item[]): readonly string[] {
  const owners = new Map<string, string[]>();
  for (const item of items) {
    for (const { type, guard } of UNIQUE) {
      const name = guard(item);
      if (name) owners.set(name, [...(owners.get(name) ?? []), `${type}:${item.id}`]);
    }
  }
  const guards = new Map(items.filter(({ Type }) => Type === 'Guard').map((item) => [item.PK, item.owner]));
  return [
    ...[...owners]
      .filter(([, all]) => all.length > 1)
      .map(([name, all]) => `${name} is of ${all.join(' and ')}`),
    ...[...owners]
      .filter(([name, [owner]]) => guards.get(name) !== owner)
      .map(([name]) => `${name} has no guard`),
    ...[...guards.keys()].filter((name) => !owners.has(name)).map((name) => `the guard ${name} has no owner`),
  ];
}

test('many writers at once over 50 values create, change and delete: one owner each, one guard each', async () => {
  const world = await createLedgerWorld();
  const tally = await crowd(world);

  const items = await world.everything();
  expect(disagreements(items), again()).toEqual([]);
  expect(await findingsIn(items, world.clock), again()).toEqual([]);

  const count = (field: string, verb: string, outcome: string) =>
    [...tally].reduce((sum, [what, times]) => {
      const isMeant = what.includes(field) && what.includes(` ${verb}`) && what.endsWith(` ${outcome}`);
      return isMeant ? sum + times : sum;
    }, 0);
  // Void without some of each: of those who got a value, of those who came too late, of those who gave one back. How
  // many of one field there are depends on who was first, so verbs are counted over all fields.
  for (const { type, field } of UNIQUE)
    for (const outcome of ['done', 'conflict'])
      expect(
        count(`${type}.${field}`, '', outcome),
        `${type}.${field} ${outcome}, ${again()}`,
      ).toBeGreaterThan(0);
  for (const what of ['create done', 'create conflict', 'update done', 'update conflict', 'delete done']) {
    const [verb = '', outcome = ''] = what.split(' ');
    expect(count('', verb, outcome), `${what}, ${again()}`).toBeGreaterThan(0);
  }
});
