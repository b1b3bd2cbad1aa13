import { randomUUID } from 'node:crypto';
import type { Progress } from '../../provisioning/index.ts';
import type { Stage } from './transactions.ts';

/** A manifest that comes to many changes: users of one tenant, each with memberships, as a school has them. */
const GROUPS = 20;
const GROUPS_OF_EACH = 2;

const named = <T>(count: number, prefix: string, of: (number: number) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`${prefix}-${number}`, of(number)]));

/** The tenant and its groups. */
export const manifestOfPlaces = {
  scopes: { school: { type: 'tenant' } },
  groups: named(GROUPS, 'group', () => ({ scope: 'school' })),
};

/** The same with users: at least so many changes. */
export const manifestOfPeople = (changes: number) => ({
  ...manifestOfPlaces,
  users: named(Math.ceil(changes / (1 + GROUPS_OF_EACH)), 'user', (number) => ({
    email: `user-${number}@school.example`,
    groups: Array.from({ length: GROUPS_OF_EACH }, (_, n) => `group-${(number * 7 + n) % GROUPS}`),
  })),
});

/**
 * `tenant.apply` as `gatehouse apply` sends it, in this process.
 *
 * @returns how many changes it came to; its progress says that all are done
 */
export async function applyManifest(
  { provisioning }: Pick<Stage, 'provisioning'>,
  manifest: Readonly<Record<string, unknown>>,
): Promise<number> {
  let last: Progress = { done: 0, left: Number.POSITIVE_INFINITY };
  const answer = await provisioning(
    { command: 'tenant.apply', input: { manifest, agreed: [] }, operationId: randomUUID(), actor: 'bench' },
    {
      onStep: (progress) => {
        last = progress;
      },
    },
  );
  if (!answer.ok) throw new Error(`tenant.apply: ${answer.error.message}`);
  if (last.left !== 0 || last.done !== answer.result.create)
    throw new Error('tenant.apply: progress is missing');
  return last.done;
}
