import { beforeAll, describe, expect, test } from 'vitest';
import { describeCommands, fieldsOf } from '../../provisioning/documents/commands.ts';
import { namedBy } from '../../provisioning/names/inputs.ts';
import { createLightWorld, type World } from '../support/world.ts';
import { serveFunction } from './manifest/function.ts';
import { fileOf, gatehouse } from './support.ts';

/** Names instead of ids, wherever a person types a subject, a scope, a group or a role. */
let world: World;
const ref: Record<string, string> = {};
const id = (name: string) => String(ref[name]).slice(String(ref[name]).indexOf(':') + 1);
beforeAll(async () => {
  world = await createLightWorld();
  const make = async (as: string, type: string, input: Record<string, unknown>) => {
    ref[as] = `${type}:${(await world.run(`${type}.create`, input)).id}`;
  };
  await make('northwind', 'client', { name: 'Northwind' });
  await make('harbour', 'project', { name: 'Harbour', parent: ref.northwind });
  await make('lighthouse', 'building', { name: 'Lighthouse', parent: ref.harbour });
  await make('southwind', 'client', { name: 'Southwind' });
  await make('other', 'project', { name: 'Harbour', parent: ref.southwind });
  await make('north', 'location', { name: 'North School', code: 'NYC001' });
  await make('tina', 'user', { email: 'tina@school.example', username: 'tina', displayName: 'Tina T.' });
  await make('ben', 'user', { email: 'ben@school.example' });
  await make('teachers', 'group', { name: 'Teachers', scope: ref.north });
  await make('teacher', 'role', { name: 'Teacher', scope: 'tenant' });
  await world.run('page.create', { name: 'grades' });
  await world.run('role-permission.create', { role: id('teacher'), permission: 'grades', effect: 'ALLOW' });
  await world.run('group-role.create', { group: id('teachers'), role: id('teacher') });
});
const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });
const data = async (...args: readonly string[]) => JSON.parse((await run(...args, '--json')).out);
const errorOf = async (...args: readonly string[]) => {
  const { code, out } = await run(...args, '--json');
  return { code, ...JSON.parse(out).error };
};

test('an onboarding by names alone', async () => {
  expect((await run('check', 'tina@school.example', 'grades', 'North School')).code).toBe(1);
  const member = ['user=tina@school.example', 'group=North School/Teachers'];
  expect((await run('command', 'membership.create', ...member)).code).toBe(0);
  const { code, out, error } = await run('check', 'TINA@School.example', 'grades', 'north school');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const width = String(ref.north).length;
  expect(out).toBe(
    `ALLOWED (role)
subject  ${String(ref.tina).padEnd(width)}  Tina T.
scope    ${ref.north}  North School
`,
  );
});

test.each([
  ['tina', 'NYC001'],
  ['tina@school.example', 'north school'],
])('check and explain: %s at %s', async (who, where) => {
  expect(await data('check', who, 'grades', where)).toMatchObject({
    ...{ allowed: true, subject: ref.tina, scope: ref.north },
    ...{ subjectName: 'Tina T.', scopeName: 'North School' },
  });
  expect((await run('explain', who, 'grades', where)).code).toBe(0);
});

test('a reference stays one', async () => {
  const { out } = await run('check', String(ref.ben), 'grades', String(ref.north));
  expect(out).toBe('REFUSED (no_grant)\n');
});

test('who, menu and where take names', async () => {
  expect((await run('who', 'grades', 'North School')).out).toBe(`${ref.tina}  Tina T.\n`);
  expect((await run('menu', 'tina', 'NYC001')).out).toBe('grades\n');
  expect((await run('where', 'tina', 'grades')).out).toBe(`${ref.north}  North School\n`);
});

