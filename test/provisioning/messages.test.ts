import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { BUILT_IN_SUBJECTS } from '../../table/identifiers.ts';
import { createLightLedgerWorld, type Input, NOBODY } from './support.ts';

/** Errors name fields and entities as their callers do, in plain words. */
const world = await createLightLedgerWorld();
const refused = (command: string, input: Input) => world.refused(command, input);

describe('what a schema refuses is said of its field', () => {
  const expectRefused = async (command: string, input: Input, message: string) => {
    const [field] = message.split(/: | is not a field/);
    expect(await refused(command, input)).toEqual({ code: 'invalid', message, field, retryable: false });
  };

  test.each<[string, Input, string]>([
    ['tenant.create', {}, 'name: is required'],
    ['tool.create', {}, 'workstream: is required'],
    ['tenant.apply', {}, 'manifest: is required'],
    ['tenant.create', { name: 7 }, 'name: must be text'],
    ['module.create', { name: 'm', soldBySubscription: 'yes' }, 'soldBySubscription: must be true or false'],
    ['grant.update', { id: NOBODY, roles: 'r' }, 'roles: must be a list'],
    ['user.list', { limit: '7' }, 'limit: must be a number'],
    ['user.list', { limit: 1.5 }, 'limit: must be a whole number'],
    ['user.list', { limit: 1_001 }, 'limit: must be at most 1000'],
    ['user.list', { limit: 0 }, 'limit: must be at least 1'],
    ['tenant.create', { name: '' }, 'name: is empty'],
    ['tenant.create', { name: 'x'.repeat(129) }, 'name: must have at most 128 characters'],
    ['transaction.write', { commands: [] }, 'commands: is empty'],
    ['grant.update', { id: NOBODY, roles: Array(21).fill('r') }, 'roles: must have at most 20 entries'],
    ['tenant.create', { name: 'A', status: 'asleep' }, 'status: must be one of active, suspended'],
    ['client.create', { name: 'A', logoUrl: 'nowhere' }, 'logoUrl: is not a valid URL'],
    ['zone.create', { parent: `building:${NOBODY}`, name: 'A', geoJson: [] }, 'geoJson: must be a map'],
  ])('%s %j: %s', expectRefused);

  test.each<[string, Input, string, string]>([
    ['user.create', { colour: 'red' }, 'colour', ''],
    ['user.create', { emial: 'ann@example.com' }, 'emial', ': did you mean email?'],
    ['assignment.create', { subject: 'a', role: 'r', scope: 'tenant:t' }, 'subject', ': did you mean user?'],
    ['location.create', { name: 'A', scope: 'tenant:t' }, 'scope', ': did you mean parent?'],
    ['tenant.read', { tenant: NOBODY }, 'tenant', ': did you mean id?'],
    // One that is long, and one that would change a terminal.
    ['user.create', { ['x'.repeat(10_000)]: 1 }, `${'x'.repeat(59)}…`, ''],
    ['user.create', { '\u001b[2J': 1 }, '?[2J', ''],
  ])('%s %#: %s is not a field', (command, input, field, hint) =>
    expectRefused(command, input, `${field} is not a field of this command${hint}`),
  );
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
  test.each(['page', 'reports:read:all', 'reports:*:*'])(
    'with %s is blamed on the permission',
    async (permission) => {
      const { id: role } = await world.run('role.create', { name: `role of ${permission}`, scope: 'global' });
      if (permission === 'page') await world.run('page.create', { name: permission });
      if (permission === 'reports:read:all') await world.run('permission.create', { name: permission });
      const effect = { role, permission, effect: 'ALLOW' };
      await world.run('role-permission.create', effect);
      const said = (code: string, what: string) => ({
        code,
        field: 'permission',
        message: `this role permission ${what}`,
      });
      const doubled = said('conflict', 'exists already');
      expect(await refused('role-permission.create', effect)).toMatchObject(doubled);
      const name = { role, permission };
      await world.run('role-permission.delete', name);
      const missing = said('not_found', 'does not exist');
      expect(await refused('role-permission.delete', name)).toMatchObject(missing);
      expect(await refused('role-permission.read', name)).toMatchObject(missing);
    },
  );
});
