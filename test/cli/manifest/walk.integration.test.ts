import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../../support/world.ts';
import { gatehouse, removeFiles } from '../support.ts';

/** The walking path: plan, apply, and a second plan that is empty. */
afterAll(removeFiles);
const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/school.manifest.yaml', import.meta.url));

let world: World;
beforeAll(async () => {
  world = await createLightWorld();
});
const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });

test('plan shows what is to be done, apply does it, and then there is nothing to do', async () => {
  const planned = await run('plan', EXAMPLE);
  expect(planned.error).toBe('');
  expect(planned.code).toBe(1);
  expect(planned.out).toContain('+ tenant school');
  expect(planned.out).toMatch(/dangerous\n( {2}.*\n)* {2}\+ role-permission teacher > library:\*:\*/);
  const applied = await run('apply', EXAMPLE, '--yes');
  // Progress is for terminals.
  expect(applied).toMatchObject({ code: 0, error: '' });
  const again = await run('plan', EXAMPLE);
  expect(again.out).toContain('nothing to do');
  expect(again.code).toBe(0);
  const ann = await world.run('user.read', { email: 'ann@school.example' });
  const north = await world.run('location.read', { code: 'NORTH-1' });
  const checked = await run('check', `user:${ann.id}`, 'grades', `location:${north.id}`);
  expect(checked.out).toBe('ALLOWED (role)\n');
});
