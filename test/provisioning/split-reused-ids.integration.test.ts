import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { size } from '../support/tier.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf, createLightWorld, type World } from '../support/world.ts';
import { findingsOn } from './findings.ts';

/** Ids that are used again while migrations let groups stand apart, or bring them back (ADR 0003). */
const PAGE = 'dashboard';
const [ALLOWED, DENIED, NOTHING] = ['role', 'denied_by_role', 'no_grant'];
/** Which transactions something comes before: in the soak tier each of them. */
const EACH = size(5, 1);
const SCOPES_ONLY = { groupsOfSubject: 1_000, groupsOfScope: 1, rolesOfRoot: 1_000 };

const MANIFEST = `
pages: [dashboard]
scopes: { acme: { id: acme, type: client, combination: deny-overrides } }
roles:
  allows: { id: allows, owner: acme, allow: [dashboard] }
  denies: { id: denies, owner: acme, deny: [dashboard] }
`;
const [tenant, allows, denies] = ['client:acme', 'allows', 'denies'];

let world: World;
async function open(): Promise<void> {
  world = await createLightWorld();
  await world.apply(MANIFEST);
}

const migrating = (more: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ ...world, newId: ulid, thresholds: SCOPES_ONLY, width: 1, ...more });
async function decided(user: string, scope: string): Promise<string> {
  world.settle();
  return (await world.newEngine().check(`user:${user}`, PAGE, scope)).reason;
}
const findings = async () => {
  world.settle();
  return findingsOn(world);
};

async function createSite() {
  const scope = `project:${(await world.run('project.create', { name: ulid(), parent: tenant })).id}`;
  const groupAt = async (role: string | undefined, id: string = ulid()) => {
    await world.run('group.create', { id, scope, name: ulid() });
    if (role !== undefined) await world.run('group-role.create', { group: id, role });
    return id;
  };
  const [allowed, denied] = [await groupAt(allows), await groupAt(denies)];
  return { scope, groupAt, allowed, denied, empty: await groupAt(undefined) };
}

/** Carries something out before the transaction of this number; afterwards the migration goes on, or is killed. */
function interrupted(number: number, run: () => Promise<unknown>, isKilled: boolean) {
  let sent = 0;
  const writer: Writer = {
    send: async (actions: readonly Action[]) => {
      const own = ++sent;
      if (own === number) await run();
      const sending = world.writer.send(actions);
      if (own === number && isKilled) {
        await sending.catch(() => {});
        throw new Error('killed');
      }
      await sending;
    },
  };
  return { writer, sent: () => sent };
}

for (const isKilled of [false, true])
  for (const isOut of [true, false])
    test.each(['denies', 'nothing'] as const)(
      `a group that is made anew at another scope has there what it was given (way out: ${isOut}, killed: ${isKilled}): %s`,
      async (what) => {
        let last = Number.POSITIVE_INFINITY;
        for (let number = 1; number <= last; number += EACH) {
          await open();
          const run = world.run;
          const elsewhere = await createSite();
          await migrating();
          const site = await createSite();
          if (!isOut) await migrating();
          const before = await run('user.create', {});
          for (const group of [site.allowed, site.denied, site.empty])
            await run('membership.create', { user: before.id, group });
          const [own, inAllowed] = [await run('user.create', {}), await run('user.create', {})];
          await run('membership.create', { user: inAllowed.id, group: elsewhere.allowed });
          const moves = [site.allowed, site.denied, site.empty];
          const move = async () => {
            for (const group of moves) {
              await run('group.delete', { id: group });
              const role = { denies, nothing: undefined }[what];
              await elsewhere.groupAt(role, group);
              for (const { id } of [own, inAllowed]) await run('membership.create', { user: id, group });
            }
          };
          const check = async () => {
            const wanted = { denies: [DENIED, DENIED], nothing: [NOTHING, ALLOWED] };
            expect([
              await decided(own.id, elsewhere.scope),
              await decided(inAllowed.id, elsewhere.scope),
              await decided(own.id, site.scope),
              await decided(before.id, site.scope),
              await decided(before.id, elsewhere.scope),
              number,
            ]).toEqual([...wanted[what], NOTHING, NOTHING, NOTHING, number]);
          };
          const racing = interrupted(number, move, isKilled);
          await migrating({ writer: racing.writer, joins: !isOut }).catch((error: Error) =>
            expect(error.message).toBe('killed'),
          );
          if (racing.sent() < number) {
            last = number - 1;
            await move();
          }
          await check();
          if (!isKilled) expect(await findings()).toEqual([]);
          await migrating({ joins: !isOut });
          await check();
        }
        expect(last).toBeGreaterThan(3);
      },
    );

test('a group that goes while a migration that is killed brings its roles out leaves none behind', async () => {
  let last = Number.POSITIVE_INFINITY;
  for (let number = 1; number <= last; number += EACH) {
    await open();
    const elsewhere = await createSite();
    await migrating();
    const site = await createSite();
    // The groups have their mark from one that was killed before.
    const killed = interrupted(2, async () => {}, true);
    await expect(migrating({ writer: killed.writer })).rejects.toThrow('killed');
    const writer = watchWrites(world.writer, async (nth) => {
      if (nth > 1) return;
      const racing = interrupted(number, async () => {}, true);
      await migrating({ writer: racing.writer }).catch((error: Error) =>
        expect(error.message).toBe('killed'),
      );
      if (racing.sent() < number) last = number;
    });
    await commandsOf({ ...world, writer }).run('group.delete', { id: site.allowed });
    await elsewhere.groupAt(undefined, site.allowed);
    const { id: user } = await world.run('user.create', {});
    await world.run('membership.create', { user, group: site.allowed });
    expect([await decided(user, elsewhere.scope), number]).toEqual([NOTHING, number]);
  }
  expect(last).toBeGreaterThan(2);
});

const BOTH = { groupsOfSubject: 0, groupsOfScope: 1, rolesOfRoot: 1_000 };
const SUBJECTS_ONLY = { ...BOTH, groupsOfScope: 1_000 };

for (const [whose, thresholds] of Object.entries({ SCOPES_ONLY, SUBJECTS_ONLY, BOTH }))
  test.each([true, false])(
    `a user who is made anew, with as many changes, has none of the groups of the one before (way out: %s): ${whose}`,
    async (isOut) => {
      let last = Number.POSITIVE_INFINITY;
      for (let number = 1; number <= last; number += EACH) {
        await open();
        const run = world.run;
        const site = await createSite();
        const [id, other] = [ulid(), (await createSite()).denied];
        await run('user.create', { id });
        for (const group of [site.allowed, site.empty, other])
          await run('membership.create', { user: id, group });
        if (!isOut) await migrating({ thresholds });
        const key = nodeKey({ type: 'user', id });
        const again = async () => {
          const rev = (await world.reader.get(key))?.rev;
          await run('user.delete', { id });
          world.clock.advance(1);
          await run('user.create', { id });
          await run('membership.create', { user: id, group: site.empty });
          for (;;) {
            const now = (await world.reader.get(key))?.rev;
            if (Number(now) >= Number(rev)) break;
            await run('user.update', { id, displayName: `${now}` });
          }
        };
        const racing = interrupted(number, again, false);
        await migrating({ writer: racing.writer, thresholds, joins: !isOut });
        if (racing.sent() < number) last = number - 1;
        else {
          expect([await decided(id, site.scope), number]).toEqual([NOTHING, number]);
          expect(await findings()).toEqual([]);
        }
        await migrating({ thresholds, joins: isOut });
        expect(await findings()).toEqual([]);
      }
      expect(last).toBeGreaterThan(0);
    },
  );