describe('a name that nothing has', () => {
  test.each<[string, readonly string[], string]>([
    ['a subject', ['check', 'tima@school.example', 'grades', 'NYC001'], 'did you mean tina@school.example?'],
    [
      'the first part of an address',
      ['check', 'ben', 'grades', 'NYC001'],
      'did you mean ben@school.example?',
    ],
    ['a scope', ['explain', 'tina', 'grades', 'North Shcool'], 'did you mean North School?'],
    [
      'a path',
      ['who', 'grades', 'Eastwind/Lighthouse'],
      'no scope has this path; there is Northwind/Harbour/Lighthouse (building:',
    ],
    ['a path with a slip', ['who', 'grades', 'Nortwind/Harbour'], 'did you mean Northwind/Harbour?'],
    [
      'a group by a path with a slip',
      ['command', 'membership.list', 'group=North Shcool/Teachers'],
      'did you mean North School/Teachers?',
    ],
    ['a group', ['command', 'membership.list', 'group=Teachres'], 'group Teachres: no group has this name'],
    ['a role', ['command', 'group-role.list', 'role=Teachr'], 'did you mean Teacher?'],
    ['a permission', ['where', 'tina', 'grads'], 'there is no permission grads: did you mean grades?'],
    ['one to check', ['check', 'tina', 'grads', 'NYC001'], 'no permission grads: did you mean grades?'],
    ['a reference', ['check', 'user:nobody', 'grades', 'NYC001'], 'SUBJECT user:nobody does not exist'],
    ['a list of a user', ['command', 'membership.list', 'user=user:nobody'], 'does not exist'],
    ['a list of a scope', ['command', 'group.list', 'scope=location:nowhere'], 'does not exist'],
    ['a list of an id', ['command', 'membership.list', 'user=01M7YAMYCAWSND2TZ7F47P6DYF'], 'no user'],
    ['no name at all', ['check', 'tina', 'grades', 'a#b'], 'SCOPE a#b is no name'],
    ['a tenant', ['suspend-tenant', 'Nortwind'], 'did you mean Northwind?'],
    ['a tenant of a log', ['log', '--tenant', 'Nortwind'], 'did you mean Northwind?'],
    ['a tenant to verify', ['verify', '--tenant', 'Nortwind'], 'did you mean Northwind?'],
    ['a tenant to export', ['export', '--root', 'Nortwind'], 'did you mean Northwind?'],
  ])('%s: one line, and 2', async (_, args, message) => {
    // Suggestions come from an index, which may follow a moment later.
    await expect.poll(async () => (await run(...args)).error).toContain(message);
    const { code, out, error } = await run(...args);
    expect({ code, out, lines: error.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 });
    expect(await errorOf(...args)).toMatchObject({ code: 'name_unknown', retryable: false });
  });
});

describe('a name that several have', () => {
  test('is an error that lists each with its path', async () => {
    const { code, out, error } = await run('check', 'tina', 'grades', 'Harbour');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const [head, ...rows] = error.trimEnd().split('\n');
    expect(head).toBe(
      'gatehouse check: SCOPE Harbour: 2 scopes have this name; give a longer path, or a reference',
    );
    expect(rows.sort()).toEqual(
      [`  ${ref.harbour}  Northwind/Harbour`, `  ${ref.other}  Southwind/Harbour`].sort(),
    );
    const failed = await errorOf('check', 'tina', 'grades', 'Harbour');
    expect(failed.code).toBe('name_ambiguous');
    expect(failed.candidates).toContainEqual({
      ...{ ref: ref.harbour, name: 'Harbour', path: 'Northwind/Harbour', by: 'name' },
    });
    expect((await data('check', 'tina', 'grades', 'southwind/harbour')).scope).toBe(ref.other);
  });

  test('an id is meant before a name, in a field that takes ids', async () => {
    await world.run('group.create', { id: 'Teachers', name: 'Others', scope: ref.northwind });
    expect((await data('command', 'group.read', 'id=Teachers')).result.name).toBe('Others');
    expect((await data('command', 'group.read', 'id=North School/Teachers')).result.id).toBe(id('teachers'));
  });
});

