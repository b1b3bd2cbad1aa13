import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { decodeExternalGroups } from '../../../table/decision/decode-external-groups.ts';
import { externalGroupsKey, isSameKey, nodeKey } from '../../../table/keys.ts';
import { findingsOn } from '../findings.ts';
import { roundTrip } from './round-trip.ts';
import { applyOn, createMemoryWorld, planOn, worldOf } from './support.ts';

/** What groups of identity providers are, in manifests. */
const manifest = (externalGroups: string) => `
pages: [home]
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme, code: N }
  other: { id: other, type: tenant }
roles: { reader: { id: reader, owner: acme, allowOnly: true, allow: [home] } }
groups:
  finance: { id: finance, scope: north, roles: [reader], allowOnly: true }
  audit: { id: audit, scope: acme, roles: [reader], allowOnly: true }
  plain: { id: plain, scope: acme }
  foreign: { id: foreign, scope: other, allowOnly: true }
externalGroups: ${externalGroups}`;
const ISSUER = 'https://login.example';
const entry = (externalId: string, group: string, more = '') =>
  `{ scope: acme, issuer: "${ISSUER}", externalId: "${externalId}", group: ${group}${more} }`;
const FULL = `[${entry('fin|eu', 'finance', ', description: from Entra')}, ${entry('Auditors', 'audit')}]`;

const named = (externalId: string) => ({ scope: 'tenant:acme', issuer: ISSUER, externalId });

const shown = ({ steps }: Pick<Awaited<ReturnType<typeof planOn>>, 'steps'>) =>
  steps.map(({ phase, verb, label }) => `${phase}: ${verb} ${label}`);

describe('groups of an identity provider in a manifest', () => {
  test('are applied, have nothing to do then, and are exported as they are', async () => {
    const { exported } = await roundTrip(manifest(FULL));
    const all = exported.externalGroups as readonly object[];
    expect(all.map((each) => ({ ...each, id: undefined }))).toEqual(parse(manifest(FULL)).externalGroups);
  });

  test('come after the mark of a group that is there', async () => {
    const world = createMemoryWorld();
    const unmarked = manifest('[]').replaceAll(', allowOnly: true', '');
    await applyOn(world, unmarked);
    await applyOn(world, manifest(FULL));
    expect((await planOn(world, manifest(FULL))).steps).toEqual([]);
  });

  test('stand in one item for each root and issuer, which a decision reads', async () => {
    const world = await worldOf(manifest(FULL));
    const key = externalGroupsKey({ type: 'tenant', id: 'acme' }, ISSUER);
    const items = world.items().filter((item) => isSameKey(item, key));
    expect(items.map(decodeExternalGroups)).toEqual([
      new Map([
        ['fin|eu', { group: 'finance', scope: 'location:north' }],
        ['Auditors', { group: 'audit', scope: 'tenant:acme' }],
      ]),
    ]);
  });

  test('take away first what they give another group later', async () => {
    const world = await worldOf(manifest(FULL));
    const after = manifest(`[${entry('fin|eu', 'audit')}]`);
    expect(shown(await planOn(world, after)).toSorted()).toEqual([
      `close: remove ${ISSUER} Auditors audit at acme`,
      `close: remove ${ISSUER} fin|eu finance at acme`,
      `open: create ${ISSUER} fin|eu audit at acme`,
    ]);
    await applyOn(world, after);
    expect((await planOn(world, after)).steps).toEqual([]);
  });

  test('concern people whom nobody knows: a comparison says that it is not all', async () => {
    const world = await worldOf(manifest(FULL));
    const input = { scope: 'tenant:acme', issuer: ISSUER, externalId: 'more', group: 'audit' };
    for (const [command, given, isAll] of [
      ['external-group.create', input, false],
      ['role-permission.delete', { role: 'reader', permission: 'home' }, false],
      ['group-role.delete', { group: 'finance', role: 'reader' }, false],
      ['group.update', { id: 'plain', name: 'plainer' }, true],
    ] as const) {
      const { incomplete } = await world.run('access.compare', { commands: [{ command, input: given }] });
      expect(incomplete).toBe(isAll ? undefined : 'who shows a token that names such a group is not known');
    }
  });

  test('keep their group: it cannot be deleted before them', async () => {
    const world = await worldOf(manifest(FULL));
    await expect(world.run('group.delete', { id: 'finance' })).rejects.toThrow('1 dependent');
    const { id } = await world.run('external-group.read', named('fin|eu'));
    await world.run('external-group.delete', { id });
    await world.run('group.delete', { id: 'finance' });
    await applyOn(world, manifest('[]').replace(/finance: .*/, ''));
  });

  test('are verified: a group that may deny by now is found', async () => {
    const world = await worldOf(manifest(FULL));
    world.settle();
    expect(await findingsOn(world)).toEqual([]);
    await world.writer.send([
      { kind: 'update', key: nodeKey({ type: 'group', id: 'finance' }), remove: ['allowOnly'] },
    ]);
    const found = await findingsOn(world);
    expect(found.filter((line) => line.startsWith('allow_only_broken'))).toEqual([
      expect.stringContaining('group: expected an allow-only group, as group:finance is not'),
    ]);
  });

  test.each([
    ['a group that may deny', entry('x', 'plain'), 'not allow-only'],
    ['a group of another tenant', entry('x', 'foreign'), 'tenant:other'],
    ['one external group twice', `${entry('x', 'finance')}, ${entry('x', 'audit')}`, 'is that of'],
    ['what no key can hold', entry('a#b', 'finance'), '#'],
  ])('refuse %s', async (_, entries, message) => {
    const world = createMemoryWorld();
    await expect(applyOn(world, manifest(`[${entries}]`))).rejects.toThrow(message);
  });
});

