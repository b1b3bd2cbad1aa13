import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { CheckRequest } from '../../engine/index.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { createLightWorld } from '../support/world.ts';
import { playOperators } from './operators.ts';
import { furnish, furnishShared, PERMISSIONS, type Side } from './side.ts';

/**
 * Tenants never see each other: two tenants are made by the same commands with the same values, their ids are
 * neighbours. No list that names something of one shows anything of the other, and no check lets anybody in
 * there.
 */
const world = await createLightWorld();
await furnishShared(world);

interface Listed {
  readonly what: string;
  readonly input: Record<string, unknown>;
}

/** Every list command, by each of the fields that can name something of this side. */
function listsOf(side: Side): readonly Listed[] {
  const added = (side.named.parent ?? []).map((parent) => ({ type: 'campus', parent }));
  const lists = [...COMMANDS.values()]
    .filter(({ input }) => 'cursor' in (input as z.ZodObject).shape)
    .flatMap(({ name, input }) =>
      Object.entries((input as z.ZodObject).shape).flatMap(([field, schema]) =>
        // What gives a subject access is asked for by its id.
        (side.named[name === 'user.access' && field === 'id' ? 'user' : field] ?? [])
          .filter(
            (value) =>
              (schema as z.ZodType).safeParse(value).success && input.safeParse({ [field]: value }).success,
          )
          .map((value) => ({ what: name, input: { [field]: value } })),
      ),
    );
  return [...lists, ...added.map((input) => ({ what: 'scope.list', input }))];
}

/** All pages of a list, small ones, and the cursors between them. */
async function walk({ what, input }: Listed) {
  const rows: unknown[] = [];
  const cursors: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await world.run(what, { ...input, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...(page.items as unknown[]));
    cursor = page.cursor as string | undefined;
    if (cursor === undefined) return { rows, cursors };
    cursors.push(cursor);
  }
}

/** Which of the other's ids show. */
const leaks = (rows: unknown, other: Side): readonly string[] => {
  const shown = JSON.stringify(rows);
  return other.ids.filter((id) => shown.includes(id));
};

const counts = { rows: 0, lists: 0, allowed: 0, refused: 0 };

async function holds(round: number, isStrict: boolean): Promise<void> {
  const [a, b] = [await furnish(world, 'A', round, isStrict), await furnish(world, 'B', round, isStrict)];
  world.settle();

  const lists = { a: listsOf(a), b: listsOf(b) };
  expect(lists.a.length).toBe(lists.b.length);
  for (const [position, list] of lists.a.entries()) {
    const twin = lists.b[position] as Listed;
    const [mine, theirs] = [await walk(list), await walk(twin)];
    expect(leaks(mine.rows, b), `${list.what} of A`).toEqual([]);
    expect(leaks(theirs.rows, a), `${list.what} of B`).toEqual([]);
    for (const cursor of mine.cursors.slice(0, 1)) {
      expect(await world.refused(twin.what, { ...twin.input, cursor })).toMatchObject({ field: 'cursor' });
    }
    counts.lists += 1;
    counts.rows += mine.rows.length;
  }

  const questions = (who: Side, where: Side): readonly CheckRequest[] =>
    who.subjects.flatMap((subject) =>
      where.places.flatMap((scope) => PERMISSIONS.map((permission) => ({ subject, scope, permission }))),
    );
  const engine = world.newEngine();
  const decide = async (who: Side, where: Side) => (await engine.checkMany(questions(who, where))).decisions;
  const [own, twins] = [await decide(a, a), await decide(b, b)];
  expect(own).toEqual(twins);
  for (const { allowed } of own) counts[allowed ? 'allowed' : 'refused'] += 1;
  for (const [who, where] of [
    [a, b],
    [b, a],
  ] as const) {
    const across = await decide(who, where);
    expect(across.filter(({ allowed }) => allowed)).toEqual([]);
    for (const { subject, scope } of questions(who, where).filter((_, i) => i % PERMISSIONS.length === 0)) {
      expect((await engine.effectiveRoles(subject, scope))?.roles).toEqual([]);
    }
  }
}

test('no list and no check of one tenant shows or opens anything of its twin', async () => {
  for (const [round, isStrict] of [false, true].entries()) await holds(round, isStrict);
  // The property says little unless there was something to see and to open.
  expect(counts.lists).toBeGreaterThan(200);
  expect(counts.rows).toBeGreaterThan(counts.lists / 5);
  expect(counts.allowed).toBeGreaterThan(10);
  expect(counts.refused).toBeGreaterThan(10);
});

/** `COMMANDS=1000000` sends as many, and says how far it is. */
const { COMMANDS: GIVEN } = process.env;
const SENT = Number(GIVEN ?? size(150, 2_000));
const REPORT = GIVEN === undefined ? undefined : (counts: object) => console.info(JSON.stringify(counts));

test('no command of an operator of one tenant changes a decision or a log-in in its twin', async () => {
  const played = await playOperators(SEED, SENT, [], REPORT);
  expect(played.accepted).toBeGreaterThan(SENT / 10);
  expect(played.made).toBeGreaterThan(SENT / 50);
});

/** What an operator of a tenant may not give somebody new; the first is enough for every day. */
const EXEMPT = [
  ['user', 'properties'],
  ['user', 'issuer sub'],
  ['user', 'email'],
  ['subject', 'id'],
  ['user', 'id'],
  ['user', 'phone'],
  ['user', 'username'],
  ['user', 'endsAt'],
  ['user', 'status'],
  ['technical-user', 'properties'],
  ['subject', 'properties'],
] as const;

test.each(EXEMPT.slice(0, size(1, EXEMPT.length)))(
  'a %s that such an operator may give %s is found out',
  async (type, fields) => {
    const entity: { givenInTenant?: Entity['givenInTenant'] } = ENTITIES[type];
    const { givenInTenant = [] } = entity;
    entity.givenInTenant = [...givenInTenant, ...fields.split(' ')];
    try {
      await expect(playOperators(SEED, 800, [`${type}.create`])).rejects.toThrow(/^SEED=/);
    } finally {
      entity.givenInTenant = givenInTenant;
    }
  },
);
