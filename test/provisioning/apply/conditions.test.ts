import { describe, expect, test } from 'vitest';
import { roundTrip } from './round-trip.ts';
import { applyOn, createMemoryWorld, planOn, worldOf } from './support.ts';

/** Conditions, declarations and stored properties in manifests. */
const DECLARED = `
properties:
  - { of: "subject:user", name: team, type: string, source: stored }
  - { of: "resource:tenant", name: team, type: string, source: stored }
  - { of: action, name: soft, type: bool }
`;
const manifest = (roles: string, more = '') => `${DECLARED}
pages: [grades, plans]
scopes:
  school: { type: tenant, properties: { team: red } }
roles:
  clerk: { owner: school, ${roles} }
users:
  ann: { grants: { school: [clerk] }, properties: { team: red } }
${more}`;
const RED = 'subject.properties.team == "red"';
const SAME = 'subject.properties.team == resource.properties.team';
const withWhen = (when: string, permission = 'grades') => `{ permission: ${permission}, when: '${when}' }`;

const shown = ({ steps }: Awaited<ReturnType<typeof planOn>>) =>
  steps.map(
    ({ phase, verb, kind, label, details }) =>
      `${phase}: ${verb} ${kind} ${label}${details.length > 0 ? `: ${details.join(', ')}` : ''}`,
  );

describe('a manifest with conditions', () => {
  test('is applied, has nothing to do then, and is exported as it is', async () => {
    const text = manifest(`allow: [plans, ${withWhen(SAME)}], deny: [${withWhen(RED, 'reports:*:*')}]`);
    const { exported } = await roundTrip(text);
    expect(exported.properties).toEqual([
      { of: 'action', name: 'soft', type: 'bool' },
      { of: 'resource:tenant', name: 'team', type: 'string', source: 'stored' },
      { of: 'subject:user', name: 'team', type: 'string', source: 'stored' },
    ]);
    const allow = expect.arrayContaining(['plans', { permission: 'grades', when: SAME }]);
    expect(exported).toMatchObject({
      roles: { clerk: { allow, deny: [{ permission: 'reports:*:*', when: RED }] } },
      users: { ann: { properties: { team: 'red' } } },
      scopes: { school: { properties: { team: 'red' } } },
    });
  });

  test.each<[string, string, string, readonly string[]]>([
    ['comes to an ALLOW', 'allow: [grades]', `allow: [${withWhen(RED)}]`, [`close: when none > ${RED}`]],
    ['leaves an ALLOW', `allow: [${withWhen(RED)}]`, 'allow: [grades]', [`open: when ${RED} > none`]],
    ['comes to a DENY', 'deny: [grades]', `deny: [${withWhen(RED)}]`, [`undeny: when none > ${RED}`]],
    ['leaves a DENY', `deny: [${withWhen(RED)}]`, 'deny: [grades]', [`deny: when ${RED} > none`]],
    [
      'takes the place of another of an ALLOW',
      `allow: [${withWhen(RED)}]`,
      `allow: [${withWhen(SAME)}]`,
      [`close: when ${RED} > (${RED}) && (${SAME})`, `open: when ${RED} > ${SAME}`],
    ],
    [
      'takes the place of another of a DENY',
      `deny: [${withWhen(RED)}]`,
      `deny: [${withWhen(SAME)}]`,
      [`deny: when ${RED} > (${RED}) || (${SAME})`, `undeny: when ${RED} > ${SAME}`],
    ],
    [
      'is too long to be joined with the one before',
      `allow: [${withWhen(RED)}]`,
      `allow: [${withWhen(`subject.properties.team == "${'x'.repeat(950)}"`)}]`,
      [`close: when ${RED} > false`, `open: when ${RED} > subject.properties.team == "${'x'.repeat(950)}"`],
    ],
    [
      'stays where an ALLOW becomes a DENY',
      `allow: [${withWhen(RED)}]`,
      `deny: [${withWhen(RED)}]`,
      ['close: effect ALLOW > DENY'],
    ],
  ])('changes in an order that is safe: one that %s', async (_, before, after, expected) => {
    const world = await worldOf(manifest(before));
    const { steps } = await planOn(world, manifest(after));
    expect(steps.map(({ phase, details }) => `${phase}: ${details.join(', ')}`)).toEqual(expected);
    await applyOn(world, manifest(after));
    expect(shown(await planOn(world, manifest(after)))).toEqual([]);
  });

  test('changes all values of properties in one transaction', async () => {
    const world = await worldOf(manifest(`allow: [${withWhen(SAME)}]`));
    const after = manifest(`allow: [${withWhen(SAME)}]`).replaceAll('team: red', 'team: blue');
    const { steps } = await planOn(world, after);
    expect(steps.map(({ phase, kind, unit }) => `${phase} ${kind} ${unit}`)).toEqual([
      'switch tenant properties',
      'switch user properties',
    ]);
    let transactions = 0;
    await applyOn(world, after, { atOnce: 1, after: async () => void transactions++ });
    expect(transactions).toBe(1);
  });

  test('removes declarations last, and only with what belongs to no tenant', async () => {
    const world = await worldOf(manifest(`allow: [${withWhen(RED)}]`));
    const after = manifest('allow: [grades]').replace(DECLARED, 'properties: []');
    const removals = ['team of resource:tenant', 'team of subject:user', 'soft of action'];
    const steps = shown(await planOn(world, after));
    expect(steps[0]).toBe(`open: change role-permission clerk > grades: when ${RED} > none`);
    expect([...steps.slice(1)].sort()).toEqual(
      removals.map((label) => `undeny: remove property ${label}`).sort(),
    );
    const { steps: kept } = await planOn(world, after, true, false);
    expect(kept.some(({ kind }) => kind === 'property')).toBe(false);
  });
});

