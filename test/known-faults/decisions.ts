import { expect } from 'vitest';
import { ASKING, doorsOf, modelOf, open, READ, WRITE } from './doors.ts';
import { type Kind, whereverAsked } from './fault.ts';
import { remadeAt } from './identity.ts';

/** Everybody may read, from the office; a suspended user is not everybody. */
const EVERYONE = modelOf(`
scopes:
  t: { type: tenant, id: t }
  north: { type: location, parent: t, id: north }
  u: { type: tenant, name: Other }
  far: { type: location, parent: u, id: far }
roles: { guest: { owner: t, allow: [{ permission: "${READ}", when: context.ip == '192.0.2.1' }] } }
groups: { all: { scope: north, everyone: true, roles: [guest] } }
users: { ann: { id: ann }, gone: { id: gone, status: disabled } }
`);

const twins = (first: string, second: string) =>
  modelOf(`
scopes:
  t: { type: tenant }
  ${first}: { type: location, parent: t, id: ${first} }
  ${second}: { type: location, parent: t, id: ${second} }
roles: { reader: { owner: t, allow: ["${READ}"] } }
users: { ann: { id: ann, assignments: [{ role: reader, scope: ${first} }] } }
`);

/** One DENY refuses, wherever above it stands and however it is spelled. */
const STRICT = modelOf(`
scopes:
  t: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: t, id: north }
roles:
  base: { owner: t, deny: ["${WRITE}"] }
  writer: { owner: t, allow: ["${READ}", "${WRITE}"] }
  heir: { owner: t, parent: base, allow: ["${WRITE}"] }
  broad: { owner: t, allow: ["location:*:*"] }
  closed: { owner: t, deny: ["*:*:*"] }
groups: { suspended: { scope: t, roles: [closed] }, writers: { scope: north, roles: [writer] } }
users:
  allowed by role: { id: plain, groups: [writers] }
  denied above: { id: above, groups: [writers, suspended] }
  denied by what a role inherits: { id: heir, assignments: [{ role: heir, scope: north }] }
  allowed by a pattern, denied by name:
    id: pattern
    assignments: [{ role: broad, scope: t }, { role: base, scope: north }]
`);

/** A condition that is false, one that cannot be evaluated, and one that is given what it asks for. */
const CONDITIONED = modelOf(`
roles: { reader: { owner: t, allow: [{ permission: "${READ}", when: context.ip.startsWith('192.0.2.') }] } }
users: { ann: { id: ann, grants: { t: [reader] } } }
`);

export const DECISION_FAULTS: Kind = {
  title: 'Everyone, wildcards, conditions and denies',
  faults: [
    {
      ids: [
        'OpenFGA CVE-2022-39341',
        'OpenFGA CVE-2022-39342',
        'OpenFGA CVE-2022-39352',
        'OpenFGA CVE-2025-25196',
        'OpenFGA CVE-2025-48371',
        'OpenFGA CVE-2025-64751',
      ],
      shape: 'A public grant counts where only a conditioned one, or one for another type, is declared.',
      answer:
        'The group of everyone is a group: its conditions, its scope and its permission count as those of any other.',
      at: whereverAsked(EVERYONE, async (ask) => {
        const at = (changes: object) => ask({ who: 'ann', where: 'north', ip: '192.0.2.1', ...changes });
        expect(await at({})).toBe('allow');
        for (const changes of [
          { ip: '198.51.100.1' },
          { action: 'write' },
          { where: 'far' },
          { who: 'gone' },
          { who: '*' },
        ])
          expect(await at(changes), JSON.stringify(changes)).not.toBe('allow');
      }),
    },
    {
      ids: ['OpenFGA CVE-2026-24851'],
      shape: "The answer depends on the order of another object's id.",
      answer: 'Effects are combined as sets: no order of ids, and none of writes, decides.',
      at: Object.fromEntries(
        ASKING.map((door) => [
          door,
          async () => {
            for (const [mine, other] of [
              ['a', 'z'],
              ['z', 'a'],
              ['aa', 'a'],
              ['a', 'aa'],
            ] as const) {
              const { ask } = await open(twins(mine, other));
              expect(await ask[door]({ who: 'ann', where: mine }), `${mine} beside ${other}`).toBe('allow');
              expect(await ask[door]({ who: 'ann', where: other }), `${other} beside ${mine}`).toBe(
                'no_grant',
              );
            }
          },
        ]),
      ),
    },
    {
      ids: ['OpenFGA CVE-2024-31452', 'OpenFGA CVE-2024-42473'],
      shape: 'An exclusion or an intersection allows too much.',
      answer:
        'With deny-overrides one DENY refuses: of any group, inherited, by a pattern, from any scope above.',
      at: whereverAsked(STRICT, async (ask) => {
        expect(await ask({ who: 'plain', action: 'write', where: 'north' })).toBe('allow');
        for (const who of ['above', 'heir', 'pattern'])
          expect(await ask({ who, action: 'write', where: 'north' }), who).toBe('denied_by_role');
      }),
    },
    {
      ids: ['SpiceDB CVE-2024-38361', 'SpiceDB CVE-2024-46989', 'SpiceDB CVE-2025-49011'],
      shape: 'Below a tree, an exclusion allows too little.',
      answer: 'A grant holds at its scope and everywhere below, beside whatever else is granted there.',
      at: whereverAsked(STRICT, async (ask) => {
        expect(await ask({ who: 'plain', where: 'north' })).toBe('allow');
        expect(await ask({ who: 'pattern', where: 'north' })).toBe('allow');
      }),
    },
    {
      ids: ['SpiceDB CVE-2024-48909'],
      shape: 'The context of a condition is given, and said to be missing.',
      answer:
        'A condition that is false is not one that could not be evaluated: only the latter is condition_failed.',
      at: whereverAsked(CONDITIONED, async (ask, _, door) => {
        expect(await ask({ who: 'ann', where: 'north', ip: '192.0.2.9' })).toBe('allow');
        expect(await ask({ who: 'ann', where: 'north', ip: '198.51.100.1' })).toBe('no_grant');
        const isGiven = door === 'authorizer' || door === 'middleware';
        if (!isGiven) expect(await ask({ who: 'ann', where: 'north' })).toBe('condition_failed');
      }),
    },
    {
      ids: ['OpenFGA CVE-2022-23542'],
      shape: 'A rule of an older model still counts.',
      answer:
        'There is one model: what was deleted and made again under its old id or name starts with nothing.',
      at: Object.fromEntries(ASKING.map((door) => [door, () => remadeAt(door, ['a permission'])])),
    },
    {
      ids: ['node-casbin before 5.30'],
      shape: 'A later deny is not looked at.',
      answer: 'All effects of all roles are combined, in whatever order they were written.',
      at: Object.fromEntries(ASKING.map((door) => [door, () => deniedLaterAt(door)])),
    },
  ],
};

/** Over a table of its own, which it changes. */
async function deniedLaterAt(door: (typeof ASKING)[number]): Promise<void> {
  const { kit, ask } = await open(EVERYONE);
  const question = { who: 'ann', where: 'north', ip: '192.0.2.1' };
  expect(await ask[door](question)).toBe('allow');
  await kit.command('tenant.update', { id: 't', combination: 'deny-overrides' });
  const { id } = await kit.command('role.create', { name: 'last', scope: 'global' });
  await kit.command('role-permission.create', { role: id, permission: READ, effect: 'DENY' });
  await kit.command('global-role.create', { user: 'ann', role: id });
  expect(await doorsOf(kit, kit.reader).ask[door](question)).toBe('denied_by_role');
}
