import { expect, test } from 'vitest';
import { createOperatorsWorld } from '../provisioning/operators.ts';
import { createLightWorld } from '../support/world.ts';
import { serveFunction } from './manifest/function.ts';
import { gatehouse } from './support.ts';

/** The command line in front of a function that verifies operators (docs/operators.md). */
test('it sends the token of the environment or the option, never prints it, and states no other actor', async () => {
  const base = await createLightWorld();
  const world = await createOperatorsWorld(base, ['tenant.delete']);
  await world.register('tenant.delete');
  const actors: unknown[] = [];
  const url = await serveFunction((event) => {
    actors.push((event as { actor?: unknown }).actor);
    return world.provision(event);
  });
  const token = String(world.tokens.pam?.text);
  const through = (args: readonly string[], env: Record<string, string> = {}) =>
    gatehouse([...args, '--function', 'provisioning', '--lambda-endpoint', url], {
      env: { USER: 'ops', ...env },
    });

  const read = ['command', 'tenant.read', 'id=tenant:acme'];
  expect(await through(read)).toMatchObject({
    code: 1,
    error: expect.stringContaining('(not_permitted, not retryable)'),
  });
  actors.length = 0;
  const answers = [
    await through(read, { GATEHOUSE_TOKEN: token }),
    await through([...read, '--token', token]),
    await through(['command', 'module.create', 'name=billing'], { GATEHOUSE_TOKEN: token }),
    await through([...read, '--token', 'wrong', '--json']),
    await through(['command', 'tenant.delete', 'id=tenant:globex', '--yes', '--operation', 'end-1'], {
      GATEHOUSE_TOKEN: token,
    }),
  ];
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 1, 1]);
  expect(answers.at(-1)?.error).toContain('approval.approve, within 24 hours (id=end-1) (approval_required');
  expect(new Set(actors)).toEqual(new Set([undefined]));
  expect(JSON.stringify(answers)).not.toContain(token);
  // On a table there is no operator to verify.
  expect(await gatehouse([...read, '--token', token, '--table', base.table])).toMatchObject({
    error: expect.stringContaining('--token is for a function'),
  });
});
