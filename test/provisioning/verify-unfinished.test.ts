import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createMemoryWorld, type MemoryWorld } from './apply/support.ts';
import { findingsOn } from './findings.ts';

/** What `verify` says of commands in steps that were interrupted after the first one. */
const HOUR = 3_600_000;
/** Too many for one transaction. */
const ZONES = 40;

async function createBuilding(world: MemoryWorld) {
  const create = async (type: string, name: string, parent?: string): Promise<string> =>
    `${type}:${(await world.run(`${type}.create`, { name, ...(parent && { parent }) })).id}`;
  const client = await create('client', 'Client');
  const [from, to] = [await create('project', 'Old', client), await create('project', 'New', client)];
  const building = await create('building', 'House', from);
  for (let n = 0; n < ZONES; n++) await create('zone', `Zone ${n}`, building);
  return { from, to, building, key: `BUILDING#${building.slice('building:'.length)} / META` };
}

/** Sends a command that stops after its first step. */
async function interrupt(world: MemoryWorld, command: string, input: Readonly<Record<string, unknown>>) {
  const provision = createProvisioning({
    ...world,
    newId: () => ulid(),
    budgetMs: 1,
    writer: {
      send: async (actions) => {
        await world.writer.send(actions);
        world.clock.advance(1);
      },
    },
  });
  const answer = await provision({ command, input });
  expect(answer).toMatchObject({ ok: false, error: { code: 'unfinished' } });
}

test('a move that was interrupted is found after an hour, until it is sent again', async () => {
  const world = createMemoryWorld();
  const { building, to, key } = await createBuilding(world);
  await interrupt(world, 'scope.move', { scope: building, parent: to });
  expect(await findingsOn(world)).toEqual([]);
  world.clock.advance(HOUR);
  expect(await findingsOn(world)).toEqual([
    `unfinished ${key} movingTo: expected none: send scope.move to ${to} again, or move it back`,
  ]);
  await world.run('scope.move', { scope: building, parent: to });
  expect(await findingsOn(world)).toEqual([]);
});

test('so is one whose new place was deleted, until it is moved back', async () => {
  const world = createMemoryWorld();
  const { building, from, to, key } = await createBuilding(world);
  await interrupt(world, 'scope.move', { scope: building, parent: to });
  await world.run('scope.delete-tree', { scope: to });
  world.clock.advance(HOUR);
  expect(await findingsOn(world)).toEqual([
    `unfinished ${key} movingTo: expected none: send scope.move to ${to} again, or move it back`,
  ]);
  await world.run('scope.move', { scope: building, parent: from });
  expect(await findingsOn(world)).toEqual([]);
});

test('a deletion that was interrupted is found after an hour, until it is sent again', async () => {
  const world = createMemoryWorld();
  const { building, key } = await createBuilding(world);
  await interrupt(world, 'scope.delete-tree', { scope: building });
  expect(await findingsOn(world)).toEqual([]);
  world.clock.advance(HOUR);
  expect(await findingsOn(world)).toEqual([
    `unfinished ${key} deletingSince: expected none: send the deletion again`,
  ]);
  await world.run('scope.delete-tree', { scope: building });
  expect(await findingsOn(world)).toEqual([]);
});
