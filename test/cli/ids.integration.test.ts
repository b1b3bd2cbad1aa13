import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/**
 * Ids of every form, through commands, files, lists and questions (SPEC section 3). Digits in YAML, and an id that is an
 * email: transcripts/ids.txt.
 */
afterAll(removeFiles);
const world = await createLightWorld();
await world.run('page.create', { name: 'home' });
const run = (...args: readonly string[]) =>
  gatehouse(args, { env: { TABLE_NAME: world.table, USER: 'ops' } });

describe.each(SAMPLE_ROWS)('%s: %s', (_what, id) => {
  const scope = `tenant:${id}`;
  const user = `user:${id}`;

  beforeAll(async () => {
    const name = `Tenant ${id}`;
    await world.apply(`
scopes: { "${name}": { id: "${id}", type: tenant } }
roles: { member: { id: "${id}", owner: "${name}", allow: [home] } }
groups: { staff: { id: "${id}", scope: "${name}", roles: [member] } }
users:
  me: { id: "${id}", displayName: "Somebody ${id}", tenant: "${name}", groups: [staff], grants: { "${name}": [member] }, assignments: [{ role: member, scope: "${name}" }] }
settings: [{ user: me, key: theme, value: dark }]
pages: [home]
`);
    await world.run('session.create', { id, user: id, tenant: scope });
    world.settle();
  });

  test('is answered as it was given, and listed', async () => {
    expect(await world.run('user.read', { id })).toMatchObject({ id, tenant: scope });
    expect((await world.run('membership.list', { group: id })).items).toMatchObject([
      { user: id, group: id },
    ]);
    expect((await world.run('assignment.list', { scope })).items).toMatchObject([
      { user: id, scope, role: id },
    ]);
    expect((await world.run('user.list', { tenant: scope })).items).toMatchObject([{ id }]);
    expect((await world.run('session.list', { user: id })).items).toMatchObject([{ id }]);
    expect((await world.run('audit.list', { tenant: scope })).items).toContainEqual(
      expect.objectContaining({ entityType: 'user', entityId: id }),
    );
  });

  test('decides: check, explain, and the searches for subjects, resources and actions', async () => {
    expect((await run('check', user, 'home', scope)).out).toBe('ALLOWED (role)\n');
    const { out } = await run('explain', user, 'home', scope);
    expect(out).toContain('ALLOWED');
    expect(out).toContain(id);
    expect((await run('who', 'home', scope)).out).toContain(user);
    expect((await run('where', user, 'home')).out).toContain(scope);
    expect((await run('menu', user, scope)).out).toContain('home');
  });

  test('survives an export, a plan and an apply', async () => {
    const exported = await run('export', '--root', scope);
    expect(exported).toMatchObject({ code: 0, error: '' });
    const planned = await run('plan', fileOf(exported.out));
    expect(planned.out + planned.error).toContain('nothing to do');
    const applied = await run('apply', fileOf(exported.out.replaceAll('Somebody', 'Somebody else')), '--yes');
    expect(applied).toMatchObject({ code: 0, error: '' });
  });

  test('is asked about by model tests', async () => {
    const tests = `tests:\n  - { subject: '${user}', permission: home, scope: '${scope}', expect: allow }\n`;
    const { code, out, error } = await run('test', fileOf(tests), '--table', world.table);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('1 passed');
  });

  test('is loaded from CSV and from JSON lines', async () => {
    const csv = fileOf(`id,displayName\nc${id},From CSV\n`, 'csv');
    expect(await run('load', 'users', csv)).toMatchObject({ code: 0 });
    const lines = fileOf(`${JSON.stringify({ id: `j${id}`, displayName: 'From lines' })}\n`, 'jsonl');
    expect(await run('load', 'users', lines)).toMatchObject({ code: 0 });
    const edges = fileOf(`user,group\nc${id},${id}\n`, 'csv');
    expect(await run('load', 'memberships', edges)).toMatchObject({ code: 0 });
    for (const each of [`c${id}`, `j${id}`])
      expect(await world.run('user.read', { id: each })).toMatchObject({ id: each });
  });

  test('is asked for by its case', async () => {
    const other = id.toUpperCase() === id ? `${id}x` : id.toUpperCase();
    expect((await run('check', `user:${other}`, 'home', scope)).error).toContain(
      `user:${other} does not exist`,
    );
  });

  test('is revoked', async () => {
    expect((await run('revoke-session', id, '--yes')).out).toContain(`session:${id} of `);
    expect((await run('revoke-user', id, '--yes')).out).toContain(`(${user}) is disabled`);
    expect((await run('check', user, 'home', scope)).out).toBe('REFUSED (subject_inactive)\n');
  });
});

test('the table agrees with itself', async () => {
  const { code, out } = await run('verify');
  expect({ code, out: out.split('\n').filter((line) => line.includes('opens')) }).toEqual({
    code: 0,
    out: [],
  });
});
