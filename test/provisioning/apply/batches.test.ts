import { describe, expect, test } from 'vitest';
import { candidates } from '../../../provisioning/apply/batch.ts';
import type { Step } from '../../../provisioning/apply/steps.ts';
import { watchWrites } from '../../support/watched-writer.ts';
import { applyOn, createMemoryWorld, planOn, worldOf } from './support.ts';

/** Which steps of an apply share a transaction, and what becomes of those that cannot. */
const step = (label: string, phase: Step['phase'], unit = label): Step => ({
  verb: 'create',
  kind: 'user',
  command: 'user.create',
  input: {},
  label,
  phase,
  unit,
  details: [],
  danger: undefined,
  path: [],
});
const labels = (steps: readonly Step[]) => steps.map(({ label }) => label).join(' ');

describe('the steps that may share the next transaction', () => {
  const steps = [
    step('a', 'prepare'),
    step('b', 'prepare'),
    ...['c', 'd', 'e'].map((label) => step(label, 'together', 'ann')),
    ...['f', 'g'].map((label) => step(label, 'together', 'ben')),
    ...['h', 'i', 'j'].map((label) => step(label, 'open', 'eva')),
    step('k', 'undeny'),
  ];

  test.each([
    [0, 'a b'],
    [2, 'c d e f g'],
    [5, 'f g'],
    [7, 'h i j'],
    [10, 'k'],
  ])('from number %i, two at once: %s', (from, expected) => {
    expect(labels(candidates(steps.slice(from), 2))).toBe(expected);
  });

  test('as many as fit where no number is given, but no more than one transaction can hold', () => {
    expect(labels(candidates(steps.slice(7)))).toBe('h i j k');
    const many = Array.from({ length: 80 }, (_, number) => step(`${number}`, 'together', 'one'));
    expect(candidates(many)).toHaveLength(50);
  });
});

const SCHOOL = `
pages: [${Array.from({ length: 45 }, (_, n) => `page-${n}`).join(', ')}]
scopes: { school: { type: tenant } }
`;
const FULL = `${SCHOOL}
roles:
  large: { owner: school, allow: [${Array.from({ length: 40 }, (_, n) => `page-${n}`).join(', ')}], deny: [page-44] }
  small: { owner: school, allow: [page-0], deny: [page-1] }
groups: { here: { scope: school, roles: [large, small] }, there: { scope: school } }
users: { ann: { groups: [here] }, ben: { groups: [here, there] } }
`;
const EMPTIED = `${SCHOOL}
roles: { small: { owner: school, allow: [page-0], deny: [page-1] } }
groups: { there: { scope: school } }
users: { ann: { groups: [there] }, ben: {} }
`;

test('a removal that takes several transactions is sent alone', async () => {
  const world = await worldOf(FULL);
  const steps = await applyOn(world, EMPTIED);
  expect(steps.filter(({ verb }) => verb === 'remove').length).toBeGreaterThan(2);
  expect((await planOn(world, EMPTIED)).steps).toEqual([]);
});

test('what somebody else has removed meanwhile is removed, and the rest is done', async () => {
  const world = await worldOf(FULL);
  const writer = watchWrites(world.writer, async (number) => {
    if (number > 1) return;
    const groups = (await world.run('group.list', {})).items as { id: string; name: string }[];
    await world.run('group.delete', { id: groups.find(({ name }) => name === 'here')?.id });
  });
  await applyOn({ ...world, writer }, EMPTIED);
  expect((await planOn(world, EMPTIED)).steps).toEqual([]);
});

test('a role that gives nothing goes after the one that inherits from it and only refuses', async () => {
  const world = createMemoryWorld();
  const head = `
pages: [grades]
scopes: { school: { type: tenant } }
groups: {}
`;
  await applyOn(
    world,
    `${head}roles: { empty: { owner: school }, refuser: { owner: school, parent: empty, deny: [grades] } }`,
  );
  await applyOn(world, `${head}roles: {}`);
  expect((await planOn(world, `${head}roles: {}`)).steps).toEqual([]);
  expect((await world.run('role.list', {})).items).toEqual([]);
});

test('a role that inherits from another one that only refuses changes both at once', async () => {
  const manifest = (parent: string) => `
pages: [grades, plans]
scopes: { school: { type: tenant, combination: deny-overrides } }
roles:
  guard: { owner: school, deny: [plans] }
  warden: { owner: school, deny: [grades] }
  teacher: { owner: school, parent: ${parent} }
`;
  const world = await worldOf(manifest('guard'));
  const { steps } = await planOn(world, manifest('warden'));
  expect(steps).toMatchObject([{ kind: 'role', phase: 'switch', input: { parent: expect.any(String) } }]);
});
