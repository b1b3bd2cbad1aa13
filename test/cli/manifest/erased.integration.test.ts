import { beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse } from '../support.ts';

/** An export from before a user was erased. */
let world: World;
let file: string;
beforeAll(async () => {
  world = await createLightWorld();
  const { id } = await world.run('user.create', { username: 'ann' });
  file = fileOf((await run('export')).out);
  await world.run('user.erase', { id });
});
const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });

test('a plan says whom it would bring back', async () => {
  const { code, out } = await run('plan', file);
  expect(code).toBe(1);
  expect(out).toMatch(/\+ user ann.*\(erased on 2026-01-15\)/);
});

test('an apply does nothing without --again, even with --yes', async () => {
  const { code, error } = await run('apply', file, '--yes');
  expect({ code, error }).toEqual({
    ...{ code: 2, error: expect.stringContaining('user ann was erased on 2026-01-15: nothing was done') },
  });
  expect(JSON.parse((await run('apply', file, '--yes', '--json')).out).error.code).toBe('erased');
  expect(await world.refused('user.read', { username: 'ann' })).toMatchObject({ code: 'not_found' });
  expect((await run('apply', file, '--yes', '--again')).code).toBe(0);
  expect(await world.run('user.read', { username: 'ann' })).toMatchObject({ username: 'ann' });
});
