import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PlanAnswer } from '../../../provisioning/index.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { anyManifest, NAMES, PAGES } from './any-manifest.ts';
import { allowedIn, applyOn, exportOn, type MemoryWorld, worldOf } from './support.ts';

/** What is renamed is there under its new name before it goes under the old one, so that nobody is refused in between. */
const planOf = async ({ run }: MemoryWorld, manifest: string) =>
  (await run('tenant.plan', { manifest: parse(manifest), prune: true })) as unknown as PlanAnswer;

/** What is allowed after each transaction of an apply, one change in each. */
async function statesOf(world: MemoryWorld, manifest: string) {
  const of = (await exportOn(world)) as Record<string, Record<string, { id: string; type: string }>>;
  const subjects = Object.values(of.users ?? {}).map(({ id }) => `user:${id}`);
  const scopes = Object.values(of.scopes ?? {}).map(({ type, id }) => `${type}:${id}`);
  const allowed = async () =>
    [...(await allowedIn(world, subjects, [...PAGES, ...NAMES], scopes))].toSorted();
  const states = [await allowed()];
  const after = async () => void states.push(await allowed());
  await applyOn(world, manifest, { after, atOnce: 1 });
  return states;
}

test('renames of anything, in any small tenant, change no decision at any time but those that the plan says', async () => {
  let [turned, transactions] = [0, 0];
  for (let seed = SEED; seed < SEED + size(8, 200); seed++) {
    const random = createRandom(seed);
    // Where a DENY might count, what takes away goes first: see below.
    const before = anyManifest(random, false).replaceAll(/"deny":\[.*?\]/g, '"deny":[]');
    const names = [...new Set(before.match(/"(?:role|group)\d"/g))].filter(() => random.oneIn(2));
    const after = names.reduce((text, name) => text.replaceAll(name, `"new ${name.slice(1)}`), before);
    const world = await worldOf(before);
    const { between } = await planOf(world, after);
    const states = await statesOf(world, after);
    const [first] = states;
    // Nobody gains anything at any time; who is refused at some time is what the plan says.
    expect(
      states.flat().filter((each) => !first?.includes(each)),
      again(seed),
    ).toEqual([]);
    expect(
      states.some(({ length }) => length !== first?.length),
      again(seed),
    ).toBe(between !== undefined);
    turned += between === undefined && names.length > 0 && first?.length ? 1 : 0;
    transactions += states.length;
  }
  expect(turned).toBeGreaterThan(2);
  expect(transactions).toBeGreaterThan(50);
});

describe('what takes away goes first, and the plan says who is refused in between,', () => {
  const small = (role: string, more = '', id = '') => `
pages: [grades]
scopes: { school: { type: tenant, id: school${more} } }
roles: { ${role}: { owner: school, allow: [grades]${id} } }
groups: { staff: { scope: school, roles: [${role}] } }
users: { ann: { id: ann, groups: [staff] } }
`;
  const STRICT = ', combination: deny-overrides';

  test.each<[why: string, before: string, after: string]>([
    ['where a DENY might count', small('teacher', STRICT), small('new teacher', STRICT)],
    [
      'where the name stays, under another id',
      small('teacher', '', ', id: one'),
      small('teacher', '', ', id: two'),
    ],
  ])('%s', async (_, before, after) => {
    const world = await worldOf(before);
    const plan = await planOf(world, after);
    expect(plan).toMatchObject({ access: { loses: { people: 0 } }, between: { people: 1 } });
    const states = await statesOf(world, after);
    expect(states.map((state) => state.length)).toContain(0);
    expect(states.at(-1)).toEqual(states[0]);
  });

  // Both groups have both members for a moment, and each had what the other loses.
  test('and nobody gains what the two states together would give', async () => {
    const people = (one: string, two: string, r: string, s: string) => `
pages: [grades, plans]
scopes: { school: { type: tenant, id: school } }
roles: { r: { owner: school, allow: [${r}] }, s: { owner: school, allow: [${s}] } }
groups: { g: { scope: school, roles: [r] }, h: { scope: school, roles: [s] } }
users: { ${one}: { id: ${one}, groups: [g] }, ${two}: { id: ${two}, groups: [h] } }
`;
    const world = await worldOf(people('ann', 'ben', 'grades', 'plans'));
    const states = await statesOf(world, people('ben', 'ann', 'plans', 'grades'));
    expect(new Set(states.flat())).toEqual(
      new Set(['user:ann grades tenant:school', 'user:ben plans tenant:school']),
    );
  });
});
