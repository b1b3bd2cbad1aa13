import { describe, expect, test } from 'vitest';
import { formatPlan } from '../../../cli/manifest/print.ts';
import { createModel } from '../../../explorer/playground/model.ts';
import type { PlanAnswer } from '../../../provisioning/index.ts';
import { readDocument } from '../../../testing/document.ts';
import { testEngine } from '../../../testing/index.ts';
import { createMemoryWorld } from './support.ts';

/** A deny that an allow wins over is hardly meant: who writes one is told, and which setting turns it round. */
const manifest = (scopes: string, roles: string) => `
pages: [grades]
scopes: { ${scopes} }
roles: { teacher: { allow: [grades] }, ${roles} }
users: { ann: { tenant: school, grants: { school: [teacher, volunteer] } } }
`;
const PRINTED = { colours: false, all: true, file: 'a.yaml', place: 'a table' };
const SCHOOL = 'school: { type: tenant, id: school }';
const STRICT = 'school: { type: tenant, id: school, combination: deny-overrides }';

const SAID: readonly (readonly [what: string, text: string, warning: string | undefined])[] = [
  [
    'in a tenant without a combination',
    manifest(SCHOOL, 'volunteer: { deny: [grades] }'),
    'role volunteer denies, but in school any allow wins over a deny: there, combination: deny-overrides turns it round',
  ],
  [
    'in several, by several roles',
    manifest(
      `${SCHOOL}, a: { type: tenant }, b: { type: tenant, combination: allow-overrides }`,
      'volunteer: { deny: [grades] }, guest: { owner: a, deny: [grades] }',
    ),
    'roles volunteer and guest deny, but in school and 2 others any allow wins over a deny: there, combination: deny-overrides turns it round',
  ],
  ['where a deny wins', manifest(STRICT, 'volunteer: { deny: [grades] }'), undefined],
  [
    'of the role of another tenant',
    manifest(`${STRICT}, a: { type: tenant }`, 'volunteer: { owner: school, deny: [grades] }'),
    undefined,
  ],
  ['without a deny', manifest(SCHOOL, 'volunteer: { allow: [grades] }'), undefined],
];

describe.each(SAID)('a deny %s', (_, text, warning) => {
  test('in a plan', async () => {
    const { data } = readDocument('a.yaml', text);
    const plan = (await createMemoryWorld().run('tenant.plan', { manifest: data })) as unknown as PlanAnswer;
    expect(plan.warning).toBe(warning);
    const shown = formatPlan(plan, { ...PRINTED, known: ({ ref }) => ref });
    expect(shown.includes(`\nwarning: ${warning}\n`)).toBe(warning !== undefined);
  });

  test('in the playground', async () => {
    const state = await createModel({ now: Date.now }).update({ manifest: text, tests: '' });
    expect(state).toMatchObject({ problems: [], warning });
  });
});

test.each([
  [
    SCHOOL,
    true,
    'allow-overrides: an ALLOW wins over any DENY; combination: deny-overrides of school turns it round',
  ],
  [STRICT, false, 'deny-overrides: a DENY wins over any ALLOW, as school has it'],
])('an explanation names the setting, with %s', async (scopes, allowed, finding) => {
  const world = await testEngine(manifest(scopes, 'volunteer: { deny: [grades] }'));
  const explanation = await world.explain('ann', 'grades', 'school');
  expect(explanation.allowed).toBe(allowed);
  expect(explanation.steps.find(({ name }) => name === 'combination')?.findings).toEqual([finding]);
});
