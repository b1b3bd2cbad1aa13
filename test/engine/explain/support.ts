import { parse } from 'yaml';
import { createExplainer, type Explanation } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** A question by the names in the world below. */
export interface Asked {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** ISO 8601. Default: the world's time. */
  readonly at?: string;
}

/** A world in which every reason occurs. */
const MANIFEST = `
permissions: ["doors:open:door", "doors:read:door", "hvac:set:climate"]
pages: [home, reports, unused]
modules: { hvac: { sold: true } }
scopes:
  Northwind: { id: northwind, type: client }
  Harbour: { id: harbour, type: project, parent: Northwind }
  Lighthouse: { id: lighthouse, type: building, parent: Harbour }
  Boathouse: { id: boathouse, type: building, parent: Harbour }
  Closed: { id: closed, type: project, parent: Northwind, status: on-hold }
  Mill: { id: mill, type: building, parent: Closed }
  Other: { id: other, type: client }
  Strict: { id: strict, type: tenant, combination: deny-overrides }
  Bluefin: { id: bluefin, type: account }
  Aurora: { id: aurora, type: enterprise }
  Borealis: { id: borealis, type: enterprise }
  Corona: { id: corona, type: enterprise }
  Routes: { id: routes, type: workstream, parent: Bluefin, enterprise: Aurora }
  Timetables: { id: timetables, type: workstream, parent: Bluefin, enterprise: Borealis }
  Sun: { id: sun, type: workstream, parent: Bluefin, enterprise: Corona }
roles:
  caretaker: { id: caretaker, allow: ["doors:open:door"] }
  head caretaker: { id: head-caretaker, parent: caretaker, allow: ["hvac:set:climate"] }
  doorman: { id: doorman, allow: ["doors:*:*"] }
  everything: { id: everything, global: true, allow: ["*:*:*"] }
  barred: { id: barred, deny: ["doors:open:door"] }
  other porter: { id: other-porter, owner: Other, allow: ["doors:open:door"] }
  own porter: { id: own-porter, owner: Northwind, allow: ["doors:open:door"] }
  idle: { id: idle }
  analyst: { id: analyst, allow: [reports] }
groups:
  porters: { id: porters, scope: Harbour, roles: [caretaker] }
  heads: { id: heads, scope: Lighthouse, roles: [head caretaker] }
  boatmen: { id: boatmen, scope: Boathouse, roles: [caretaker] }
  strangers: { id: strangers, scope: Other, roles: [other porter] }
  loafers: { id: loafers, scope: Lighthouse, roles: [idle] }
  barred ones: { id: barred-ones, scope: Harbour, roles: [barred] }
  strict: { id: strict, scope: Strict, roles: [caretaker, barred] }
users:
  gina: { id: gina, email: gina@example.com, groups: [porters] }
  hans: { id: hans, displayName: hans, groups: [heads] }
  asta: { id: asta, assignments: [{ role: caretaker, scope: Northwind, from: 2025-01-01 }] }
  paul: { id: paul, assignments: [{ role: doorman, scope: Harbour }] }
  olaf: { id: olaf, assignments: [{ role: own porter, scope: Harbour }] }
  tess: { id: tess, grants: { Northwind: [caretaker] } }
  glen: { id: glen, globalRoles: [everything] }
  ada: { id: ada, admin: true, groups: [porters] }
  mix: { id: mix, groups: [porters, barred ones] }
  bart: { id: bart, groups: [barred ones] }
  sid: { id: sid, groups: [strict] }
  dora: { id: dora, status: disabled, groups: [porters] }
  erna: { id: erna, until: "2026-01-01T00:00:00Z", groups: [porters] }
  nobody: { id: nobody }
  lazy: { id: lazy, groups: [loafers] }
  boris: { id: boris, groups: [boatmen] }
  carl:
    id: carl
    displayName: carl
    assignments:
      - { role: caretaker, scope: Lighthouse, until: "2025-06-30T00:00:00Z" }
      - { role: caretaker, scope: Harbour, from: 2027-01-01 }
  deep: { id: deep, assignments: [{ role: caretaker, scope: Lighthouse }] }
  fred:
    id: fred
    groups: [strangers]
    assignments: [{ role: other porter, scope: Other }]
    grants: { Other: [other porter] }
  petra: { id: petra, assignments: [{ role: analyst, scope: Bluefin }] }
licenses:
  - { account: Bluefin, enterprise: Aurora, from: 2024-01-01 }
  - { account: Bluefin, enterprise: Borealis, from: 2024-01-01, until: "2025-01-01T00:00:00Z" }
  - { account: Bluefin, enterprise: Corona, from: 2024-01-01, status: expired }
subscriptions:
  - { scope: Lighthouse, module: hvac, from: 2024-01-01, until: "2025-12-31T00:00:00Z" }
  - { scope: Northwind, module: hvac, from: 2024-01-01, status: expired }
`;

const TYPES = { roles: 'role', groups: 'group', users: 'user' };
/** What the names of the manifest refer to: a scope, where a group has the same name. */
const ref: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(parse(MANIFEST) as Record<string, Record<string, { id: string; type?: string }>>)
    .filter(([section]) => section === 'scopes' || section in TYPES)
    .reverse()
    .flatMap(([section, entries]) =>
      Object.entries(entries).map(([name, { id, type = TYPES[section as 'users'] }]) => [
        name,
        `${type}:${id}`,
      ]),
    ),
);

export async function createExplainedWorld() {
  const world = await createWorld(MANIFEST);
  const id = (key: string) => ref[key]?.split(':')[1];
  const question = ({ subject, permission, scope }: Asked) =>
    [ref[subject] ?? subject, permission, ref[scope] ?? scope] as const;
  const explainer = createExplainer({ reader: world.reader, clock: world.clock });

  /** Explains with an empty cache. */
  const explain = (asked: Asked): Promise<Explanation> =>
    createExplainer({ reader: world.reader, clock: world.clock }).explain(
      ...question(asked),
      asked.at === undefined ? {} : { at: Date.parse(asked.at) },
    );
  return { ...world, ref, id, explain, explainer, question };
}

export type ExplainedWorld = Awaited<ReturnType<typeof createExplainedWorld>>;
