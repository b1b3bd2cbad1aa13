import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_IDS, SAMPLE_ROWS } from '../support/ids.ts';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Ids of every form, through commands, files, lists and questions (SPEC section 3). */
afterAll(removeFiles);
const world = await createLightWorld();
await world.run('page.create', { name: 'home' });
const run = (...args: readonly string[]) =>
  gatehouse(args, { env: { TABLE_NAME: world.table, USER: 'ops' } });

describe.each(SAMPLE_ROWS)('%s: %s', (_what, id) => {
  const scope = `tenant:${id}`;
  const user = `user:${id}`;

  beforeAll(async () => {
    await world.run('tenant.create', { id, name: `Tenant ${id}` });
    await world.run('role.create', { id, name: 'member', scope });
    await world.run('role-permission.create', { role: id, permission: 'home', effect: 'ALLOW' });
    await world.run('group.create', { id, name: 'staff', scope });
    await world.run('group-role.create', { group: id, role: id });
    await world.run('user.create', { id, displayName: `Somebody ${id}`, tenant: scope });
    await world.run('membership.create', { user: id, group: id });
    await world.run('assignment.create', { user: id, scope, role: id });
    await world.run('grant.create', { user: id, scope, roles: [id] });
    await world.run('setting.create', { scope: user, key: 'theme', value: 'dark' });
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

describe('a text that may be an id and an email', () => {
  const text = 'ann@example.org';
  const revoked = () => run('revoke-user', text, '--yes');

  test('is the email where no user has the id, the id where no user has the email, and else neither', async () => {
    const { id } = await world.run('user.create', { email: text });
    expect((await revoked()).out).toContain(`(user:${id}) is disabled`);
    await world.run('user.create', { id: text });
    const both = await revoked();
    expect(both).toMatchObject({ code: 2, out: '' });
    expect(both.error).toContain(
      `USER ${text}: 2 subjects have this name; give a longer path, or a reference`,
    );
    expect(both.error).toContain(`\n  user:${text}`);
    expect(both.error).toContain(`\n  user:${id}`);
    expect((await run('revoke-user', `user:${text}`, '--yes')).out).toContain(`user:${text} is disabled`);
    await world.run('user.delete', { id });
    expect((await revoked()).out).toContain(`user:${text} is disabled (it was disabled)`);
  });

  test('is no email after an export, where it is the id of a user without one', async () => {
    await world.run('tenant.create', { id: 'mail', name: 'Mail' });
    await world.run('user.create', { id: 'bea@example.org', tenant: 'tenant:mail' });
    const exported = await run('export', '--root', 'tenant:mail');
    expect((await run('plan', fileOf(exported.out))).out).toContain('nothing to do');
  });
});

describe('an id of digits in YAML', () => {
  const number = SAMPLE_IDS['all digits'];
  const manifest = (written: string) => `scopes:\n  one: { type: tenant, id: ${written} }\n`;

  test('is a number without quotes: a manifest refuses it, and says what to write', async () => {
    const { code, error } = await run('plan', fileOf(manifest(number)));
    expect(code).toBe(2);
    expect(error).toContain('must be an id, in quotes');
  });

  test('is an id in quotes', async () => {
    expect((await run('plan', fileOf(manifest(`'${number}1'`)))).error).toBe('');
  });

  test('is refused as a key whose leading zeros would be lost', async () => {
    const { error } = await run('plan', fileOf(`users:\n  ${number}:\n`));
    expect(error).toContain('007 is the number 7 here: put it in quotes');
  });

  test('is refused in the input of a command', async () => {
    const { code, error } = await run('command', 'user.create', '--input', fileOf(`id: ${number}\n`));
    expect(code).toBe(2);
    expect(error).toContain('id: must be text: put it in quotes');
    const lines = fileOf(`{"id": 7, "displayName": "Seven"}\n`, 'jsonl');
    expect((await run('load', 'users', lines)).out).toContain('1 refused');
    const refused = readFileSync(lines.replace('.jsonl', '.refused.jsonl'), 'utf8');
    expect(refused).toContain('id: must be text: put it in quotes');
  });
});