describe('what is wrong with a manifest is said before anything is done', () => {
  test.each<[string, string, string, string]>([
    [
      'a condition that is no expression',
      manifest(`allow: [${withWhen('1 +')}]`),
      'roles/clerk/allow/0/when',
      '',
    ],
    [
      'one permission allowed and denied',
      manifest(`allow: [${withWhen(RED)}], deny: [grades]`),
      'roles/clerk/deny/0',
      'grades is allowed above: a role has one effect on it',
    ],
    [
      'a condition on what is not declared',
      manifest(`allow: [${withWhen('subject.properties.level > 1')}]`),
      'roles/clerk/allow/0/when',
      '',
    ],
    [
      'a value that does not fit',
      manifest('allow: [grades]')
        .replace('grants:', 'status: active, grants:')
        .replace(/team: red \} \}\n$/, 'team: 7 } }\n'),
      'users/ann/properties/team',
      'is declared as string of subject:user',
    ],
    [
      'two types of one name',
      `${DECLARED}  - { of: "subject:device", name: team, type: int, source: stored }`,
      'properties/3/type',
      'team of subject:user is declared as string; one name has one type within subject',
    ],
    [
      'a declaration twice',
      `${DECLARED}  - { of: action, name: soft, type: bool }`,
      'properties/3',
      'soft of action is listed above already',
    ],
  ])('%s', async (_, text, path, message) => {
    const { problems } = await planOn(createMemoryWorld(), text);
    const found = problems.find((each) => each.path.join('/') === path);
    expect(found?.message).toEqual(message === '' ? expect.any(String) : message);
  });

  test.each<[string, string, string]>([
    ['one permission twice', `allow: [grades, ${withWhen(RED)}]`, 'grades is here twice'],
    ['an unknown key', `allow: [{ permission: grades, wenn: "true" }]`, 'unknown key: '],
    ['a condition that is no text', `allow: [{ permission: grades, when: 7 }]`, 'must be text'],
    ['no permission', `allow: [{ when: "true" }]`, 'is required'],
    ['neither a name nor a mapping', 'allow: [7]', 'must be a mapping'],
  ])('%s', async (_, roles, message) => {
    await expect(planOn(createMemoryWorld(), manifest(roles))).rejects.toThrow(message);
  });

  test('another type of what is declared', async () => {
    const world = await worldOf(DECLARED);
    const { problems } = await planOn(world, DECLARED.replace('type: bool', 'type: int'));
    expect(problems.map(({ message }) => message)).toEqual([
      'in the table its type is bool, not int, and that is fixed: give the new one another name or id',
    ]);
  });
});
