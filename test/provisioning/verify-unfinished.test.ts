import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { afterWrites } from '../support/watched-writer.ts';
import { createMemoryWorld, type MemoryWorld } from './apply/support.ts';
import { findingsOn } from './findings.ts';
import type { Input } from './support.ts';

/** What `verify` says of commands in steps that were interrupted after the first one. */
const HOUR = 3_600_000;
/** Too many for one transaction. */
const ZONES = Array.from({ length: 40 }, (_, n) => `zone ${n}: { type: zone, parent: house }`);
const MANIFEST = `
scopes:
  client: { id: client, type: client }
  old: { id: old, type: project, parent: client }
  new: { id: new, type: project, parent: client }
  house: { id: house, type: building, parent: old }
  ${ZONES.join('\n  ')}
`;
const HOUSE = { scope: 'building:house' };
const [OUT, BACK] = [
  { ...HOUSE, parent: 'project:new' },
  { ...HOUSE, parent: 'project:old' },
];

/** Sends a command that stops after its next step; returns whether it was the last one. */
async function interrupt(world: MemoryWorld, command: string, input: Input): Promise<boolean> {
  const provision = createProvisioning({
    ...world,
    newId: () => ulid(),
    budgetMs: 1,
    writer: afterWrites(world.writer, () => world.clock.advance(1)),
  });
  const answer = await provision({ command, input });
  if (!answer.ok) expect(answer.error.code).toBe('unfinished');
  return answer.ok;
}

const MOVING = 'movingTo: expected none: send scope.move to project:new again, or move it back';
const DELETING = 'deletingSince: expected none: send the deletion again';

test.each<[string, string, Input, said: string, end: Input, isPlaceGone: boolean]>([
  ['a move is found after an hour, until it is sent again', 'scope.move', OUT, MOVING, OUT, false],
  ['one whose new place was deleted, until it is moved back', 'scope.move', OUT, MOVING, BACK, true],
  ['a deletion, until it is sent again', 'scope.delete-tree', HOUSE, DELETING, HOUSE, false],
])('%s', async (_, command, input, said, end, isPlaceGone) => {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  expect(await interrupt(world, command, input)).toBe(false);
  if (isPlaceGone) await world.run('scope.delete-tree', { scope: 'project:new' });
  expect(await findingsOn(world)).toEqual([]);
  world.clock.advance(HOUR);
  expect(await findingsOn(world)).toEqual([`unfinished BUILDING#house / META ${said}`]);
  await world.run(command, end);
  expect(await findingsOn(world)).toEqual([]);
});

test('of a user with groups at many scopes, apart, nothing is found while it is deleted', async () => {
  const world = createMemoryWorld();
  const many = (entry: (n: number) => string) => Array.from({ length: 160 }, (_, n) => entry(n)).join('\n  ');
  await world.apply(`
scopes:
  client: { id: client, type: client }
  ${many((n) => `project ${n}: { type: project, parent: client }`)}
groups:
  ${many((n) => `group ${n}: { scope: project ${n} }`)}
users:
  ann:
    id: ann
    tenant: client
    groups:
      - ${many((n) => `    - group ${n}`).slice('    - '.length)}
`);
  const thresholds = { groupsOfSubject: 0, groupsOfScope: 1_000, rolesOfRoot: 1_000 };
  await migrate({ ...world, newId: ulid, thresholds });
  let steps = 0;
  for (let isDone = false; !isDone; steps++) {
    isDone = await interrupt(world, 'user.delete', { id: 'ann' });
    expect(await findingsOn(world)).toEqual([]);
  }
  expect(steps).toBeGreaterThan(2);
});
