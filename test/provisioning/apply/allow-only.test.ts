import { beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { findingsOn } from '../findings.ts';
import { applyOn, createMemoryWorld, exportOn, type MemoryWorld, planOn, worldOf } from './support.ts';

/** Manifests with allow-only roles and groups: a mark is set when nothing stands against it any more. */
const BEFORE = `
pages: [grades, marks]
scopes: { school: { type: tenant, id: school } }
roles:
  base: { id: base, allow: [grades], deny: [marks] }
  heir: { id: heir, parent: base }
  other: { id: other, allow: [marks] }
  marked: { id: marked, allowOnly: true }
  silent: { id: silent, deny: [marks] }
  quiet: { id: quiet, parent: silent }
  mute: { id: mute, deny: [marks] }
groups:
  staff: { id: staff, scope: school, roles: [heir, other] }
  mapped: { id: mapped, scope: school, allowOnly: true }
users:
  ann: { id: ann, tenant: school, groups: [staff, mapped] }
`;
const AFTER = `
pages: [grades, marks]
scopes: { school: { type: tenant, id: school } }
roles:
  heir: { id: heir, allowOnly: true, parent: base }
  base: { id: base, allowOnly: true, allow: [grades, marks] }
  other: { id: other, deny: [marks] }
  marked: { id: marked, parent: base }
  added: { id: added, allowOnly: true, parent: base, allow: [marks] }
  free: { id: free, allowOnly: true, parent: added }
  silent: { id: silent, deny: [marks] }
  quiet: { id: quiet, allowOnly: true, parent: base }
  mute: { id: mute, allowOnly: true }
  below: { id: below, allowOnly: true, parent: mute }
  plain: { id: plain, parent: base }
groups:
  staff: { id: staff, scope: school, allowOnly: true, roles: [heir] }
  mapped: { id: mapped, scope: school, roles: [base, added] }
  fresh: { id: fresh, scope: school, allowOnly: true, roles: [base, free] }
  usual: { id: usual, scope: school, roles: [base] }
users:
  ann: { id: ann, tenant: school, groups: [staff, mapped, fresh] }
`;

let world: MemoryWorld;
beforeEach(async () => {
  world = createMemoryWorld();
  await applyOn(world, BEFORE);
});
test('what becomes allow-only is marked first, then comes what rests on a mark', async () => {
  const { steps } = await planOn(world, AFTER);
  const last = steps.filter(({ phase }) => phase === 'mark').map(({ input }) => input.allowOnly === true);
  expect(last).toEqual([...Array(5).fill(true), ...Array(5).fill(false)]);
});

// Each command refuses what comes too early: marks come last, those below after those above.
test.each([1, 50])(
  'an apply gets there, with %i changes at once, and a second one has nothing to do',
  async (atOnce) => {
    await applyOn(world, AFTER, { atOnce });
    expect((await planOn(world, AFTER)).steps).toEqual([]);
    expect(await findingsOn(world)).toEqual([]);
  },
);

test('an export makes the same again', async () => {
  await applyOn(world, AFTER);
  const exported = await exportOn(world);
  expect(exported).toMatchObject({
    roles: { base: { allowOnly: true } },
    groups: { staff: { allowOnly: true } },
  });
  const copy = await worldOf(stringify(exported));
  expect(await exportOn(copy)).toEqual(exported);
});

test('what is left out stays', async () => {
  await applyOn(world, BEFORE.replaceAll(', allowOnly: true', ''));
  expect(await exportOn(world)).toMatchObject({
    roles: { marked: { allowOnly: true } },
    groups: { mapped: { allowOnly: true } },
  });
});

describe('a plan says what stands against it', () => {
  const MARKED = 'marked: { id: marked, allowOnly: true }';
  test.each<[what: string, from: string, to: string, path: string, message: string]>([
    [
      'a DENY of an allow-only role',
      MARKED,
      'marked: { id: marked, deny: [grades] }',
      'roles.marked.deny.0',
      'marked > grades: an allow-only role denies nothing',
    ],
    [
      'a permission of operators',
      MARKED,
      "marked: { id: marked, allow: ['provisioning:*:*'] }",
      'roles.marked.allow.0',
      'marked > provisioning:*:*: an allow-only role holds no permission of operators',
    ],
    [
      'another parent',
      MARKED,
      'marked: { id: marked, parent: other }',
      'roles.marked.parent',
      'marked: an allow-only role inherits only from such roles',
    ],
    [
      'another role of an allow-only group',
      'scope: school, allowOnly: true }',
      'scope: school, roles: [other] }',
      'groups.mapped.roles.0',
      'mapped > other: an allow-only group carries only allow-only roles',
    ],
    [
      'a parent that stays the same',
      'heir: { id: heir,',
      'heir: { id: heir, allowOnly: true,',
      'roles.heir.parent',
      'heir: an allow-only role inherits only from such roles',
    ],
  ])('%s', async (_, from, to, path, message) => {
    const { steps, problems } = await planOn(world, BEFORE.replace(from, to));
    expect(steps).toEqual([]);
    expect(problems.map((each) => [each.path.join('.'), each.message])).toEqual([[path, message]]);
  });

  test('a parent that is left out and stays without pruning', async () => {
    const text = BEFORE.replace('heir, parent: base', 'heir, allowOnly: true');
    expect((await planOn(world, text, false)).problems).toMatchObject([
      { path: ['roles', 'heir', 'parent'] },
    ]);
    await applyOn(world, text);
  });

  test('what the table has and keeps without pruning', async () => {
    const text = BEFORE.replace(
      'base: { id: base, allow: [grades], deny: [marks] }',
      'base: { id: base, allowOnly: true, allow: [grades] }',
    );
    expect((await planOn(world, text, false)).problems).toMatchObject([
      { message: 'base > marks: an allow-only role denies nothing' },
    ]);
    expect((await planOn(world, text, true)).problems).toEqual([]);
  });

  test.each(['null', 'false'])('%s, which would take the mark off', async (value) => {
    const text = BEFORE.replaceAll('allowOnly: true', `allowOnly: ${value}`);
    await expect(planOn(world, text)).rejects.toThrow(
      JSON.stringify(
        ['roles', 'groups'].map((section) => ({
          path: [section, section === 'roles' ? 'marked' : 'mapped', 'allowOnly'],
          message: 'must be true, or left out',
        })),
      ),
    );
  });
});
