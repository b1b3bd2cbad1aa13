import { expect, test } from 'vitest';
import { createMemoryWorld, planOn } from './support.ts';

/** Names in a manifest of what the table has: the scopes of routes, and role templates. */
const inputsOf = async (world: ReturnType<typeof createMemoryWorld>, text: string) => {
  const { steps, problems } = await planOn(world, text, false);
  return { steps: steps.map(({ kind, input }) => [kind, input] as const), problems };
};

const route = (scope: string) => `{ method: GET, path: /menu, permission: home, scope: ${scope} }`;

test('the scope of a route is one of the manifest, by its name there', async () => {
  const world = createMemoryWorld();
  await world.run('tenant.create', { id: 'other', name: 'north' });
  const text = `
pages: [home]
scopes: { school: { type: tenant, id: acme }, north: { type: location, parent: school, id: n1, name: North } }
routes:
  - ${route('north')}
`;
  const { steps, problems } = await inputsOf(world, text);
  expect(problems).toEqual([]);
  expect(steps.find(([kind]) => kind === 'route')?.[1]).toMatchObject({ scope: 'location:n1' });
});

test('or else one of the table, by its name or its path; a reference and a template stay as they are', async () => {
  const world = createMemoryWorld();
  await world.run('page.create', { name: 'home' });
  await world.run('tenant.create', { id: 'acme', name: 'Acme' });
  for (const id of ['n1', 'n2'])
    await world.run('location.create', { id, parent: 'tenant:acme', name: 'North' });
  await world.run('location.create', { id: 's1', parent: 'tenant:acme', name: 'South' });
  for (const [scope, found] of [
    ['Acme', 'tenant:acme'],
    ['Acme/South', 'location:s1'],
    ["'tenant:x'", 'tenant:x'],
    ["'tenant:x@example.com'", 'tenant:x@example.com'],
    ["'tenant:{claim:tenant}'", 'tenant:{claim:tenant}'],
  ] as const)
    expect(await inputsOf(world, `routes: [${route(scope)}]`)).toMatchObject({
      steps: [['route', { scope: found }]],
      problems: [],
    });
  for (const [scope, message] of [
    ['Sooth', 'there is no scope Sooth'],
    ['North', 'North is the name of several scopes: give a longer path, or an id'],
  ])
    expect(await inputsOf(world, `routes: [${route(String(scope))}]`)).toEqual({
      steps: [],
      problems: [{ path: ['routes', 0, 'scope'], message }],
    });
});

test('a role template is found by its id or its name', async () => {
  const world = createMemoryWorld();
  await world.run('page.create', { name: 'home' });
  const { id } = await world.run('role-template.create', {
    name: 'Teacher',
    permissions: [{ permission: 'home', effect: 'ALLOW' }],
  });
  for (const template of [id, 'Teacher', 'teacher'])
    expect(await inputsOf(world, `roles: { staff: { template: ${template} } }`)).toMatchObject({
      steps: expect.arrayContaining([['role', expect.objectContaining({ customTemplateId: id })]]),
      problems: [],
    });
  expect((await inputsOf(world, 'roles: { staff: { template: Pupil } }')).problems).toEqual([
    { path: ['roles', 'staff', 'template'], message: 'there is no role template Pupil' },
  ]);
});
