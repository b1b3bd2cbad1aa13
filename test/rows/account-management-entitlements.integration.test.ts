import { expect } from 'vitest';
import { row } from './row.ts';
import {
  BAD_CURSOR,
  create,
  HOUR,
  instantOf,
  NOBODY,
  newClient,
  newRole,
  newUser,
  place,
  setPage,
  several,
  sorted,
  valuesOf,
} from './setup.ts';

/** Seed 000: subscriptions of scopes to modules, and settings down the tree. */

row('AM-09', async ({ world, reads, pages }) => {
  const acme = await newClient(world, 'AM09');
  const [project, twin] = [await place(world, 'project', acme), await place(world, 'project', acme)];
  for (const name of ['am09-a', 'am09-b']) await world.run('module.create', { name });
  const at = instantOf(world);
  const subscribe = (scope: string, more: Record<string, unknown> = {}) =>
    create(world, 'subscription', { scope, module: 'am09-a', ...more });
  const open = await subscribe(project);
  const trial = await subscribe(project, {
    status: 'trial',
    module: 'am09-b',
    endDate: instantOf(world, HOUR),
  });
  const dated = await subscribe(project, { startDate: at, endDate: instantOf(world, 2 * HOUR) });
  const later = await subscribe(project, { startDate: instantOf(world, HOUR) });
  const over = await subscribe(project, { startDate: instantOf(world, -9 * HOUR), endDate: at });
  await subscribe(project, { status: 'expired', endDate: instantOf(world, 9 * HOUR) });
  const [above, beside] = [await subscribe(acme), await subscribe(twin)];

  const active = async (scope: string, hours = 0, limit = 2) =>
    valuesOf(await pages('subscription.list', { scope, at: instantOf(world, hours * HOUR) }, limit), 'id');
  expect(await active(project)).toEqual(sorted(open, trial, dated));
  expect(await active(project, 0, 1)).toEqual(sorted(open, trial, dated));
  expect(await active(project, -1)).toEqual(sorted(open, trial, over));
  // Each ends at the instant at which another begins.
  expect(await active(project, 1)).toEqual(sorted(open, dated, later));
  expect(await active(project, 2)).toEqual(sorted(open, later));
  expect(await active(acme)).toEqual([above]);
  expect(await active(twin)).toEqual([beside]);
  await world.run('subscription.update', { id: open, status: 'expired' });
  await world.run('subscription.update', { id: over, endDate: null });
  await world.run('subscription.delete', { id: trial });
  expect(await active(project)).toEqual(sorted(dated, over));
  const first = await reads('subscription.list', { scope: project, at, limit: 1 });
  await expect(reads('subscription.list', { scope: twin, at, cursor: first.cursor })).rejects.toMatchObject(
    BAD_CURSOR,
  );
  await expect(reads('subscription.list', { scope: project, at: '' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'at',
  });
});

row('AM-10', async ({ world, reads, pages }) => {
  const [acme, twin] = [await newClient(world, 'AM10'), await newClient(world, 'AM10 twin')];
  const building = await place(world, 'building', await place(world, 'project', acme));
  for (const name of ['am10', 'am10-more']) await world.run('module.create', { name });
  // The module has other things too.
  await create(world, 'page', { name: 'am10-page', module: 'am10' });
  const scopes = [acme, building, twin, building];
  const ids = await several(4, (n) => create(world, 'subscription', { scope: scopes[n], module: 'am10' }));
  const other = await create(world, 'subscription', { scope: acme, module: 'am10-more' });
  await world.run('subscription.update', { id: ids[1], status: 'expired', tier: 'premium' });

  const seen = await pages('subscription.list', { module: 'am10' }, 3);
  expect(seen.map(({ length }) => length)).toEqual([3, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...ids));
  expect(new Map(seen.flat().map(({ id, scope }) => [id, scope]))).toEqual(
    new Map(ids.map((id, n) => [id, scopes[n]])),
  );
  expect(seen.flat().find(({ id }) => id === ids[1])).toMatchObject({ status: 'expired', tier: 'premium' });
  expect(valuesOf(await pages('subscription.list', { module: 'am10-more' }, 3), 'id')).toEqual([other]);
  await world.run('subscription.delete', { id: ids[0] });
  expect(valuesOf(await pages('subscription.list', { module: 'am10' }, 1), 'id')).toEqual(
    sorted(...ids.slice(1)),
  );
  expect(await reads('subscription.list', { module: 'am10-none' })).toEqual({ items: [] });
  // A module cannot go while somebody pays for it.
  expect(await world.refused('module.delete', { name: 'am10' })).toMatchObject({ code: 'conflict' });
  await expect(reads('subscription.list', { module: 'am10:read' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'module',
  });
});

row('AM-20', async ({ world, reads }) => {
  const [acme, twin] = [await newClient(world, 'AM20'), await newClient(world, 'AM20 twin')];
  const project = await place(world, 'project', acme);
  const building = await place(world, 'building', project);
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const set = (scope: string, key: string, value: string, more: Record<string, unknown> = {}) =>
    world.run('setting.create', { scope, key, value, ...more });
  const user = `user:${ann}`;
  const [number, boolean, json] = ['number', 'boolean', 'json'].map((valueType) => ({ valueType }));
  for (const [n, at] of [acme, project, building, user].entries()) await set(at, 'level', String(n), number);
  await set(acme, 'dark', 'true', boolean);
  await set(project, 'colours', '{"door":["red"]}', json);
  await set(acme, 'language', 'de');
  // What may not be overridden: not by a building, not by a user.
  await set(project, 'alarm', 'loud', { isOverridable: false });
  await set(acme, 'alarm', 'soft');
  await set(building, 'alarm', 'none');
  await set(user, 'alarm', 'never');
  await set(twin, 'level', '99', number);
  await set(twin, 'secret', 'of the twin');
  await set(`user:${bob}`, 'language', 'fr');

  const keys = ['level', 'dark', 'colours', 'language', 'alarm', 'secret'];
  const resolve = async (scope: string, user?: string) =>
    (await reads('setting.resolve', { keys, scope, user })).settings as Record<string, { value: unknown }>;
  const valuesAt = async (at: string, who?: string) =>
    Object.fromEntries(Object.entries(await resolve(at, who)).map(([key, { value }]) => [key, value]));

  const common = { dark: true, language: 'de' };
  const below = { ...common, colours: { door: ['red'] }, alarm: 'loud' };
  expect(await valuesAt(acme)).toEqual({ ...common, level: 0, alarm: 'soft' });
  expect(await valuesAt(project)).toEqual({ ...below, level: 1 });
  expect(await valuesAt(building)).toEqual({ ...below, level: 2 });
  expect(await valuesAt(building, ann)).toEqual({ ...below, level: 3 });
  expect(await valuesAt(building, bob)).toEqual({ ...below, level: 2, language: 'fr' });
  expect(await valuesAt(acme, ann)).toEqual({ ...common, level: 3, alarm: 'never' });
  expect(await valuesAt(twin)).toEqual({ level: 99, secret: 'of the twin' });
  expect((await resolve(building, ann)).alarm).toEqual({
    value: 'loud',
    valueType: 'string',
    from: project,
    isOverridable: false,
  });
  expect((await resolve(building)).dark).toMatchObject({ from: acme, valueType: 'boolean' });
  await world.run('setting.update', { scope: project, key: 'alarm', isOverridable: true });
  await world.run('setting.delete', { scope: building, key: 'level' });
  expect(await valuesAt(building)).toEqual({ ...below, level: 1, alarm: 'none' });
  expect(await valuesAt(building, ann)).toEqual({ ...below, level: 3, alarm: 'never' });
  expect(await world.refused('setting.create', { scope: acme, key: 'level', value: '1' })).toMatchObject({
    code: 'conflict',
  });
  for (const [value, valueType] of [
    ['many', 'number'],
    ['yes', 'boolean'],
    ['{', 'json'],
  ]) {
    const wrong = { scope: acme, key: 'wrong', value, valueType };
    expect(await world.refused('setting.create', wrong)).toMatchObject({ code: 'invalid', field: 'value' });
  }
  expect(await world.refused('setting.update', { scope: acme, key: 'dark', value: 'no' })).toMatchObject({
    field: 'value',
  });
  expect(await reads('setting.resolve', { keys, scope: `client:${NOBODY}` })).toBeUndefined();
});

row('AM-25', async ({ world, reads, pages, record }) => {
  const [acme, twin] = [await newClient(world, 'AM25'), await newClient(world, 'AM25 twin')];
  const [project, sibling] = [await place(world, 'project', acme), await place(world, 'project', acme)];
  const building = await place(world, 'building', project);
  await world.run('module.create', { name: 'am25', soldBySubscription: true });
  for (const name of ['am25-free', 'am25-other']) {
    await world.run('module.create', { name, soldBySubscription: name === 'am25-other' });
  }
  const names = ['am25:read:door', 'am25-free:read:door'];
  for (const name of names) await world.run('permission.create', { name });
  const [ann, eve] = [await newUser(world), await newUser(world)];
  const granted = await newRole(world, 'am25');
  for (const name of names) await setPage(world, granted, name, 'ALLOW');
  for (const scope of [acme, twin]) await world.run('assignment.create', { user: ann, scope, role: granted });

  const ask = async (at: string, name = 'am25:read:door', who = ann) => {
    world.settle();
    const engine = world.newEngine();
    const { allowed, reason } = await record(() => engine.check(`user:${who}`, name, at));
    expect(allowed).toBe(reason === 'role');
    return reason;
  };
  /** The reasons at the client, the two projects, the building and the other client. */
  const everywhere = async () => {
    const reasons: string[] = [];
    for (const at of [acme, project, sibling, building, twin]) reasons.push(await ask(at));
    return reasons;
  };
  const none = 'not_subscribed';
  expect(await everywhere()).toEqual([none, none, none, none, none]);
  expect(await ask(building, 'am25-free:read:door')).toBe('role');
  // A subscription to another module does not help, nor one that nobody pays for any more.
  await create(world, 'subscription', { scope: acme, module: 'am25-other' });
  await create(world, 'subscription', { scope: acme, module: 'am25', status: 'expired' });
  expect(await everywhere()).toEqual([none, none, none, none, none]);

  const [startDate, endDate] = [instantOf(world, HOUR), instantOf(world, 10 * HOUR)];
  const id = await create(world, 'subscription', {
    scope: project,
    module: 'am25',
    tier: 'standard',
    startDate,
    endDate,
    autoRenew: true,
    usageQuota: { doors: 10, floors: { north: 2 } },
    createdBy: eve,
  });
  const shown = {
    id,
    scope: project,
    module: 'am25',
    root: acme,
    status: 'active',
    tier: 'standard',
    autoRenew: true,
    usageQuota: { doors: 10, floors: { north: 2 } },
    startDate,
    endDate,
    createdBy: eve,
  };
  expect(await reads('subscription.read', { id })).toMatchObject(shown);
  expect(await everywhere()).toEqual([none, none, none, none, none]);
  // From its start: at its scope and below it, not above, not beside, not at another client.
  world.clock.advance(HOUR);
  expect(await everywhere()).toEqual([none, 'role', none, 'role', none]);
  // It entitles, it grants nothing.
  expect(await ask(building, 'am25:read:door', eve)).toBe('no_grant');
  const active = await pages('subscription.list', { scope: project, at: instantOf(world) }, 1);
  expect(active.flat()).toEqual([await reads('subscription.read', { id })]);
  await world.run('subscription.update', { id, status: 'trial', tier: 'premium', autoRenew: false });
  expect(await everywhere()).toEqual([none, 'role', none, 'role', none]);
  await world.run('subscription.update', { id, status: 'expired' });
  expect(await everywhere()).toEqual([none, none, none, none, none]);
  await world.run('subscription.update', { id, status: 'active', usageQuota: null });
  expect(await ask(building)).toBe('role');
  world.clock.advance(10 * HOUR);
  expect(await everywhere()).toEqual([none, none, none, none, none]);
  const ended = await reads('subscription.read', { id });
  expect(ended).toMatchObject({ status: 'active', tier: 'premium', autoRenew: false });
  expect(ended).not.toHaveProperty('usageQuota');

  // At the root: for all of it, and for no other client.
  const whole = await create(world, 'subscription', { scope: acme, module: 'am25' });
  expect(await everywhere()).toEqual(['role', 'role', 'role', 'role', none]);
  await world.run('subscription.delete', { id: whole });
  expect(await reads('subscription.read', { id: whole })).toBeUndefined();
  expect(await ask(building)).toBe(none);
  const wrong = { scope: acme, module: 'am25', startDate: endDate, endDate: startDate };
  expect(await world.refused('subscription.create', wrong)).toMatchObject({
    code: 'invalid',
    field: 'endDate',
  });
  expect(await world.refused('subscription.create', { scope: acme, module: 'am25-none' })).toMatchObject({
    code: 'not_found',
    field: 'module',
  });
  expect(await world.refused('subscription.update', { id, startDate: endDate })).toMatchObject({
    field: 'endDate',
  });
  // Sold no longer: everybody with a role may use it.
  await world.run('module.update', { name: 'am25', soldBySubscription: false });
  expect(await everywhere()).toEqual(['role', 'role', 'role', 'role', 'role']);
});
