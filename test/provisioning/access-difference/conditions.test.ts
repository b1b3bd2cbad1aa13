import { beforeEach, describe, expect, test } from 'vitest';
import { accessDifference } from '../../../provisioning/access-difference/access-difference.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { applyOn, createMemoryWorld, type MemoryWorld } from '../apply/support.ts';

/** Who loses and who gains what where conditions, stored properties or declarations change. */
const SALES = 'subject.properties.department == "sales"';
const MANIFEST = `
properties:
  - { of: "subject:user", name: department, type: string, source: stored }
  - { of: "resource:tenant", name: department, type: string, source: stored }
pages: [orders, plans, files]
scopes: { shop: { type: tenant, properties: { department: sales } } }
roles:
  clerk:
    owner: shop
    allow:
      - plans
      - { permission: orders, when: '${SALES}' }
  keeper:
    owner: shop
    allow: [{ permission: files, when: 'context.ip == "10.0.0.1"' }]
users:
  ann: { grants: { shop: [clerk] }, properties: { department: sales } }
  ben: { grants: { shop: [clerk] }, properties: { department: sales } }
  cem: { grants: { shop: [clerk] }, properties: { department: legal } }
  dan: { grants: { shop: [keeper] } }
`;
let world: MemoryWorld;
const ids: Record<string, string> = {};
beforeEach(async () => {
  world = createMemoryWorld();
  await applyOn(world, MANIFEST);
  world.settle();
  for (const { id, displayName, name } of world.items())
    if (typeof id === 'string') ids[String(displayName ?? name)] = id;
});

async function differenceBy(command: string, input: object) {
  const { loses, gains, incomplete } = await accessDifference([{ command, input: { ...input } }], {
    reader: world.reader,
    commands: COMMANDS,
    at: world.clock.now(),
  });
  const shown = ({ rows }: typeof loses) =>
    rows.map(({ subjects, permissions }) => ({
      who: subjects.map((ref) => Object.keys(ids).find((name) => `user:${ids[name]}` === ref)).sort(),
      permissions,
    }));
  return { loses: shown(loses), gains: shown(gains), incomplete };
}
const onOrders = () => ({ role: ids.clerk, permission: 'orders' });

describe('a condition', () => {
  test('that comes takes from those for whom it does not hold', async () => {
    const input = { role: ids.clerk, permission: 'plans', when: SALES };
    expect(await differenceBy('role-permission.update', input)).toEqual({
      loses: [{ who: ['cem'], permissions: ['plans'] }],
      gains: [],
      incomplete: undefined,
    });
  });

  test('that goes gives to those for whom it does not hold', async () => {
    expect(await differenceBy('role-permission.update', { ...onOrders(), when: null })).toEqual({
      loses: [],
      gains: [{ who: ['cem'], permissions: ['orders'] }],
      incomplete: undefined,
    });
  });

  test('that changes does both', async () => {
    const when = 'subject.properties.department == "legal"';
    expect(await differenceBy('role-permission.update', { ...onOrders(), when })).toEqual({
      loses: [{ who: ['ann', 'ben'], permissions: ['orders'] }],
      gains: [{ who: ['cem'], permissions: ['orders'] }],
      incomplete: undefined,
    });
  });

  test('that names one person concerns this one alone', async () => {
    const when = `subject.id == "${ids.ann}"`;
    expect(await differenceBy('role-permission.update', { ...onOrders(), when })).toMatchObject({
      loses: [{ who: ['ben'], permissions: ['orders'] }],
    });
    const pattern = { role: ids.clerk, permission: 'orders', when };
    expect(await differenceBy('role-permission.update', pattern)).toMatchObject({ gains: [] });
  });

  test('that takes what only a request passes: what is known is the least', async () => {
    const input = { ...onOrders(), when: 'context.ip == "10.0.0.1"' };
    expect(await differenceBy('role-permission.update', input)).toEqual({
      loses: [{ who: ['ann', 'ben'], permissions: ['orders'] }],
      gains: [],
      incomplete: 'some conditions take values that only a request passes',
    });
  });
});

test('properties of a person concern this person', async () => {
  expect(await differenceBy('user.update', { id: ids.ann, properties: { department: 'legal' } })).toEqual({
    loses: [{ who: ['ann'], permissions: ['orders'] }],
    gains: [],
    incomplete: undefined,
  });
  expect(await differenceBy('user.update', { id: ids.ann, properties: null })).toMatchObject({
    loses: [{ who: ['ann'], permissions: ['orders'] }],
  });
});

test('properties of a scope concern all who are granted something there', async () => {
  const when = 'subject.properties.department == resource.properties.department';
  await world.run('role-permission.update', { ...onOrders(), when });
  const input = { id: ids.shop, properties: { department: 'legal' } };
  expect(await differenceBy('tenant.update', input)).toMatchObject({
    loses: [{ who: ['ann', 'ben'], permissions: ['orders'] }],
    gains: [{ who: ['cem'], permissions: ['orders'] }],
  });
});

test('a declaration concerns everybody', async () => {
  const input = { of: 'subject:user', name: 'department' };
  expect(await differenceBy('property.delete', input)).toMatchObject({
    loses: [{ who: ['ann', 'ben'], permissions: ['orders'] }],
    gains: [],
  });
});
