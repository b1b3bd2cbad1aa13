import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { BUILT_IN_SUBJECTS } from '../../table/identifiers.ts';
import { createKinds, type Kind, pick } from './kinds.ts';
import { createLightLedgerWorld, type Input, NOBODY } from './support.ts';

/** Errors name fields and entities as their callers do, in plain words. */
const world = await createLightLedgerWorld();
const kinds: Readonly<Record<string, Kind>> = createKinds(world);
const refused = (command: string, input: Input) => world.refused(command, input);

describe('what a schema refuses', () => {
  const unknown = 'x'.repeat(10_000);
  test.each<[string, string, Input, string, string]>([
    ['a text is missing', 'tenant.create', {}, 'name', 'is required'],
    ['a choice is missing', 'tool.create', {}, 'workstream', 'is required'],
    ['a map is missing', 'tenant.apply', {}, 'manifest', 'is required'],
    ['a text is a number', 'tenant.create', { name: 7 }, 'name', 'must be text'],
    [
      'a flag is a text',
      'module.create',
      { name: 'm', soldBySubscription: 'yes' },
      'soldBySubscription',
      'must be true or false',
    ],
    ['a list is a text', 'grant.update', { id: NOBODY, roles: 'r' }, 'roles', 'must be a list'],
    ['a number is a text', 'user.list', { limit: '7' }, 'limit', 'must be a number'],
    ['a number is broken', 'user.list', { limit: 1.5 }, 'limit', 'must be a whole number'],
    ['a number is too large', 'user.list', { limit: 1_001 }, 'limit', 'must be at most 1000'],
    ['a number is too small', 'user.list', { limit: 0 }, 'limit', 'must be at least 1'],
    ['a text is empty', 'tenant.create', { name: '' }, 'name', 'is empty'],
    [
      'a text is too long',
      'tenant.create',
      { name: 'x'.repeat(129) },
      'name',
      'must have at most 128 characters',
    ],
    ['a list is empty', 'transaction.write', { commands: [] }, 'commands', 'is empty'],
    [
      'a list is too long',
      'grant.update',
      { id: NOBODY, roles: Array(21).fill(NOBODY) },
      'roles',
      'must have at most 20 entries',
    ],
    [
      'a choice is none',
      'tenant.create',
      { name: 'A', status: 'asleep' },
      'status',
      'must be one of active, suspended',
    ],
    [
      'an address is none',
      'client.create',
      { name: 'A', logoUrl: 'nowhere' },
      'logoUrl',
      'is not a valid URL',
    ],
    [
      'a map is a list',
      'zone.create',
      { parent: `building:${NOBODY}`, name: 'A', geoJson: [] },
      'geoJson',
      'must be a map',
    ],
  ])('%s', async (_, command, input, field, said) => {
    const message = `${field}: ${said}`;
    expect(await refused(command, input)).toEqual({ code: 'invalid', message, field, retryable: false });
  });

  test.each<[string, string, Input, string, string]>([
    ['a field is unknown', 'user.create', { colour: 'red' }, 'colour', ''],
    [
      'an unknown field is spelled like another',
      'user.create',
      { emial: 'ann@example.com' },
      'emial',
      ': did you mean email?',
    ],
    [
      'an unknown field is another word for one',
      'assignment.create',
      { subject: 'ann', role: NOBODY, scope: `tenant:${NOBODY}` },
      'subject',
      ': did you mean user?',
    ],
    [
      'a field of what is created stands for its place',
      'location.create',
      { name: 'A', scope: `tenant:${NOBODY}` },
      'scope',
      ': did you mean parent?',
    ],
    ['what is read is named by its kind', 'tenant.read', { tenant: NOBODY }, 'tenant', ': did you mean id?'],
    ['an unknown field is long', 'user.create', { [unknown]: 1 }, `${'x'.repeat(59)}…`, ''],
    ['an unknown field would change a terminal', 'user.create', { '\u001b[2J': 1 }, '?[2J', ''],
  ])('%s', async (_, command, input, field, hint) => {
    const message = `${field} is not a field of this command${hint}`;
    expect(await refused(command, input)).toEqual({ code: 'invalid', message, field, retryable: false });
  });
});

