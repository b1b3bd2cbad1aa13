import { beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../../cli/manifest/steps.ts';
import { findingsOn } from '../../provisioning/findings.ts';
import { createWorld, type World } from '../../support/world.ts';
import { allowedIn, applyOn, exportOn, planOn } from './support.ts';

/** At no moment of an apply is anything allowed that neither the table as it was nor the manifest allows. */
const BEFORE = `
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
  cem: { assignments: [{ role: teacher, scope: south, from: 2026-01-01, until: 2026-02-01 }] }
  dan: { admin: true, groups: [gone] }
  eva: { status: disabled, groups: [sellers] }
  fay: { status: active, grants: { school: [seller, old] }, assignments: [{ role: helper, scope: north }] }
subscriptions:
  - { scope: north, module: lab }
`;
const AFTER = `
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
  - { scope: school, module: shop, until: 2027-01-01 }
`;

let world: World;
let subjects: readonly string[];
let scopes: readonly string[];
const PERMISSIONS = ['grades', 'plans', 'desk', 'maps', 'shop:sell:item', 'shop:buy:item', 'lab:use:room'];
let before: ReadonlySet<string>;
let after: ReadonlySet<string>;
let final: unknown;
const allowed = (of: World) => allowedIn(of, subjects, PERMISSIONS, scopes);

beforeAll(async () => {
  // Ids follow from names: they are the same in every table.
  const other = await createWorld();
  await applyOn(other, AFTER);
  world = await createWorld();
  await applyOn(world, BEFORE);
  const refs = new Set<string>();
  const places = new Set<string>();
  for (const each of [world, other]) {
    const { users, scopes: of } = (await exportOn(each)) as Record<
      string,
      Record<string, { id: string; type: string }>
    >;
    for (const { id } of Object.values(users ?? {})) refs.add(`user:${id}`);
    for (const { id, type } of Object.values(of ?? {})) places.add(`${type}:${id}`);
  }
  subjects = [...refs];
  scopes = [...places];
  before = await allowed(world);
  after = await allowed(other);
  final = await exportOn(other);
  expect(subjects.length).toBe(7);
  expect(scopes.length).toBe(5);
});

const stray = (now: ReadonlySet<string>) => [...now].filter((each) => !before.has(each) && !after.has(each));

describe.each([
  ['there', BEFORE, AFTER],
  ['and back', AFTER, BEFORE],
])('%s', (_, from, to) => {
  test('after every transaction nothing is allowed that neither the one nor the other allows', async () => {
    const table = await createWorld();
    await applyOn(table, from);
    const told: string[] = [];
    let taken = 0;
    await applyOn(table, to, {
      after: async ({ verb, kind, label }: Step) => {
        taken += 1;
        for (const each of stray(await allowed(table))) told.push(`${verb} ${kind} ${label}: ${each}`);
      },
    });
    expect(taken).toBeGreaterThan(30);
    expect(told).toEqual([]);
    expect(await allowed(table)).toEqual(to === AFTER ? after : before);
    expect((await planOn(table, to)).steps).toEqual([]);
    if (to === AFTER) expect(await exportOn(table)).toEqual(final);
    expect(await findingsOn(table)).toEqual([]);
  });
});

test('interrupted after any transaction and run again, it comes to the same', async () => {
  const table = await createWorld();
  let runs = 0;
  for (let stop = 1; ; stop += 5) {
    await applyOn(table, BEFORE);
    expect(await allowed(table)).toEqual(before);
    let left = stop;
    let ended = false;
    await applyOn(table, AFTER, {
      after: async () => {
        left -= 1;
        if (left === 0) throw new Error('stopped');
      },
    }).catch((error: Error) => {
      expect(error.message).toBe('stopped');
      ended = true;
    });
    const told: string[] = [];
    await applyOn(table, AFTER, {
      after: async () => {
        told.push(...stray(await allowed(table)));
      },
    });
    expect(told).toEqual([]);
    expect(await allowed(table)).toEqual(after);
    expect(await exportOn(table)).toEqual(final);
    runs += 1;
    if (!ended) break;
  }
  expect(runs).toBeGreaterThan(5);
  expect(await findingsOn(table)).toEqual([]);
}, 240_000);