test('an email that is the id of another user is ambiguous, and a reference is not', async () => {
  await world.run('user.create', { id: 'ben@school.example' });
  const failed = await errorOf('command', 'user.read', 'id=ben@school.example');
  expect(failed.code).toBe('name_ambiguous');
  expect(failed.candidates).toMatchObject([{ ref: 'user:ben@school.example' }, { ref: ref.ben }]);
  const read = await data('command', 'user.read', 'id=user:ben@school.example');
  expect(read.result.id).toBe('ben@school.example');
  await world.run('user.delete', { id: 'ben@school.example' });
});

test('commands take names in every field of an id or a reference', async () => {
  const made = await data('command', 'building.create', 'parent=Southwind/Harbour', 'name=Mole');
  expect(made.result.parent).toBe(ref.other);
  const moved = await data('command', 'building.update', 'id=Mole', 'city=Hull');
  expect(moved.result).toMatchObject({ id: made.result.id, city: 'Hull' });
  const assigned = await data(
    ...['command', 'assignment.create', 'user=ben@school.example', 'role=Teacher', 'scope=Mole'],
  );
  expect(assigned.result).toMatchObject({ user: id('ben'), role: id('teacher') });
  const granted = await data(
    ...['command', 'grant.create', 'user=ben@school.example', 'scope=Southwind', 'roles=Teacher'],
  );
  expect(granted.result).toMatchObject({ roles: [id('teacher')], scope: ref.southwind });
  expect((await data('command', 'role.list', 'scope=tenant')).result.items).toHaveLength(1);
  expect((await data('command', 'setting.list', 'scope=user:ghost')).error.code).toBe('name_unknown');
  const file = await run('command', 'user.read', 'id:="tina"');
  expect(file.out).toContain('displayName: Tina T.');
});

test('products, services and templates are named too', async () => {
  const permissions = [{ permission: 'grades', effect: 'ALLOW' }];
  const template = await world.run('role-template.create', { name: 'Class teacher', permissions });
  const enterprise = `enterprise:${(await world.run('enterprise.create', { name: 'Fabrikam' })).id}`;
  const product = await world.run('product.create', { name: 'Gradebook' });
  const service = await world.run('service.create', { name: 'Hosting' });
  const result = async (...args: readonly string[]) => (await data('command', ...args)).result;
  expect(await result('role-template.read', 'id=class teacher')).toMatchObject({ id: template.id });
  expect(await result('product.update', 'id=Gradebook', 'description=marks')).toMatchObject({
    id: product.id,
  });
  expect(await result('service.read', 'id=Hosting')).toMatchObject({ id: service.id });
  for (const [type, of] of [
    ['product', product],
    ['service', service],
  ] as const) {
    const named = [`enterprise=Fabrikam`, `${type}=${of.name}`];
    expect(await result(`enterprise-${type}.create`, ...named)).toMatchObject({ enterprise, [type]: of.id });
    expect((await result(`enterprise-${type}.list`, `${type}=${of.name}`)).items).toHaveLength(1);
  }
  const role = await result('role.create', 'name=Form', 'scope=tenant', 'customTemplateId=Class teacher');
  expect(role).toMatchObject({ customTemplateId: template.id });
  expect(await result('role-template.apply', 'id=Class teacher', 'role=Teacher')).toMatchObject({
    ...{ id: template.id, role: id('teacher') },
  });
  const onboarded = [
    'onboard',
    'Eastside',
    '--email',
    'eve@east.example',
    '--template',
    'lead=Class teacher',
  ];
  expect(await data(...onboarded)).toMatchObject({ roles: [{ name: 'lead' }] });
  expect((await errorOf('command', 'product.read', 'id=Gradebok')).code).toBe('name_unknown');
});

