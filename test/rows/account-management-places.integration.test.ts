import { expect } from 'vitest';
import { row } from './row.ts';
import { BAD_CURSOR, create, HOUR, NOBODY, newClient, place, several, sorted, valuesOf } from './setup.ts';

/** Seeds 000 and 001: clients, and what stands below them. */

row('AM-03', async ({ world, reads, pages }) => {
  const [acme, twin] = [await newClient(world, 'Acme AM03'), await newClient(world, 'Acme AM03 and Sons')];
  /** One of each kind, and two projects. */
  const furnish = async (at: string, name: string) => {
    const projects = await several(2, () => place(world, 'project', at));
    const building = await place(world, 'building', projects[0] ?? '');
    const zone = await place(world, 'zone', building, { type: 'office' });
    const device = await place(world, 'device', zone);
    const user = `user:${await create(world, 'user', { tenant: at })}`;
    const role = `role:${await create(world, 'role', { name, scope: at })}`;
    const group = `group:${await create(world, 'group', { name, scope: building })}`;
    await world.run('module.create', { name });
    const subscription = `subscription:${await create(world, 'subscription', { scope: building, module: name })}`;
    const all = [at, ...projects, building, zone, device, user, role, group, subscription];
    return { all, projects, zone, device };
  };
  const [here, there] = [await furnish(acme, 'am03-a'), await furnish(twin, 'am03-b')];
  // Somebody whose home is nowhere, and somebody who was let in from elsewhere: neither belongs to Acme.
  await create(world, 'user', {});
  const guest = await create(world, 'user', { tenant: twin });
  await world.run('grant.create', { user: guest, scope: acme });
  const idOf = (ref: string) => ref.slice(ref.indexOf(':') + 1);

  const all = await pages('tenant.list-all', { tenant: acme }, 4);
  expect(all.map(({ length }) => length)).toEqual([4, 4, 2]);
  expect(valuesOf(all, 'ref').toSorted()).toEqual(here.all.toSorted());
  expect(all.flat().find(({ id }) => id === idOf(here.zone))).toMatchObject({ type: 'office', root: acme });
  const types = valuesOf(all, 'ref').map((ref) => String(ref).split(':')[0]);
  expect(types).toEqual(types.toSorted());
  const of = (type: string, at = acme) => pages('tenant.list-all', { tenant: at, type }, 1);
  expect(valuesOf(await of('project'), 'id').toSorted()).toEqual(here.projects.map(idOf).toSorted());
  expect(valuesOf(await of('project', twin), 'id').toSorted()).toEqual(there.projects.map(idOf).toSorted());
  expect(valuesOf(await of('device'), 'id')).toEqual([idOf(here.device)]);
  expect(await of('location')).toEqual([[]]);
  await world.run('device.delete', { id: idOf(here.device) });
  expect(await of('device')).toEqual([[]]);
  expect(valuesOf(await of('device', twin), 'id')).toEqual([idOf(there.device)]);
  const { cursor } = await reads('tenant.list-all', { tenant: acme, limit: 1 });
  await expect(reads('tenant.list-all', { tenant: twin, cursor })).rejects.toMatchObject(BAD_CURSOR);
  for (const type of ['device#2026', 'DEVICE', '']) {
    await expect(reads('tenant.list-all', { tenant: acme, type })).rejects.toMatchObject({
      code: 'invalid',
      field: 'type',
    });
  }
});

