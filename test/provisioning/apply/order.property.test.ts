import { expect, test } from 'vitest';
import type { Step } from '../../../provisioning/apply/steps.ts';
import { verify } from '../../../provisioning/verify/index.ts';
import { createRandom, type Random } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { allowedIn, applyOn, createMemoryWorld, exportOn, type MemoryWorld, planOn } from './support.ts';

/** From any small tenant to any other, with DENY of every kind: nothing is allowed in between that neither allows. */
const PAGES = ['grades', 'plans', 'maps'];
const NAMES = ['shop:sell:item', 'shop:buy:item', 'lab:use:room'];
const TARGETS = [...PAGES, ...NAMES, '*:*:*', 'shop:*:*', 'shop:sell:*'];
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${prefix}${number}`);

const CONDITIONS = [
  'subject.properties.team == "red"',
  'subject.properties.team == resource.properties.team',
  'has(subject.properties.level) && subject.properties.level > 1',
  '!has(resource.properties.team)',
  'subject.properties.team != "blue" || resource.type == "client"',
];
const DECLARED = [
  { of: 'subject:user', name: 'team', type: 'string', source: 'stored' },
  { of: 'subject:user', name: 'level', type: 'int', source: 'stored' },
  { of: 'resource:client', name: 'team', type: 'string', source: 'stored' },
  { of: 'resource:project', name: 'team', type: 'string', source: 'stored' },
];

/** A manifest with conditions and stored properties, or without. */
function anyManifest(random: Random, isConditional: boolean): string {
  const withWhen = (permission: string) =>
    isConditional && random.oneIn(2) ? { permission, when: random.pick(CONDITIONS) } : permission;
  const properties = () =>
    isConditional
      ? {
          properties: {
            ...(random.oneIn(4) ? {} : { team: random.pick(['red', 'blue']) }),
            ...(random.oneIn(2) ? { level: random.pick([1, 2]) } : {}),
          },
        }
      : {};
  const some = <T>(list: readonly T[], most: number) => random.some(list, most);
  const maybe = <T>(value: T): T[] => (random.oneIn(3) ? [] : [value]);
  const places = ['north', 'south', 'west'].filter(() => !random.oneIn(3));
  const everywhere = ['school', ...places];
  const [pages, permissions] = [PAGES, NAMES].map((names) => names.filter(() => !random.oneIn(4)));
  const targets = TARGETS.filter(
    (target) => target.includes('*') || [...(pages ?? []), ...(permissions ?? [])].includes(target),
  );
  const roles = numbered('role', 5).flatMap(maybe);
  const groups = numbered('group', 4).flatMap(maybe);
  const at: Record<string, string> = { group0: 'school', group1: 'school', group2: 'north', group3: 'west' };
  const there = groups.filter((group) => everywhere.includes(at[group] ?? ''));
  const object = (names: readonly string[], of: (name: string, position: number) => unknown) =>
    Object.fromEntries(names.map((name, position) => [name, of(name, position)]));
  return JSON.stringify({
    modules: ['shop', 'lab'],
    pages,
    permissions,
    ...(isConditional ? { properties: DECLARED } : {}),
    scopes: {
      school: {
        type: 'client',
        combination: random.oneIn(5) ? 'allow-overrides' : 'deny-overrides',
        ...properties(),
      },
      ...object(places, () => ({
        type: 'project',
        parent: 'school',
        status: random.oneIn(5) ? 'on-hold' : 'active',
        ...properties(),
      })),
    },
    roles: object(roles, (_, position) => {
      const allow = some(targets, 3);
      const parent = random.pick(roles.slice(0, position + 1));
      return {
        owner: 'school',
        allow: allow.map(withWhen),
        deny: some(targets, 2)
          .filter((target) => !allow.includes(target))
          .map(withWhen),
        ...(random.oneIn(3) && parent !== roles[position] ? { parent } : {}),
      };
    }),
    groups: object(there, (group) => ({ scope: at[group], roles: some(roles, 2) })),
    users: object(numbered('user', 4).flatMap(maybe), () => ({
      status: random.oneIn(5) ? 'disabled' : 'active',
      ...properties(),
      groups: some(there, 2),
      ...(random.oneIn(3) ? { grants: { school: some(roles, 2) } } : {}),
      assignments: some(roles, 1).map((role) => ({ role, scope: random.pick(everywhere) })),
    })),
  });
}

/** Things and places that either of two manifests knows, and what each of them allows. */
async function accessOf(manifests: readonly string[]) {
  const worlds: MemoryWorld[] = [];
  const subjects = new Set<string>();
  const scopes = new Set<string>();
  for (const text of manifests) {
    const world = createMemoryWorld();
    await applyOn(world, text);
    const of = (await exportOn(world)) as Record<string, Record<string, { id: string; type: string }>>;
    for (const { id } of Object.values(of.users ?? {})) subjects.add(`user:${id}`);
    for (const { id, type } of Object.values(of.scopes ?? {})) scopes.add(`${type}:${id}`);
    worlds.push(world);
  }
  const allowed = (world: MemoryWorld) => allowedIn(world, [...subjects], [...PAGES, ...NAMES], [...scopes]);
  return { allowed, sets: await Promise.all(worlds.map(allowed)) };
}

test.each([
  ['effects', false],
  ['effects with conditions over stored properties', true],
])(
  'after every transaction, as long as one holds what has to be together: %s',
  async (_, isConditional) => {
    const random = createRandom(SEED);
    for (let run = 0; run < size(2, 20); run++) {
      const [before, after] = [anyManifest(random, isConditional), anyManifest(random, isConditional)];
      const { allowed, sets } = await accessOf([before, after]);
      const table = createMemoryWorld();
      await applyOn(table, before);
      const reported: string[] = [];
      let together = 0;
      await applyOn(table, after, {
        atOnce: random.oneIn(2) ? 1 : undefined,
        after: async ({ verb, kind, label, phase }: Step) => {
          if (phase === 'together') together += 1;
          for (const each of await allowed(table))
            if (!sets.some((set) => set.has(each)))
              reported.push(`${phase}: ${verb} ${kind} ${label}: ${each}`);
        },
      });
      const what = `${again()}, run ${run}\n${before}\n${after}`;
      if (together <= 1) expect(reported, what).toEqual([]);
      expect(await allowed(table), what).toEqual(sets[1]);
      expect((await planOn(table, after)).steps, what).toEqual([]);
      expect((await verify({ reader: table.reader, clock: table.clock, graceMs: 0 })).open, what).toEqual([]);
    }
  },
  600_000,
);
