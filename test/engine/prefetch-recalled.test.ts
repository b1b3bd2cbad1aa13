import { beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { parseRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/**
 * Where a scope stood when it was last read tells what to read, however long ago that was, and nothing else: a nested
 * check whose scope is cached too old is one call, and its answer is of the table as it is. On a real DynamoDB engine.
 */
let engine: Engine;
const role = 'porter';
const [client, here, there] = ['client:client', 'project:here', 'project:there'];
const make = async (command: string, input: Record<string, unknown>) => (await world.run(command, input)).id;
const idOf = (ref: string) => ref.slice(ref.indexOf(':') + 1);

const world = await createWorld(`
pages: [doors, lights]
roles: { porter: { id: porter, global: true, allow: [doors] } }
scopes:
  Client: { id: client, type: client }
  Here: { id: here, type: project, parent: Client }
  There: { id: there, type: project, parent: Client }
`);
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
});

const newProject = async () => `project:${await make('project.create', { parent: client, name: 'P' })}`;
const newBuilding = async (parent = here) =>
  `building:${await make('building.create', { parent, name: 'B' })}`;
async function porterAt(scope: string): Promise<string> {
  const user = await make('user.create', {});
  await world.run('assignment.create', { user, role, scope });
  return `user:${user}`;
}
const move = (scope: string, parent: string) => world.run('scope.move', { scope, parent });

/** Keys of each call since the previous call of this function. */
const cost = () => world.calls.splice(0).map(({ keys }) => keys);
const check = (subject: string, scope: string, consistency?: 'strong' | { atLeast: string }) =>
  engine.check(subject, 'doors', scope, { consistency });
/** Checks once to fill the cache, then lets the time-to-live pass. */
async function askedLongAgo(subject: string, scope: string) {
  const answer = await check(subject, scope);
  world.settle();
  cost();
  return answer;
}

describe('when all cached items are too old', () => {
  test('batches and effective roles are one call each', async () => {
    const porter = await porterAt(client);
    const buildings = await Promise.all([newBuilding(), newBuilding(), newBuilding(there)]);
    world.settle();
    for (const building of buildings) await askedLongAgo(porter, building);
    const requests = buildings.map((scope) => ({ subject: porter, permission: 'doors', scope }));
    const { decisions } = await engine.checkMany(requests);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true]);
    expect(cost()).toEqual([10]);
    world.settle();
    expect(await engine.effectiveRoles(porter, buildings[0] as string)).toEqual({
      tenant: client,
      roles: [role],
    });
    expect(cost()).toEqual([5]);
  });

  test('a check is one call for another subject and another permission as well', async () => {
    const [porter, building] = [await porterAt(here), await newBuilding()];
    world.settle();
    await askedLongAgo(porter, building);
    const other = await porterAt(there);
    world.settle();
    cost();
    expect(await engine.check(other, 'lights', building)).toMatchObject({ reason: 'no_grant' });
    expect(cost()).toEqual([7]);
  });
});

describe('changes since then are seen', () => {
  test.each([
    ['away from where the subject counts', () => [here, there] as const, true],
    ['to where the subject counts', () => [there, here] as const, false],
  ])('a scope that was moved %s is decided by its new place, in two calls', async (_, moveOf, allowed) => {
    const [from, to] = moveOf();
    const [porter, building] = [await porterAt(here), await newBuilding(from)];
    world.settle();
    expect(await askedLongAgo(porter, building)).toMatchObject({ allowed });
    await move(building, to);
    world.settle();
    cost();
    expect(await check(porter, building)).toMatchObject({ allowed: !allowed });
    expect(cost()).toEqual([7, 1]);
    expect(await check(porter, building)).toMatchObject({ allowed: !allowed });
    expect(cost()).toEqual([]);
  });

  test('so is one that was moved just now, for which all is read together', async () => {
    const [porter, building] = [await porterAt(here), await newBuilding()];
    world.settle();
    expect(await askedLongAgo(porter, building)).toMatchObject({ allowed: true });
    await move(building, there);
    cost();
    expect(await check(porter, building)).toMatchObject({ reason: 'no_grant' });
    expect(cost()).toEqual([7, 7]);
  });

  test('a scope that was deleted is unknown, in one call', async () => {
    const [porter, building] = [await porterAt(here), await newBuilding()];
    world.settle();
    expect(await askedLongAgo(porter, building)).toMatchObject({ allowed: true });
    await world.run('building.delete', { id: idOf(building) });
    cost();
    expect(await check(porter, building)).toEqual({ allowed: false, reason: 'scope_unknown' });
    expect(cost()).toEqual([7]);
  });

  test.each(['cached', 'strong'] as const)('what was closed above it closes it: %s', async (consistency) => {
    const project = await newProject();
    const [porter, building] = [await porterAt(project), await newBuilding(project)];
    world.settle();
    expect(await askedLongAgo(porter, building)).toMatchObject({ allowed: true });
    await world.run('project.update', { id: idOf(project), status: 'on-hold' });
    world.settle();
    cost();
    expect(await engine.check(porter, 'doors', building, { consistency })).toMatchObject({
      reason: 'scope_inactive',
    });
    expect(world.calls.splice(0)).toHaveLength(1);
  });
});

describe('a check that needs newer items than those cached', () => {
  const write = async (command: string, input: Record<string, unknown>): Promise<string> => {
    const answer = await world.provision({ command, input });
    if (!answer.ok) throw new Error(answer.error.message);
    cost();
    return String(answer.token);
  };

  test('is one call for an unchanged path, and one more for recent writes', async () => {
    const [porter, building] = [await porterAt(here), await newBuilding()];
    world.settle();
    expect(await check(porter, building)).toMatchObject({ allowed: true });
    const user = idOf(porter);
    const atLeast = await write('assignment.delete', { user, role, scope: here });
    expect(await check(porter, building, { atLeast })).toMatchObject({ reason: 'no_grant' });
    expect(cost()).toEqual([7, 7]);
  });
});

describe('a useless prefetch changes no decision', () => {
  test.each(['cached', 'strong'] as const)('when what it names is damaged: %s', async (consistency) => {
    const project = await newProject();
    const [porter, building] = [await porterAt(there), await newBuilding(project)];
    world.settle();
    expect(await askedLongAgo(porter, building)).toMatchObject({ reason: 'no_grant' });
    await move(building, there);
    const key = decisionKey(parseRef(project, 'scope'));
    await world.writer.send([{ kind: 'update', key, set: { 'lock|until': '2027', writeId: 'damage' } }]);
    world.settle();
    const ask = () => engine.check(porter, 'doors', building, { consistency });
    expect(await ask()).toMatchObject({ allowed: true });
    await move(building, project);
    world.settle();
    await expect(ask()).rejects.toMatchObject({ code: 'damaged_item' });
  });
});