row('AM-04', async ({ world, reads }) => {
  const acme = await create(world, 'client', {
    name: 'Acme AM04',
    logoUrl: 'https://example.com/logo.png',
    primaryContactEmail: 'Ann@Example.com',
    primaryContactName: 'Ann',
    billingEmail: 'bills@example.com',
    address: '1 Long Road',
    phone: '+49 30 1234504',
  });
  const other = await create(world, 'client', { name: 'Acme AM04 and Sons', timezone: 'Europe/Berlin' });
  // A tenant of this name is another thing.
  await create(world, 'tenant', { name: 'Tenant AM04' });
  expect(await reads('client.read', { id: acme })).toMatchObject({
    id: acme,
    name: 'Acme AM04',
    status: 'active',
    timezone: 'UTC',
    logoUrl: 'https://example.com/logo.png',
    primaryContactEmail: 'ann@example.com',
    billingEmail: 'bills@example.com',
    address: '1 Long Road',
    phone: '+49301234504',
  });
  expect(await reads('client.read', { name: ' acme AM04' })).toMatchObject({ id: acme });
  expect(await reads('client.read', { name: 'acme am04 and sons' })).toMatchObject({
    id: other,
    timezone: 'Europe/Berlin',
  });
  expect(await reads('client.read', { name: 'tenant am04' })).toBeUndefined();
  expect(await world.refused('client.create', { name: 'ACME am04' })).toMatchObject({
    code: 'conflict',
    field: 'name',
  });
  await world.run('client.update', { id: acme, name: 'Apex AM04', status: 'suspended' });
  expect(await reads('client.read', { id: acme })).toMatchObject({ name: 'Apex AM04', status: 'suspended' });
  expect(await reads('client.read', { name: 'acme am04' })).toBeUndefined();
  await world.run('client.delete', { id: other });
  expect(await reads('client.read', { id: other })).toBeUndefined();
  expect(await reads('client.read', { name: 'acme am04 and sons' })).toBeUndefined();
  await expect(reads('client.read', { id: 'ac me' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'id',
  });
});

row('AM-05', async ({ world, reads, pages }) => {
  const [acme, twin] = [await create(world, 'client', { name: 'AM05' }), await newClient(world, 'AM05 twin')];
  const under = (at: string, more: Record<string, unknown> = {}) =>
    create(world, 'project', { parent: at, name: 'Tower', ...more });
  const ids = await several(3, (n) => under(`client:${acme}`, { region: `Region ${n}` }));
  await under(twin);
  // What else hangs on the client.
  await create(world, 'role', { name: 'am05', scope: `client:${acme}` });
  await create(world, 'group', { name: 'am05', scope: `client:${acme}` });
  await create(world, 'building', { name: 'Tower', parent: `project:${ids[0]}` });

  const seen = await pages('project.list', { parent: `client:${acme}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...ids));
  await world.run('project.update', { id: ids[1], status: 'on-hold', endDate: '2026-12-31', region: null });
  await world.run('project.delete', { id: ids[2] });
  const left = (await pages('project.list', { parent: `client:${acme}` }, 1)).flat();
  expect(valuesOf([left], 'id')).toEqual(sorted(ids[0] ?? '', ids[1] ?? ''));
  // The whole project, as it is now: the list repeats it.
  const changed = left.find(({ id }) => id === ids[1]);
  expect(changed).toMatchObject({ name: 'Tower', status: 'on-hold', endDate: '2026-12-31' });
  expect(changed).not.toHaveProperty('region');
  expect(changed).toEqual(await world.run('project.read', { id: ids[1] }));
  expect(await reads('project.list', { parent: `client:${NOBODY}` })).toEqual({ items: [] });
});

row('AM-06', async ({ world, reads, pages }) => {
  const acme = await newClient(world, 'AM06');
  const [tower, twin] = [await place(world, 'project', acme), await place(world, 'project', acme)];
  const project = tower.slice('project:'.length);
  const ids = await several(3, (n) => create(world, 'building', { parent: tower, name: 'House', floors: n }));
  await place(world, 'building', twin);

  const seen = await pages('building.list', { parent: `project:${project}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...ids));
  expect(valuesOf(seen, 'floors').toSorted()).toEqual([0, 1, 2]);
  await world.run('building.update', { id: ids[0], status: 'inactive', geoLatitude: 52.5 });
  await world.run('building.delete', { id: ids[1] });
  const left = (await pages('building.list', { parent: `project:${project}` }, 1)).flat();
  expect(valuesOf([left], 'id')).toEqual(sorted(ids[0] ?? '', ids[2] ?? ''));
  expect(left.find(({ id }) => id === ids[0])).toEqual(await world.run('building.read', { id: ids[0] }));
  const { cursor } = await reads('building.list', { parent: `project:${project}`, limit: 1 });
  await expect(reads('building.list', { parent: twin, cursor })).rejects.toMatchObject(BAD_CURSOR);
});

row('AM-07', async ({ world, pages }) => {
  const project = await place(world, 'project', await newClient(world, 'AM07'));
  const [house, twin] = [await place(world, 'building', project), await place(world, 'building', project)];
  const building = house.slice('building:'.length);
  const floor = await place(world, 'zone', house);
  const room = await place(world, 'zone', floor);
  // In the building itself, in a zone, in a zone of a zone: all of them are the building's.
  const at = [house, floor, room];
  const ids = await several(3, (n) =>
    create(world, 'device', { parent: at[n], name: 'Lamp', type: 'robot', serialNumber: `S-${n}` }),
  );
  await place(world, 'device', await place(world, 'zone', twin));

  const seen = await pages('device.list', { parent: `building:${building}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...ids));
  expect(new Map(seen.flat().map(({ id, parent }) => [id, parent]))).toEqual(
    new Map(ids.map((id, n) => [id, at[n]])),
  );
  await world.run('device.update', {
    id: ids[2],
    status: 'inactive',
    lastSeenAt: '2026-01-15T13:00:00+01:00',
  });
  await world.run('device.delete', { id: ids[1] });
  const left = (await pages('device.list', { parent: `building:${building}` }, 1)).flat();
  expect(valuesOf([left], 'id')).toEqual(sorted(ids[0] ?? '', ids[2] ?? ''));
  expect(left.find(({ id }) => id === ids[2])).toMatchObject({
    parent: room,
    status: 'inactive',
    lastSeenAt: '2026-01-15T12:00:00.000Z',
  });
});

row('AM-08', async ({ world, pages }) => {
  const project = await place(world, 'project', await newClient(world, 'AM08'));
  const [house, twin] = [await place(world, 'building', project), await place(world, 'building', project)];
  const building = house.slice('building:'.length);
  const floor = await place(world, 'zone', house, { floor: '1', areaSqft: 900, type: 'lobby' });
  const room = await place(world, 'zone', floor);
  const corner = await place(world, 'zone', room);
  const foreign = await place(world, 'zone', await place(world, 'zone', twin));
  await place(world, 'device', room);
  const idOf = (ref: string) => ref.slice('zone:'.length);

  const seen = await pages('zone.list', { parent: `building:${building}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(idOf(floor), idOf(room), idOf(corner)));
  const parents = new Map(seen.flat().map(({ id, parent }) => [id, parent]));
  expect(parents).toEqual(
    new Map([
      [idOf(floor), house],
      [idOf(room), floor],
      [idOf(corner), room],
    ]),
  );
  expect(seen.flat().find(({ id }) => id === idOf(floor))).toMatchObject({ areaSqft: 900, type: 'lobby' });
  // A zone that holds zones cannot go before them.
  expect(await world.refused('zone.delete', { id: idOf(room) })).toMatchObject({ code: 'conflict' });
  await world.run('zone.delete', { id: idOf(corner) });
  expect(valuesOf(await pages('zone.list', { parent: `building:${building}` }, 1), 'id')).toEqual(
    sorted(idOf(floor), idOf(room)),
  );
  const others = await pages('zone.list', { parent: twin }, 1);
  expect(valuesOf(others, 'id')).toContain(idOf(foreign));
  expect(others).toHaveLength(2);
});

row('AM-23', async ({ world, reads, pages }) => {
  const [acme, twin] = [await create(world, 'client', { name: 'AM23' }), await newClient(world, 'AM23 twin')];
  const parent = `client:${acme}`;
  const start = world.clock.now();
  const made = await several(5, async () => {
    const project = await place(world, 'project', parent);
    await place(world, 'building', project);
    await place(world, 'project', twin);
    world.clock.advance(HOUR);
    return project.slice('project:'.length);
  });
  const at = (hours: number) => new Date(start + hours * HOUR).toISOString();
  const list = { tenant: `client:${acme}`, type: 'project' };

  const seen = await pages('tenant.list-all', list, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 2, 1]);
  // In the order of time, not of anything else.
  expect(valuesOf(seen, 'id')).toEqual(made);
  // From an instant on, until before another.
  const some = await pages('tenant.list-all', { ...list, from: at(1), until: at(4) }, 2);
  expect(valuesOf(some, 'id')).toEqual(made.slice(1, 4));
  expect(some.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(await pages('tenant.list-all', { ...list, from: at(3.5) }, 2), 'id')).toEqual(
    made.slice(4),
  );
  // However the instant is written.
  const until = at(2).replace('.000Z', '+00:00');
  expect(valuesOf(await pages('tenant.list-all', { ...list, until }, 2), 'id')).toEqual(made.slice(0, 2));
  expect(await reads('tenant.list-all', { ...list, from: at(5) })).toEqual({ items: [] });
  await world.run('project.update', { id: made[4], name: 'Renamed' });
  expect(valuesOf(await pages('tenant.list-all', list, 5), 'id')).toEqual(made);
  const first = await reads('tenant.list-all', { ...list, limit: 1 });
  await expect(
    reads('tenant.list-all', { ...list, from: at(3), limit: 1, cursor: first.cursor }),
  ).rejects.toMatchObject(BAD_CURSOR);
  await expect(reads('tenant.list-all', { ...list, from: 'yesterday' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'from',
  });
});
