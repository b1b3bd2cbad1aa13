import { expect, test } from 'vitest';
import { createMemoryWorld, type MemoryWorld } from './apply/support.ts';
import { findingsOn } from './findings.ts';

/** Routes and types of resources that write a scope out, and that scope when it is deleted. */
const REST = { path: '/menu', method: 'GET', permission: 'menu' };

const createPlaces = (world: MemoryWorld) =>
  world.apply(`
pages: [menu]
scopeTypes: { ward: { root: true } }
scopes:
  North: { id: north, type: tenant }
  Hall: { id: hall, type: location, code: H, parent: North }
  One: { id: one, type: ward }
`);

const compare = async (world: MemoryWorld, ...commands: readonly object[]) =>
  (await world.run('access.compare', { commands })).leaves;
const routeAt = (world: MemoryWorld, scope: string, more: object = {}) =>
  world.run('route.create', { ...REST, scope, ...more });

test.each([
  ['a scope', 'location.delete', { id: 'hall' }, 'location:hall'],
  ['a scope of a type that was added', 'scope.delete', { scope: 'ward:one' }, 'ward:one'],
  ['a tree of scopes', 'scope.delete-tree', { scope: 'tenant:north' }, 'location:hall'],
])(
  '%s is deleted: the comparison names what stays, and verify finds it',
  async (_, command, input, scope) => {
    const world = createMemoryWorld();
    await createPlaces(world);
    const { id } = await routeAt(world, scope);
    await routeAt(world, 'tenant:{claim:tid}', { path: '/other' });
    await world.run('resource-type.create', { name: 'note', scope });
    expect(await findingsOn(world)).toEqual([]);
    expect(await compare(world, { command, input })).toEqual({
      rows: [
        { kind: 'route', id, label: 'GET /menu of the API default', scope },
        { kind: 'resource-type', id: 'note', label: 'note', scope },
      ],
      moreRows: 0,
    });
    await world.run(command, input);
    expect(await findingsOn(world)).toEqual([
      `resource_type_scope_missing RESOURCE_TYPE#note / META scope: expected the scope ${scope}, or another one`,
      `route_scope_missing ROUTE#${id} / META scope: expected the scope ${scope}, or another one`,
    ]);
  },
);

test('what goes or changes along with the scope does not stay', async () => {
  const world = createMemoryWorld();
  await createPlaces(world);
  const [gone, changed] = [
    await routeAt(world, 'location:hall'),
    await routeAt(world, 'location:hall', { path: '/b' }),
  ];
  expect(
    await compare(
      world,
      { command: 'location.delete', input: { id: 'hall' } },
      { command: 'route.delete', input: { id: gone.id } },
      { command: 'route.update', input: { id: changed.id, scope: 'tenant:north' } },
    ),
  ).toBeUndefined();
});

test('a plan that removes the scope names it, and one that removes the route as well does not', async () => {
  const world = createMemoryWorld();
  await createPlaces(world);
  await routeAt(world, 'location:hall');
  const manifest = { scopes: { North: { type: 'tenant', id: 'north' } } };
  const leaves = async (more: object = {}) =>
    (await world.run('tenant.plan', { manifest: { ...manifest, ...more }, prune: true })).access;
  expect(await leaves()).toMatchObject({ leaves: { rows: [{ kind: 'route', scope: 'location:hall' }] } });
  const routes = [{ ...REST, api: 'default', path: '/other', scope: 'tenant:north' }];
  expect(await leaves({ routes })).not.toHaveProperty('leaves');
});