describe('a command for added types says which command a type of the table has', () => {
  const OF_KIND: readonly (readonly [kind: string, field: string, types: readonly string[]])[] = [
    ['scope', 'scope', Object.keys(SCOPE_TYPES)],
    ['subject', 'user', BUILT_IN_SUBJECTS],
  ];
  const cases = OF_KIND.flatMap(([kind, field, types]) =>
    types.flatMap((type) =>
      ['create', 'read', 'update', 'delete', 'list'].map((verb) => [`${kind}.${verb}`, type, field] as const),
    ),
  );
  test.each(cases)('%s of %s', async (command, type, named) => {
    const verb = command.split('.')[1] ?? '';
    expect(COMMANDS.has(`${type}.${verb}`)).toBe(true);
    const [field, input] =
      verb === 'create' || verb === 'list' ? ['type', { type }] : [named, { [named]: `${type}:acme` }];
    const message = `${field}: ${type} has commands of its own: use ${type}.${verb}`;
    expect(await refused(command, input)).toEqual({ code: 'invalid', message, field, retryable: false });
  });

  test('under former names of fields too', async () => {
    expect((await refused('scope.read', { type: 'tenant', id: 'acme' })).message).toMatch(
      /use tenant\.read$/,
    );
  });

  test('and of another type only that nobody added it', async () => {
    expect((await refused('scope.read', { scope: 'group:a' })).message).toBe(
      'scope: group is no type that was added',
    );
    expect((await refused('subject.create', { type: 'a b' })).message).toBe(
      'type: is no type that was added',
    );
  });
});

test('a list with one selection says what to give', async () => {
  expect((await refused('scope.list', {})).message).toBe('type: give type');
});

describe('an edge', () => {
  const EDGES = [
    ...['membership', 'group-role', 'role-permission', 'assignment', 'global-role', 'admin', 'grant'],
    ...['setting', 'workstream-member', 'enterprise-product', 'enterprise-service'],
  ];
  test.each(EDGES)('%s that is there already, or is not there, is named in words', async (type) => {
    const kind = kinds[type];
    const { id: _, ...input } = (await kind?.create()) ?? {};
    await world.run(`${type}.create`, input);
    const doubled = await refused(`${type}.create`, input);
    expect(doubled.message).toMatch(/^this [a-z]+(?: [a-z]+)* exists already$/);
    const name = pick(input, kind?.named.at(-1));
    await world.run(`${type}.delete`, name);
    const missing = await refused(`${type}.delete`, name);
    expect(missing.message).toBe(doubled.message.replace('exists already', 'does not exist'));
    expect(missing.field).toBe(doubled.field);
  });

  test.each(['page', 'reports:read:all', 'reports:*:*'])(
    'with %s is blamed on the permission',
    async (permission) => {
      const { id: role } = await world.run('role.create', { name: `role of ${permission}`, scope: 'global' });
      if (permission === 'page') await world.run('page.create', { name: permission });
      if (permission === 'reports:read:all') await world.run('permission.create', { name: permission });
      const effect = { role, permission, effect: 'ALLOW' };
      await world.run('role-permission.create', effect);
      const doubled = {
        code: 'conflict',
        field: 'permission',
        message: 'this role permission exists already',
      };
      expect(await refused('role-permission.create', effect)).toMatchObject(doubled);
      const name = { role, permission };
      await world.run('role-permission.delete', name);
      const missing = {
        code: 'not_found',
        field: 'permission',
        message: 'this role permission does not exist',
      };
      expect(await refused('role-permission.delete', name)).toMatchObject(missing);
      expect(await refused('role-permission.read', name)).toMatchObject(missing);
    },
  );
});
