import { ulid } from 'ulid';
import { afterAll, expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createLightWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';
import { serveFunction } from './function.ts';
import { manifestOfAll } from './large.ts';

/** A manifest through the function: the same as on the table, in as many answers as the function's time takes. */
afterAll(removeFiles);

/** The function of a world, whose time is up after every transaction. */
async function functionOf(world: World): Promise<{ url: string; answers: () => number }> {
  const provision = createProvisioning({
    ...world,
    clock: { now: Date.now },
    budgetMs: 0,
    newId: () => ulid(),
  });
  let answers = 0;
  const url = await serveFunction((event) => {
    answers += 1;
    return provision(event);
  });
  return { url, answers: () => answers };
}

test('the same plan, the same export, and a bar that comes to its end', async () => {
  const [one, two] = [await createLightWorld(), await createLightWorld()];
  const { url, answers } = await functionOf(two);
  const file = fileOf(manifestOfAll({ users: 3, groups: 3, roles: 2, scopes: 3, pages: 5 }), 'json');
  const direct = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: one.table } });
  const through = (...args: readonly string[]) =>
    gatehouse([...args, '--function', 'provisioning', '--lambda-endpoint', url], {
      env: {},
      isErrorTerminal: true,
    });
  const [planned, other] = [await direct('plan', file, '--json'), await through('plan', file, '--json')];
  const { table: _, ...expected } = JSON.parse(planned.out);
  expect(JSON.parse(other.out)).toEqual(expected);

  expect((await direct('apply', file, '--yes')).code).toBe(0);
  const before = answers();
  const applied = await through('apply', file, '--yes');
  expect(applied.code).toBe(0);
  expect(applied.error).toMatch(/\] (\d+)\/\1 \d+ s[^\n]*\n$/);
  expect(answers() - before).toBeGreaterThan(3);
  expect((await through('plan', file)).out).toContain('nothing to do');
  const exported = (run: typeof direct) => run('export', '--api', 'acme').then(({ out }) => out);
  expect(await exported(through)).toBe(await exported(direct));
});
