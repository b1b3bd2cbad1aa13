import { beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../../provisioning/apply/steps.ts';
import { size } from '../../support/tier.ts';
import { copyOf } from '../../support/world.ts';
import { findingsOn } from '../findings.ts';
import { allowedIn, applyOn, createMemoryWorld, exportOn, type MemoryWorld, planOn } from './support.ts';

/** At no moment of an apply is anything allowed that neither the table as it was nor the manifest allows. */
const PLAIN_BEFORE = `
modules: { shop: { sold: false }, lab: { sold: true } }
pages: [grades, plans, desk]
permissions: ["shop:sell:item", "shop:buy:item", "lab:use:room"]
scopes:
  school: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: school }
  south: { type: location, parent: school, status: active }
  east: { type: location, parent: school }
roles:
  member: { owner: school, allow: [desk] }
  teacher: { owner: school, parent: member, allow: [grades, plans] }
  guard: { owner: school, deny: [plans] }
  seller: { owner: school, allow: ["shop:*:*"] }
  helper: { owner: school, allow: ["lab:use:room"] }
  old: { owner: school, allow: [desk] }
groups:
  teachers: { scope: north, roles: [teacher] }
  guarded: { scope: north, roles: [guard] }
  sellers: { scope: school, roles: [seller] }
  gone: { scope: east, roles: [seller] }
users:
  ann: { groups: [teachers], grants: { school: [member] } }
  ben: { groups: [teachers, guarded, sellers] }
  cem: { assignments: [{ role: teacher, scope: south, from: 2026-01-01, until: 2026-01-31 }] }
  dan: { admin: true, groups: [gone] }
  eva: { status: disabled, groups: [sellers] }
  fay: { status: active, grants: { school: [seller, old] }, assignments: [{ role: helper, scope: north }] }
subscriptions:
  - { scope: north, module: lab }
`;
const PLAIN_AFTER = `
modules: { shop: { sold: true }, lab: { sold: false } }
pages: [grades, plans, desk, maps]
permissions: ["shop:sell:item", "shop:buy:item", "lab:use:room"]
scopes:
  school: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: school }
  south: { type: location, parent: school, status: suspended }
  west: { type: location, parent: school }
roles:
  member: { owner: school, allow: [desk, maps] }
  teacher: { owner: school, parent: guard, allow: [grades, "shop:sell:item"] }
  guard: { owner: school, deny: [plans, grades] }
  seller: { owner: school, parent: member, allow: ["shop:sell:item"] }
  helper: { owner: school, allow: ["lab:use:room", plans] }
  fresh: { owner: school, allow: ["*:*:*"] }
groups:
  teachers: { scope: north, roles: [member, helper] }
  guarded: { scope: north, roles: [guard, seller] }
  sellers: { scope: school, roles: [seller] }
users:
  ann: { groups: [guarded], grants: { school: [helper] } }
  ben: { groups: [teachers, sellers] }
  cem: { assignments: [{ role: teacher, scope: south, from: 2026-03-01 }, { role: helper, scope: west }] }
  dan: { groups: [teachers] }
  eva: { status: active, groups: [guarded] }
  fay: { status: disabled, grants: { school: [fresh] } }
  guy: { admin: true }
subscriptions:
  - { scope: school, module: shop, until: 2026-12-31 }
`;

/** Where one DENY refuses: roles that both allow and deny, and people who go from one to another. */
const PEOPLE = `
pages: [grades, plans, desk]
permissions: ["shop:sell:item", "lab:use:room"]
scopes:
  school: { type: client, combination: deny-overrides }
  north: { type: project, parent: school }
roles:
  everything: { owner: school, allow: ["*:*:*"] }
  day: { owner: school, allow: [grades, desk], deny: [plans] }
  night: { owner: school, allow: [plans, desk], deny: [grades] }
  shop: { owner: school, allow: ["shop:*:*"], deny: ["lab:use:room"] }
  lab: { owner: school, allow: ["lab:use:room"], deny: ["shop:sell:item"] }
  child: { owner: school, parent: day, allow: ["shop:*:*"] }
groups:
  days: { scope: school, roles: [day] }
  nights: { scope: school, roles: [night] }
  both: { scope: north, roles: [everything, shop] }
  children: { scope: school, roles: [child] }
`;
const MANY = Array.from({ length: size(5, 14) }, (_, n) => `pupil-${n}`);
const PEOPLE_BEFORE = `${PEOPLE}
users:
  ann: { groups: [days, nights] }
  ben: { groups: [days], assignments: [{ role: shop, scope: north }] }
  cem: { groups: [both], grants: { school: [lab, everything] } }
  dan: { grants: { school: [night, everything] } }
  eva: { status: disabled, groups: [days, children] }
  fay: { groups: [children], assignments: [{ role: night, scope: school, until: 2026-05-31 }] }
${MANY.map((name) => `  ${name}: { groups: [days, nights, both] }`).join('\n')}
`;
const PEOPLE_AFTER = `${PEOPLE}
users:
  ann: { groups: [children] }
  ben: { groups: [nights, both], assignments: [{ role: lab, scope: north }] }
  cem: { groups: [days], grants: { school: [shop] }, assignments: [{ role: night, scope: north }] }
  dan: { grants: { school: [day, shop] }, groups: [children] }
  eva: { status: active, groups: [nights] }
  fay: { groups: [days], assignments: [{ role: day, scope: school, from: 2026-01-01, until: 2026-08-31 }] }
  hal: { groups: [days, nights], grants: { school: [everything] }, assignments: [{ role: night, scope: north }] }
${MANY.map((name) => `  ${name}: { groups: [children, both], grants: { school: [lab] } }`).join('\n')}
`;

/** Pages, permissions and places that are there for somebody as soon as they are made. */
const NEW_ENTRIES_BEFORE = `
modules: { shop: {}, lab: {} }
pages: [grades, desk]
permissions: ["shop:sell:item"]
scopes:
  school: { type: client, combination: deny-overrides }
  north: { type: project, parent: school }
roles:
  everything: { owner: school, allow: ["*:*:*"] }
  shop: { owner: school, allow: ["shop:*:*"], deny: [desk] }
  child: { owner: school, parent: shop, allow: [grades] }
  refuser: { owner: school, deny: [desk] }
groups:
  all: { scope: school, roles: [everything] }
  shops: { scope: school, roles: [child] }
users:
  ann: { groups: [all] }
  ben: { groups: [all, shops] }
  cem: { grants: { school: [everything] } }
  dan: { assignments: [{ role: shop, scope: school }] }
`;
const NEW_ENTRIES_AFTER = `
modules: { shop: {}, lab: {} }
pages: [grades, desk, maps]
permissions: ["shop:sell:item", "shop:buy:item", "lab:use:room"]
scopes:
  school: { type: client, combination: deny-overrides }
  north: { type: project, parent: school }
  west: { type: project, parent: school }
  room: { type: building, parent: west }
roles:
  everything: { owner: school, allow: ["*:*:*"], deny: [maps] }
  shop: { owner: school, allow: ["shop:*:*", maps], deny: [desk, "lab:use:room"] }
  child: { owner: school, parent: shop, allow: [grades], deny: ["shop:buy:item"] }
  refuser: { owner: school, deny: [desk, grades, "shop:sell:*"] }
  night: { owner: school, allow: [desk], deny: [grades, maps] }
groups:
  all: { scope: school, roles: [everything] }
  shops: { scope: school, roles: [child] }
  westerners: { scope: west, roles: [night, refuser] }
  roomers: { scope: room, roles: [refuser] }
users:
  ann: { groups: [all, westerners] }
  ben: { groups: [all, roomers] }
  cem: { grants: { school: [everything] }, assignments: [{ role: night, scope: room }] }
  dan: { assignments: [{ role: shop, scope: school }, { role: refuser, scope: west }] }
  eva: { groups: [all, roomers] }
routes:
  - { method: GET, path: "/maps/{place}", permission: maps, scope: "project:{place}" }
`;

/** What groups carry and roles inherit. */
const LINKS_BEFORE = `
pages: [grades, plans, desk]
permissions: ["shop:sell:item", "lab:use:room"]
scopes:
  school: { type: client, combination: deny-overrides }
roles:
  everything: { owner: school, allow: ["*:*:*"] }
  day: { owner: school, allow: [grades, desk], deny: [plans] }
  night: { owner: school, allow: [plans, desk], deny: [grades] }
  child: { owner: school, parent: day, allow: ["shop:*:*"] }
  other: { owner: school, parent: night, allow: ["lab:use:room"], deny: [desk] }
  gone: { owner: school, allow: [desk], deny: [grades, "shop:sell:item"] }
groups:
  days: { scope: school, roles: [day] }
  nights: { scope: school, roles: [night, everything] }
  turned: { scope: school, roles: [child] }
  ended: { scope: school, roles: [other] }
users:
  ann: { groups: [days, nights] }
  ben: { groups: [turned, nights] }
  cem: { groups: [ended], grants: { school: [everything] } }
  dan: { groups: [turned], grants: { school: [gone, everything] } }
`;
const LINKS_AFTER = `
pages: [grades, plans, desk]
permissions: ["shop:sell:item", "lab:use:room"]
scopes:
  school: { type: client, combination: deny-overrides }
roles:
  everything: { owner: school, allow: ["*:*:*"] }
  day: { owner: school, allow: [grades, desk, "lab:use:room"], deny: [plans] }
  night: { owner: school, allow: [plans, desk], deny: [grades, "lab:use:room"] }
  child: { owner: school, parent: night, allow: ["shop:*:*", grades] }
  other: { owner: school, parent: day, allow: ["lab:use:room"], deny: [desk] }
groups:
  days: { scope: school, roles: [night] }
  nights: { scope: school, roles: [day, everything] }
  turned: { scope: school, roles: [child, other] }
users:
  ann: { groups: [days, nights] }
  ben: { groups: [turned, days] }
  cem: { groups: [nights], grants: { school: [everything] } }
  dan: { groups: [turned, days] }
`;

const PERMISSIONS = [
  ...['grades', 'plans', 'desk', 'maps'],
  ...['shop:sell:item', 'shop:buy:item', 'lab:use:room', 'lab:clean:room'],
];

/** Two manifests, and what each of them allows. */
async function pairOf(first: string, second: string) {
  // Ids follow from names: they are the same in every table.
  const [one, two] = [createMemoryWorld(), createMemoryWorld()];
  await applyOn(one, first);
  await applyOn(two, second);
  const refs = new Set<string>();
  const places = new Set<string>();
  for (const each of [one, two]) {
    const { users, scopes } = (await exportOn(each)) as Record<
      string,
      Record<string, { id: string; type: string }>
    >;
    for (const { id } of Object.values(users ?? {})) refs.add(`user:${id}`);
    for (const { id, type } of Object.values(scopes ?? {})) places.add(`${type}:${id}`);
  }
  const allowed = (of: MemoryWorld) => allowedIn(of, [...refs], PERMISSIONS, [...places]);
  const both = { [first]: await allowed(one), [second]: await allowed(two) };
  const stray = (now: ReadonlySet<string>) =>
    [...now].filter((each) => Object.values(both).every((of) => !of.has(each)));
  return {
    allowed,
    stray,
    /** A table to which one of them was applied. */
    having: (text: string) => copyOf(text === first ? one : two),
    subjects: refs.size,
    scopes: places.size,
    allowedBy: (text: string) => both[text],
    final: await exportOn(two),
  };
}
type Pair = Awaited<ReturnType<typeof pairOf>>;

describe.each([
  ['roles that allow or deny', PLAIN_BEFORE, PLAIN_AFTER, 7, 5, 30],
  ['people between roles that do both', PEOPLE_BEFORE, PEOPLE_AFTER, 7 + MANY.length, 2, 3],
  ['new entries under wildcards and roles from above', NEW_ENTRIES_BEFORE, NEW_ENTRIES_AFTER, 5, 4, 8],
  ['what groups carry and roles inherit', LINKS_BEFORE, LINKS_AFTER, 4, 1, 3],
])('%s', (_, BEFORE, AFTER, subjects, scopes, transactions) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await pairOf(BEFORE, AFTER);
    expect([pair.subjects, pair.scopes]).toEqual([subjects, scopes]);
  });

  const directions = [
    ['there, as little at once as may be', BEFORE, AFTER, 1],
    ['and back', AFTER, BEFORE, 1],
    ['there, a few at once', BEFORE, AFTER, 4],
    ['there, as much as fits', BEFORE, AFTER, undefined],
    ['and back, as much as fits', AFTER, BEFORE, undefined],
  ] as const;
  // All of them in the soak tier, otherwise every second.
  test.each(directions.filter((_, n) => n % size(2, 1) === 0))(
    '%s: after every transaction nothing is allowed that neither the one nor the other allows',
    async (_, from, to, atOnce) => {
      const table = pair.having(from);
      const reported: string[] = [];
      let taken = 0;
      await applyOn(table, to, {
        atOnce,
        after: async ({ verb, kind, label }: Step) => {
          taken += 1;
          for (const each of pair.stray(await pair.allowed(table)))
            reported.push(`${verb} ${kind} ${label}: ${each}`);
        },
      });
      expect(taken).toBeGreaterThan(atOnce === 1 ? transactions : 1);
      expect(reported).toEqual([]);
      expect(await pair.allowed(table)).toEqual(pair.allowedBy(to));
      expect((await planOn(table, to)).steps).toEqual([]);
      if (to === AFTER) expect(await exportOn(table)).toEqual(pair.final);
      expect(await findingsOn(table)).toEqual([]);
    },
  );

  test('interrupted after any transaction and run again, it comes to the same', async () => {
    let runs = 0;
    for (let stop = 1; ; stop += size(13, 5)) {
      const table = pair.having(BEFORE);
      let left = stop;
      let ended = false;
      await applyOn(table, AFTER, {
        atOnce: 1,
        after: async () => {
          left -= 1;
          if (left === 0) throw new Error('stopped');
        },
      }).catch((error: Error) => {
        expect(error.message).toBe('stopped');
        ended = true;
      });
      const reported: string[] = [];
      await applyOn(table, AFTER, {
        atOnce: 1,
        after: async () => {
          reported.push(...pair.stray(await pair.allowed(table)));
        },
      });
      expect(reported).toEqual([]);
      expect(await pair.allowed(table)).toEqual(pair.allowedBy(AFTER));
      expect(await exportOn(table)).toEqual(pair.final);
      runs += 1;
      if (!ended) break;
    }
    expect(runs).toBeGreaterThan(transactions / size(15, 6));
  });
});
