import { beforeAll, describe, expect, test } from 'vitest';
import { createInputs, WRITE_COMMANDS } from './kinds.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld, NOBODY } from './support.ts';

/** `dryRun`: what would happen, and nothing happens. */
let world: LedgerWorld;
let inputOf: (command: string) => Promise<Input>;
beforeAll(async () => {
  world = await createLightLedgerWorld();
  inputOf = createInputs(world);
});

const dry = (command: string, input: Input, more: Input = {}) =>
  world.provision({ command, input, dryRun: true, ...more });

test.each(WRITE_COMMANDS)('%s answers what it would do and writes nothing', async (command) => {
  const input = await inputOf(command);
  const count = world.transactions.length;
  const answer = await dry(command, input);
  expect(world.transactions.length).toBe(count + 1);
  expect(world.transactions.at(-1)?.every(({ kind }) => kind === 'check')).toBe(true);
  const real = await world.provision({ command, input });
  // A fresh id is another one each time; and what was not written needs no reader to wait for it.
  const id = 'id' in input || !answer.ok || !('id' in answer.result) ? {} : { id: expect.any(String) };
  expect(answer).toEqual({ ok: true, result: expect.anything(), dryRun: true });
  const shown = (result: Input) => (command === 'tenant.onboard' ? withoutIds(result) : result);
  expect(answer.ok && { ...shown(answer.result), ...rootless(answer.result), ...id }).toEqual(
    real.ok && { ...shown(real.result), ...rootless(real.result) },
  );
});
/** What is made of many things has as many fresh ids. */
const withoutIds = (result: Input): Input =>
  JSON.parse(JSON.stringify(result).replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID'));
/** A new root names itself as its root, by its fresh id. */
const rootless = (result: Input): Input =>
  String(result.root).endsWith(`:${result.id}`) ? { root: 'itself' } : {};

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
