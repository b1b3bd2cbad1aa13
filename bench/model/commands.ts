import { answersIn } from '../../cli/bulk/write-rows.ts';
import type { Provisioning } from '../../provisioning/index.ts';
import type { World } from './world.ts';

interface Command {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The commands that make a world, in steps: each rests on those before it. */
function stepsOf({ places, pages, roles, groups, users }: World): readonly (readonly Command[])[] {
  const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);
  const placesOf = (type: string): readonly Command[] =>
    places
      .filter(({ ref }) => ref.startsWith(`${type}:`))
      .map(({ ref, parent }) => ({
        command: `${type}.create`,
        input: { id: idOf(ref), name: idOf(ref), ...(parent === undefined ? {} : { parent }) },
      }));
  return [
    pages.map((name) => ({ command: 'permission.create', input: { name } })),
    roles.map(({ id }) => ({ command: 'role.create', input: { id, name: id, scope: 'tenant' } })),
    roles.flatMap(({ id: role, pages: own }) =>
      own.map((permission) => ({
        command: 'role-permission.create',
        input: { role, permission, effect: 'ALLOW' },
      })),
    ),
    ...['client', 'project', 'building'].map(placesOf),
    groups.map(({ id, place }) => ({ command: 'group.create', input: { id, name: id, scope: place } })),
    groups.flatMap(({ id: group, roles: own }) =>
      own.map((role) => ({ command: 'group-role.create', input: { group, role } })),
    ),
    users.map(({ ref }) => ({
      command: 'user.create',
      input: { id: idOf(ref), email: `${idOf(ref)}@example.com`, displayName: idOf(ref) },
    })),
    users.flatMap(({ ref, groups: own }) =>
      own.map((group) => ({ command: 'membership.create', input: { user: idOf(ref), group } })),
    ),
  ];
}

/** Commands of one event: as many as `gatehouse load` sends, and as other servers take writes. */
const AT_ONCE = 100;

/**
 * Makes a world by the commands that a user would send, one event after the other.
 *
 * @throws Error for a command that was refused
 */
export async function provisionWorld(provisioning: Provisioning, world: World): Promise<void> {
  for (const step of stepsOf(world))
    for (let from = 0; from < step.length; from += AT_ONCE) {
      const batch = step.slice(from, from + AT_ONCE);
      for (const answer of answersIn(await provisioning({ batch }), batch.length))
        if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    }
}
