import { expect, test } from 'vitest';
import { createPacks } from '../../../cli/manifest/packs.ts';
import type { Step } from '../../../cli/manifest/steps.ts';
import { createWorld } from '../../support/world.ts';
import { applyOn, planOn } from './support.ts';

/** Which steps of an apply share a transaction, and what becomes of those that cannot. */
const step = (label: string, phase: Step['phase'], unit = label): Step => ({
  ...{ verb: 'create', kind: 'user', command: 'user.create', input: {}, label, phase, unit },
  ...{ details: [], danger: undefined, path: [] },
});
const labels = (pack: readonly Step[] | undefined) => pack?.map(({ label }) => label).join(' ');

test('units are kept whole, and what belongs together is tried as a whole', () => {
  const steps = [
    step('a', 'prepare'),
    step('b', 'prepare'),
    ...['c', 'd', 'e'].map((label) => step(label, 'together', 'ann')),
    ...['f', 'g'].map((label) => step(label, 'together', 'ben')),
    ...['h', 'i', 'j'].map((label) => step(label, 'open', 'eva')),
    step('k', 'undeny'),
  ];
  const packs = createPacks(steps, 2);
  const told: (string | undefined)[] = [];
  for (let pack = packs.next(); pack; pack = packs.next()) {
    told.push(labels(pack));
    packs.done(pack);
  }
  expect(told).toEqual(['a b', 'c d e f g', 'h i j', 'k']);
});

test('what is too much is divided between units first, and within one only if there is no other way', () => {
  const steps = [
    ...['c', 'd', 'e'].map((label) => step(label, 'together', 'ann')),
    ...['f', 'g'].map((label) => step(label, 'together', 'ben')),
  ];
  const packs = createPacks(steps);
  const whole = packs.next() ?? [];
  const ann = packs.smaller(whole, 4) ?? [];
  expect(labels(ann)).toBe('c d e');
  const two = packs.smaller(ann, 2) ?? [];
  expect(labels(two)).toBe('c d');
  const one = packs.smaller(two, 0) ?? [];
  expect(labels(one)).toBe('c');
  expect(packs.smaller(one, 0)).toBeUndefined();
  packs.done(one);
  expect(labels(packs.next())).toBe('d e f g');
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
  const world = await createWorld();
  await applyOn(world, FULL);
  const steps = await applyOn(world, EMPTIED);
  expect(steps.filter(({ verb }) => verb === 'remove').length).toBeGreaterThan(2);
  expect((await planOn(world, EMPTIED)).steps).toEqual([]);
});

test('what somebody else has removed meanwhile is removed, and the rest is done', async () => {
  const world = await createWorld();
  await applyOn(world, FULL);
  let isFirst = true;
  const { provision } = world;
  world.provision = async (event) => {
    const isWrite = typeof event === 'object' && event !== null && 'operationId' in event;
    if (isWrite && isFirst) {
      isFirst = false;
      const groups = (await world.run('group.list', {})).items as { id: string; name: string }[];
      const here = groups.find(({ name }) => name === 'here');
      expect(await provision({ command: 'group.delete', input: { id: here?.id } })).toMatchObject({
        ok: true,
      });
    }
    return provision(event);
  };
  await applyOn(world, EMPTIED);
  expect(isFirst).toBe(false);
  world.provision = provision;
  expect((await planOn(world, EMPTIED)).steps).toEqual([]);
});

test('a role that gives nothing goes after the one that inherits from it and only refuses', async () => {
  const world = await createWorld();
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
