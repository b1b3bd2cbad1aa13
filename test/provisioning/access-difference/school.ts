import { accessDifference } from '../../../provisioning/access-difference/access-difference.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import type { Item } from '../../../table/item.ts';
import { parseKey } from '../../../table/keys.ts';
import { applyOn, createMemoryWorld } from '../apply/support.ts';

/** A table with something of everything on which decisions rest. */
const SCHOOL = `
scopeTypes: { wing: { parents: [location] } }
modules: { reports: { sold: true } }
pages: { grades: {}, plans: {}, sums: { module: reports } }
permissions: [reports:read:list, reports:edit:list]
scopes:
  school: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: school }
  east: { type: wing, parent: north }
  south: { type: location, parent: school }
  other: { type: tenant }
roles:
  reader: { owner: school, allow: [grades] }
  teacher: { owner: school, allow: [plans], parent: reader }
  censor: { owner: school, deny: [plans] }
  lender: { allow: ["reports:*:*", sums] }
  helper: { global: true, allow: [grades] }
groups:
  staff: { scope: north, roles: [teacher] }
  few: { scope: east, roles: [lender] }
users:
  ann: { email: ann@x.example, groups: [staff, few] }
  ben: { email: ben@x.example, groups: [staff], grants: { school: [censor] } }
  cyd: { email: cyd@x.example, grants: { school: [teacher, lender], other: [lender] } }
  dan: { email: dan@x.example, admin: true }
  eve: { email: eve@x.example, globalRoles: [helper] }
  fay: { email: fay@x.example, assignments: [{ role: reader, scope: south }] }
  gus: { email: gus@x.example, assignments: [{ role: reader, scope: north, until: 2026-01-01T00:00:00Z }] }
subscriptions:
  - { scope: north, module: reports }
  - { scope: other, module: reports }
`;

export interface Sent {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The table, and what its tests ask. */
export async function createSchool() {
  const world = createMemoryWorld();
  await applyOn(world, SCHOOL);
  world.settle();
  const nodesOf = (type: string): readonly Item[] =>
    world.items().filter((item) => {
      const key = parseKey(item);
      return key?.form === 'node' && key.type === type;
    });
  return {
    ...world,
    nodesOf,
    idOf: (type: string, name: string): string =>
      String(nodesOf(type).find((item) => item.name === name || item.email === `${name}@x.example`)?.id),
    differenceBy: (...commands: readonly Sent[]) =>
      accessDifference(commands, { reader: world.reader, commands: COMMANDS, at: world.clock.now() }),
  };
}
