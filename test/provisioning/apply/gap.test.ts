import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { PlanAnswer } from '../../../provisioning/index.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { allowedIn, applyOn, createMemoryWorld, type MemoryWorld, worldOf } from './support.ts';

/** What is renamed is there under its new name before it goes under the old one, so that nobody is refused in between. */
const numbered = <T>(count: number, of: (number: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, number) => of(number));
const byName = (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries);

interface Shape {
  readonly pages: readonly string[];
  readonly roles: readonly {
    readonly name: string;
    readonly allow: readonly string[];
    readonly parent?: string;
  }[];
  readonly groups: readonly { readonly name: string; readonly roles: readonly string[] }[];
  readonly users: readonly {
    readonly id: string;
    readonly groups: readonly string[];
    readonly roles: readonly string[];
  }[];
}

const manifestOf = ({ pages, roles, groups, users }: Shape, more: object = {}) => ({
  pages,
  scopes: { school: { type: 'tenant', id: 'school', ...more } },
  roles: byName(roles.map(({ name, ...role }) => [name, { owner: 'school', ...role }])),
  groups: byName(groups.map(({ name, ...group }) => [name, { scope: 'school', ...group }])),
  users: byName(
    users.map(({ id, groups: mine, roles: own }) => [
      id,
      { id, groups: mine, assignments: own.map((role) => ({ role, scope: 'school' })) },
    ]),
  ),
});

/** The same with other names for what `isRenamed` says. */
function renamed({ pages, roles, groups, users }: Shape, isRenamed: (name: string) => boolean): Shape {
  const to = (name: string) => (isRenamed(name) ? `new ${name}` : name);
  const all = (names: readonly string[]) => names.map(to);
  return {
    pages,
    roles: roles.map(({ name, parent, ...role }) => ({
      name: to(name),
      ...role,
      ...(parent && { parent: to(parent) }),
    })),
    groups: groups.map(({ name, roles: mine }) => ({ name: to(name), roles: all(mine) })),
    users: users.map(({ id, groups: mine, roles: own }) => ({ id, groups: all(mine), roles: all(own) })),
  };
}

const planOf = async ({ run }: MemoryWorld, manifest: object) =>
  (await run('tenant.plan', { manifest, prune: true })) as unknown as PlanAnswer;

/** What is allowed after each transaction of an apply, one change in each. */
async function statesOf(world: MemoryWorld, manifest: object, shape: Shape) {
  const subjects = shape.users.map(({ id }) => `user:${id}`);
  const allowed = async () =>
    [...(await allowedIn(world, subjects, shape.pages, ['tenant:school']))].toSorted();
  const states = [await allowed()];
  const after = async () => void states.push(await allowed());
  await applyOn(world, stringify(manifest), { after, atOnce: 1 });
  return states;
}

test('renames of anything, in any small tenant, change no decision at any time but those that the plan says', async () => {
  let [turned, transactions] = [0, 0];
  for (let seed = SEED; seed < SEED + size(8, 200); seed++) {
    const random = createRandom(seed);
    const pages = ['grades', 'home', 'maps'];
    const roles = numbered(4, (n) => ({
      name: `role ${n}`,
      allow: random.some(pages, 2),
      ...(n > 0 && random.oneIn(3) ? { parent: `role ${n - 1}` } : {}),
    }));
    const names = roles.map(({ name }) => name);
    const groups = numbered(3, (n) => ({ name: `group ${n}`, roles: random.some(names, 2) }));
    const shape: Shape = {
      pages,
      roles,
      groups,
      users: numbered(3, (n) => ({
        id: `user-${n}`,
        groups: random.some(
          groups.map(({ name }) => name),
          2,
        ),
        roles: random.some(names, 1),
      })),
    };
    const world = await worldOf(stringify(manifestOf(shape)));
    const isRenamed = new Set([...names, ...groups.map(({ name }) => name)].filter(() => random.oneIn(2)));
    const after = manifestOf(renamed(shape, (name) => isRenamed.has(name)));
    const { between } = await planOf(world, after);
    const states = await statesOf(world, after, shape);
    const [before] = states;
    // Nobody gains anything at any time; who is refused at some time is what the plan says.
    expect(
      states.flat().filter((each) => !before?.includes(each)),
      again(seed),
    ).toEqual([]);
    expect(
      states.some(({ length }) => length !== before?.length),
      again(seed),
    ).toBe(between !== undefined);
    turned += between === undefined && isRenamed.size > 0 && before?.length ? 1 : 0;
    transactions += states.length;
  }
  expect(turned).toBeGreaterThan(2);
  expect(transactions).toBeGreaterThan(50);
});

describe('what takes away goes first, and the plan says who is refused in between,', () => {
  const SMALL: Shape = {
    pages: ['grades', 'home'],
    roles: [{ name: 'teacher', allow: ['grades'] }],
    groups: [{ name: 'staff', roles: ['teacher'] }],
    users: [{ id: 'ann', groups: ['staff'], roles: [] }],
  };
  const other = renamed(SMALL, (name) => name === 'teacher');

  test.each<[why: string, before: object, after: object]>([
    [
      'where a DENY might count',
      manifestOf(SMALL, { combination: 'deny-overrides' }),
      manifestOf(other, { combination: 'deny-overrides' }),
    ],
    [
      'where the name stays, under another id',
      { ...manifestOf(SMALL), roles: { teacher: { owner: 'school', id: 'one', allow: ['grades'] } } },
      { ...manifestOf(SMALL), roles: { teacher: { owner: 'school', id: 'two', allow: ['grades'] } } },
    ],
  ])('%s', async (_, before, after) => {
    const world = await worldOf(stringify(before));
    const plan = await planOf(world, after);
    expect(plan).toMatchObject({ access: { loses: { people: 0 } }, between: { people: 1 } });
    const states = await statesOf(world, after, SMALL);
    expect(states.map((state) => state.length)).toContain(0);
    expect(states.at(-1)).toEqual(states[0]);
  });

  // Both groups have both members for a moment, and each had what the other loses.
  test('and nobody gains what the two states together would give', async () => {
    const world = createMemoryWorld();
    const people = (one: string, two: string): Shape => ({
      pages: ['grades', 'home'],
      roles: [
        { name: 'r', allow: one === 'ann' ? ['grades'] : ['home'] },
        { name: 's', allow: one === 'ann' ? ['home'] : ['grades'] },
      ],
      groups: [
        { name: 'g', roles: ['r'] },
        { name: 'h', roles: ['s'] },
      ],
      users: [
        { id: one, groups: ['g'], roles: [] },
        { id: two, groups: ['h'], roles: [] },
      ],
    });
    const [before, after] = [people('ann', 'ben'), people('ben', 'ann')];
    await applyOn(world, stringify(manifestOf(before)));
    const states = await statesOf(world, manifestOf(after), before);
    const allowed = new Set(states.flat());
    expect(allowed).toEqual(new Set(['user:ann grades tenant:school', 'user:ben home tenant:school']));
  });
});
