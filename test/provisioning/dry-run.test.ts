import { beforeAll, describe, expect, test } from 'vitest';
import { createLightLedgerWorld, type Input, type LedgerWorld, NOBODY } from './support.ts';

/**
 * `dryRun`: what would happen, and nothing happens. Of every command: examples.integration.test.ts, and
 * corners.integration.test.ts where it fails.
 */
let world: LedgerWorld;
beforeAll(async () => {
  world = await createLightLedgerWorld();
});

const dry = (command: string, input: Input, more: Input = {}) =>
  world.provision({ command, input, dryRun: true, ...more });

describe('a dry run fails where the real one would, and as it would', () => {
  const id: Record<string, string> = {};
  beforeAll(async () => {
    id.ann = (await world.run('user.create', { email: 'ann@example.com' })).id;
    id.tenant = (await world.run('tenant.create', { name: 'Full' })).id;
    id.group = (await world.run('group.create', { name: 'g', scope: `tenant:${id.tenant}` })).id;
    id.role = (await world.run('role.create', { name: 'r', scope: `tenant:${id.tenant}` })).id;
    id.child = (
      await world.run('role.create', { name: 'c', scope: `tenant:${id.tenant}`, parent: id.role })
    ).id;
    await world.run('membership.create', { user: id.ann, group: id.group });
    await world.run('page.create', { name: 'taken' });
  });

  const cases: readonly (readonly [string, string, () => Input, string])[] = [
    ['a taken address', 'user.create', () => ({ email: 'ANN@example.com' }), 'conflict'],
    ['a taken id', 'user.create', () => ({ id: id.ann }), 'conflict'],
    ['a taken page', 'page.create', () => ({ name: 'taken' }), 'conflict'],
    ['an edge that is there', 'membership.create', () => ({ user: id.ann, group: id.group }), 'conflict'],
    ['a user that is not there', 'membership.create', () => ({ user: NOBODY, group: id.group }), 'not_found'],
    ['a tenant that still owns something', 'tenant.delete', () => ({ id: id.tenant }), 'conflict'],
    ['a circle', 'role.update', () => ({ id: id.role, parent: id.child }), 'conflict'],
    ['bad input', 'user.create', () => ({ email: 'nowhere' }), 'invalid'],
  ];
  test.each(cases)('%s', async (_, command, input, code) => {
    const answer = await dry(command, input());
    expect(answer).toMatchObject({ ok: false, error: { code } });
    expect(answer).toEqual(await world.provision({ command, input: input() }));
  });

  test('a role of more permissions than one transaction holds', async () => {
    const permissions = Array.from({ length: 21 }, (_, i) => ({ permission: `m:a${i}:*`, effect: 'ALLOW' }));
    const template = (await world.run('role-template.create', { name: 'large', permissions })).id;
    const input = { name: 'large', scope: 'global', customTemplateId: template };
    const answer = await dry('role.create', input);
    expect(answer).toMatchObject({ error: { code: 'limit_exceeded', field: 'customTemplateId' } });
    expect(answer).toEqual(await world.provision({ command: 'role.create', input }));
  });
});

describe('a dry run under an operationId', () => {
  test('does not use it up', async () => {
    const operationId = 'rehearsed';
    expect(await dry('user.create', { username: 'rehearsed' }, { operationId })).toMatchObject({ ok: true });
    const real = { command: 'user.create', input: { username: 'performed' }, operationId };
    expect(await world.provision(real)).toMatchObject({ ok: true });
  });

  test('looks again each time: an answer of a moment ago is not repeated', async () => {
    const id = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
    const attempt = () => dry('page.create', { name: 'again' }, { operationId: id });
    expect(await attempt()).toMatchObject({ ok: true });
    await world.run('page.create', { name: 'again' });
    expect(await attempt()).toMatchObject({ error: { code: 'conflict', field: 'name' } });
  });
});
