import { expect, test } from 'vitest';
import { readEnd, readInstant } from '../../table/instant.ts';
import { createWorld } from '../support/world.ts';
import { applyOn, createMemoryWorld } from './apply/support.ts';

/** A day as a date: the first instant of it where something begins, all of it where something ends; at every door. */
const FROM = '2026-12-01T00:00:00.000Z';
const UNTIL = '2027-01-01T00:00:00.000Z';

test.each<[text: string, from: string | undefined, until: string | undefined]>([
  ['2026-12-31', '2026-12-31T00:00:00.000Z', UNTIL],
  ['2028-02-29', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['9999-12-31', '9999-12-31T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ['2026-12-31T00:00:00Z', '2026-12-31T00:00:00.000Z', '2026-12-31T00:00:00.000Z'],
  ['2026-12-31T24:00', undefined, undefined],
  ['2026-02-29', undefined, undefined],
  ['2026-12', undefined, undefined],
  ['31.12.2026', undefined, undefined],
])('%s', (text, from, until) => {
  const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  expect(iso(readInstant(text))).toBe(from);
  expect(iso(readEnd(text))).toBe(until);
});

test('commands say what they took: a day as an end is all of it', async () => {
  const { run } = await createWorld();
  await run('tenant.create', { id: 't', name: 'T' });
  await run('role.create', { id: 'r', name: 'r', scope: 'tenant:t' });
  await run('module.create', { name: 'shop', soldBySubscription: true });
  const dates = { startsAt: '2026-12-01', endsAt: '2026-12-31' };
  const taken = { startsAt: FROM, endsAt: UNTIL };
  expect(await run('user.create', { id: 'ann', endsAt: '2026-12-31' })).toMatchObject({ endsAt: UNTIL });
  const assignment = { user: 'ann', role: 'r', scope: 'tenant:t' };
  expect(await run('assignment.create', { ...assignment, ...dates })).toMatchObject(taken);
  expect(await run('assignment.update', { ...assignment, endsAt: '2027-06-30' })).toMatchObject({
    endsAt: '2027-07-01T00:00:00.000Z',
  });
  const sold = { scope: 'tenant:t', module: 'shop', startDate: '2026-12-01', endDate: '2026-12-31' };
  expect(await run('subscription.create', sold)).toMatchObject({ startDate: FROM, endDate: UNTIL });
});

test('a manifest takes the same, and a plan of it then has nothing to do', async () => {
  const world = createMemoryWorld();
  const manifest = `
scopes: { school: { type: tenant, id: school } }
roles: { r: { owner: school } }
users: { ann: { id: ann, until: 2026-12-31, assignments: [{ role: r, scope: school, from: 2026-12-01, until: "2026-12-31" }] } }
`;
  await applyOn(world, manifest);
  expect(await world.run('user.read', { id: 'ann' })).toMatchObject({ endsAt: UNTIL });
  const { items } = await world.run('assignment.list', { user: 'ann' });
  expect(items).toMatchObject([{ startsAt: FROM, endsAt: UNTIL }]);
  expect(await applyOn(world, manifest)).toEqual([]);
});
