import { ulid } from 'ulid';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAccessBound, createExplainer, type Engine, formatExplanation } from '../../engine/index.ts';
import { accessDifference } from '../../provisioning/access-difference/access-difference.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { decisionKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/** The group of everyone: the roles of a scope for every active subject, without a membership. */
let engine: Engine;
const [ACME, BETA, OFFICE] = ['tenant:acme', 'tenant:beta', 'location:office'];
const [ANN, DEVICE] = ['user:ann', 'device:office'];

const MANIFEST = `
pages: [lobby, vault]
subjectTypes: [device]
scopes:
  acme: { id: acme, type: tenant }
  beta: { id: beta, type: tenant }
  office: { id: office, type: location, parent: acme }
  robots: { id: robots, type: account }
roles:
  visitor: { id: visitor, owner: acme, allow: [lobby] }
  guest: { id: guest, owner: beta, allow: [vault] }
groups: { All: { id: all, scope: acme, everyone: true, roles: [visitor] } }
users: { ann: { id: ann }, gone: { id: gone, status: disabled } }
technicalUsers: { robot: { id: robot, account: robots } }
subjects: { machine: { id: office, type: device } }
`;
const world = await createWorld(MANIFEST);
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
});

describe('searches', () => {
  test('an access bound holds what everyone has', async () => {
    const accessBound = createAccessBound({ reader: world.reader, engine, most: 10, now: world.clock.now });
    const question = { types: new Set(['tenant', 'location']), withPermissions: true, at: world.clock.now() };
    const bound = await accessBound(DEVICE, question);
    expect([...(bound?.scopes ?? [])].sort()).toEqual([OFFICE, ACME].sort());
    expect(bound?.permissions).toEqual(['lobby']);
  });
});

test('an explanation says that it is as everyone', async () => {
  const explanation = await createExplainer(world).explain(ANN, 'lobby', OFFICE);
  expect(explanation.allowedBy.items[0]?.from).toEqual({
    kind: 'group',
    group: { ref: 'group:all', name: 'All' },
    scope: { ref: ACME, name: 'acme' },
    everyone: true,
  });
  expect(formatExplanation(explanation)).toContain(
    'everyone at acme (tenant:acme), by group All (group:all)',
  );
});

describe('provisioning', () => {
  const refusal = async (command: string, input: Record<string, unknown>) => {
    const { code, field } = await world.refused(command, input);
    return `${code} ${field}`;
  };

  test('a scope has one such group, and it has no memberships', async () => {
    const second = { id: 'others', name: 'Others', scope: ACME, everyone: true };
    expect(await refusal('group.create', second)).toBe('conflict everyone');
    expect(await refusal('membership.create', { user: 'ann', group: 'all' })).toBe('invalid group');
    const two = ['one', 'two'].map((id) => ({
      command: 'group.create',
      input: { id, name: id, scope: BETA, everyone: true },
    }));
    expect(await refusal('transaction.write', { commands: two })).toBe('conflict commands.1.everyone');
  });

  test('when the group goes, so does all that everyone had, and another may take its place', async () => {
    const { run } = world;
    await run('group.create', { id: 'guests', name: 'Guests', scope: BETA, everyone: true });
    await run('group-role.create', { group: 'guests', role: 'guest' });
    world.settle();
    const allowed = async () => (await world.newEngine().check(ANN, 'vault', BETA)).allowed;
    expect(await allowed()).toBe(true);
    await run('group.delete', { id: 'guests' });
    world.settle();
    expect(await allowed()).toBe(false);
    await run('group.create', { id: 'public', name: 'Public', scope: BETA, everyone: true });
    await run('group.delete', { id: 'public' });
  });

  test('who loses what when it goes: everybody', async () => {
    const change = { command: 'group.delete', input: { id: 'all' } };
    const { loses, incomplete } = await accessDifference([change], {
      reader: world.reader,
      commands: COMMANDS,
      at: world.clock.now(),
    });
    expect(incomplete).toBeUndefined();
    expect(loses).toMatchObject({
      people: 3,
      rows: [{ scope: ACME, permissions: ['lobby'], scopesBelow: 1 }],
    });
  });

  test('who gains what with a new subject: what everyone has', async () => {
    const change = { command: 'subject.create', input: { type: 'device', id: 'new' } };
    const { gains } = await accessDifference([change], {
      reader: world.reader,
      commands: COMMANDS,
      at: world.clock.now(),
    });
    expect(gains.rows).toMatchObject([{ scope: ACME, subjects: ['device:new'], permissions: ['lobby'] }]);
  });

  test.each([
    ['missing', undefined, 'decision_less', 'either'],
    ['that of another group', 'group-of-nobody', 'decision_more', 'opens'],
  ] as const)(
    'a mark in the decision item that is %s is found and repaired',
    async (_, everyone, code, effect) => {
      const { reader, writer, clock } = world;
      const key = decisionKey({ type: 'tenant', id: 'acme' });
      const change = everyone === undefined ? { remove: ['everyone'] } : { set: { everyone } };
      await writer.send([{ kind: 'update', key, ...change }]);
      const options = { reader, clock, graceMs: 0 };
      const { open } = await verify(options);
      expect(open).toContainEqual(expect.objectContaining({ code, effect }));
      await verify({ ...options, repair: { writer, newId: () => ulid() } });
      expect(await reader.get(key)).toMatchObject({ everyone: 'all' });
      expect((await verify(options)).open).toEqual([]);
    },
  );
});