test('a group that a connection has made may be left out, what people gave it may not', async () => {
  const world = await worldOf(manifest('[]'));
  await world.run('scim-connection.create', { id: 'a', scope: 'tenant:acme', name: 'A', issuer: ISSUER });
  const { group } = await world.run('scim-group.create', { connection: 'a', displayName: 'Staff' });
  expect(await planOn(world, manifest('[]'))).toMatchObject({ steps: [], kept: [] });
  await world.run('group-role.create', { group, role: 'reader' });
  const named = manifest('[]').replace(
    'groups:',
    '$&\n  Staff: { scope: acme, roles: [reader], allowOnly: true }',
  );
  expect(shown(await planOn(world, named))).toEqual([]);
  expect((await planOn(world, manifest('[]'), false)).kept).toMatchObject([{ label: 'Staff > reader' }]);
  expect(shown({ steps: await applyOn(world, manifest('[]')) })).toEqual(['close: remove Staff > reader']);
  expect(await planOn(world, manifest('[]'))).toMatchObject({ steps: [], kept: [] });
  const { user: cleo } = await world.run('scim-user.create', { connection: 'a', userName: 'cleo' });
  const withUsers = `${manifest('[]')}\nusers: { ben: { id: ben }, cleo: { id: "${cleo}" } }`;
  await applyOn(world, withUsers);
  await world.run('scim-group.members', { connection: 'a', group, add: [cleo] });
  await world.run('membership.create', { user: 'ben', group });
  expect((await planOn(world, withUsers, false)).kept).toMatchObject([{ label: 'ben > Staff' }]);
  expect(shown({ steps: await applyOn(world, withUsers) })).toEqual(['close: remove ben > Staff']);
  expect((await world.run('membership.list', { group })).items).toMatchObject([{ user: cleo }]);
  const withRobots = `${manifest('[]')}\ntechnicalUsers: { ci: { id: ci, account: bank } }`.replace(
    'scopes:',
    '$&\n  bank: { id: bank, type: account }',
  );
  await applyOn(world, withRobots);
  await world.run('membership.create', { user: 'technical-user:ci', group });
  expect((await planOn(world, withRobots, false)).kept).toMatchObject([{ label: 'ci > Staff' }]);
  // One of the table alone goes as well.
  const account = `account:${(await world.run('account.create', { name: 'Elsewhere' })).id}`;
  const { id } = await world.run('technical-user.create', { account, name: 'old' });
  await world.run('membership.create', { user: `technical-user:${id}`, group });
  expect(shown(await planOn(world, withRobots))).toContain(`close: remove technical-user:${id} > Staff`);
  expect((await world.run('membership.list', { group, withoutUsers: true })).items).toHaveLength(2);
});