describe('the scope of a route', () => {
  const permission = ['--permission', 'grades', '--api', 'school'];
  const scopes = async () =>
    ((await world.run('route.list', { api: 'school' })).items as { path: string; scope: string }[]).map(
      ({ path, scope }) => [path, scope],
    );

  test('is named where it is always the same, in an argument, a command and a document', async () => {
    expect((await run('route', 'add', 'GET', '/a', ...permission, '--scope', 'North School')).code).toBe(0);
    const input = ['api=school', 'method=GET', 'path=/b', 'permission=grades'];
    expect((await run('command', 'route.create', ...input, 'scope=NYC001')).code).toBe(0);
    expect(
      (await run('command', 'route.create', ...input.with(2, 'path=/c/{s}'), 'scope=location:{s}')).code,
    ).toBe(0);
    const document = fileOf(`openapi: 3.1.0
x-gatehouse: { permission: grades, scope: 'Southwind/Harbour' }
paths:
  /d: { get: {} }
  /e: { get: {} }
`);
    expect((await run('route', 'import', document, '--api', 'school')).code).toBe(0);
    expect((await scopes()).sort()).toEqual([
      ['/a', ref.north],
      ['/b', ref.north],
      ['/c/{s}', 'location:{s}'],
      ['/d', ref.other],
      ['/e', ref.other],
    ]);
  });

  test('is an error where nothing has the name, with its place in a document', async () => {
    const args = ['route', 'add', 'GET', '/x', ...permission, '--scope', 'Nowhere'];
    expect(await errorOf(...args)).toMatchObject({ code: 'name_unknown' });
    const document = fileOf(
      'openapi: 3.1.0\npaths:\n  /x: { get: { x-gatehouse: { permission: grades, scope: Nowhere } } }\n',
    );
    const { code, error } = await run('route', 'import', document, '--api', 'school');
    expect({ code, error: error.replace(document, 'FILE') }).toMatchObject({
      ...{ code: 2, error: expect.stringMatching(/^FILE:3:\d+: .*scope Nowhere: no scope has this name/) },
    });
  });
});

test('every field of a command that takes an id or a reference of what has a name is looked up', () => {
  const OTHERS = new Set(['sessionId']);
  const left = describeCommands().flatMap((command) =>
    fieldsOf(command)
      .filter((field) => {
        const { description = '', anyOf, items } = field.property;
        const texts = [description, ...(anyOf ?? []).map((each) => each.description), items?.description];
        const takes = texts.some((text) => /^(?:id \(|id of a user|reference such as)/.test(text ?? ''));
        return takes && !OTHERS.has(field.name) && !namedBy(command.name, field, {});
      })
      .filter(({ name }) => name !== 'id')
      .map(({ name }) => `${command.name} ${name}`),
  );
  expect(left).toEqual([]);
});

test('through the provisioning function', async () => {
  const url = await serveFunction((event) => world.provision(event));
  const { code, out } = await gatehouse([
    ...['command', 'membership.list', 'user=tina', '--json'],
    ...['--function', 'provisioning', '--lambda-endpoint', url],
  ]);
  expect({ code, items: JSON.parse(out).result.items.length }).toEqual({ code: 0, items: 1 });
});

test('the log of what a user did, and of a tenant', async () => {
  const sent = ['command', 'client.update', 'id=Northwind', 'timezone=UTC', '--actor', ref.tina ?? ''];
  expect((await run(...sent)).code).toBe(0);
  await expect.poll(async () => (await data('log', '--user', 'tina')).items.length).toBe(1);
  expect((await data('log', '--tenant', 'Northwind')).log).toBe(`log of ${ref.northwind}`);
  expect((await data('log', '--tenant', 'Northwind', '--entity', 'Lighthouse')).items).toHaveLength(1);
});

test('revoking by a name', async () => {
  expect((await run('revoke-user', 'ben@school.example', '--yes')).out).toContain(
    `ben@school.example (${ref.ben}) is disabled`,
  );
  expect((await run('suspend-tenant', 'southwind', '--yes')).out).toContain(
    `Southwind (${ref.southwind}) is suspended`,
  );
});

test('an onboarding with a user and a role that exist', async () => {
  const { code, error } = await run(
    ...['onboard', 'Westwind', '--user', 'tina@school.example', '--admin-role', 'Teacher'],
  );
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect((await run('check', 'tina', 'grades', 'Westwind')).code).toBe(0);
  expect((await errorOf('onboard', 'Eastwind', '--user', 'tina', '--admin-role', 'Techer')).code).toBe(
    'name_unknown',
  );
});
