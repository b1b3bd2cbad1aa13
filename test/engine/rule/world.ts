import { parse } from 'yaml';
import {
  createExplainer,
  type ExplainOptions,
  type Explanation,
  type Source,
} from '../../../engine/index.ts';
import { mean } from '../../support/external-groups.ts';
import { copyOf, createMemoryWorld, createWorld, type World } from '../../support/world.ts';

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
scopeTypes: { board: { parents: [workstream, board] }, record: { parents: [tenant] }, nook: { parents: [location] } }
subjectTypes: [device]
permissions:
  ["doors:open:door", "doors:read:door", "hvac:set:climate", "lifts:call:lift", "lamps:dim:lamp", "lamps:read:lamp",
   "books:lend:book", "books:shelve:book", "books:burn:book"]
pages: [home, reports, unused, lobby, till, safe, is-user, is-record, soft, owned, row, active, both, from-ip, masked]
modules: { hvac: { sold: true }, lifts: { sold: true } }
properties:
  - { of: "resource:record", name: status, type: string, source: stored }
  - { of: "resource:record", name: owner, type: string, source: passed }
  - { of: "subject:user", name: doorToken, type: string, source: stored }
  - { of: "subject:user", name: age, type: int, source: stored }
  - { of: action, name: soft, type: bool, source: passed }
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
  Board: { id: board, type: board, parent: Routes }
  Card: { id: card, type: board, parent: Board }
  Late: { id: late, type: board, parent: Timetables }
  Later: { id: later, type: board, parent: Late }
  Southwind: { id: southwind, type: client }
  Quay: { id: quay, type: project, parent: Southwind }
  Hall: { id: hall, type: location, parent: Strict }
  Nook: { id: nook, type: nook, parent: Hall }
  Library: { id: library, type: tenant }
  Open: { id: open, type: record, parent: Library, properties: { status: active } }
  Old: { id: old, type: record, parent: Library, properties: { status: archived } }
  Blank: { id: blank, type: record, parent: Library }
  Vault: { id: vault, type: tenant, combination: deny-overrides }
  Room: { id: room, type: location, parent: Vault }
  Annex: { id: annex, type: location, parent: Vault }
  VaultOpen: { id: vault-open, type: record, parent: Vault, properties: { status: active } }
  VaultOld: { id: vault-old, type: record, parent: Vault, properties: { status: archived } }
  VaultBlank: { id: vault-blank, type: record, parent: Vault }
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
  climate: { id: climate, owner: Southwind, allow: ["hvac:set:climate", "lifts:call:lift"] }
  by action: { id: by-action, owner: Library, allow: ["lamps:dim:*"] }
  by resource: { id: by-resource, owner: Library, allow: ["lamps:*:lamp"] }
  by module: { id: by-module, owner: Library, allow: ["lamps:*:*"] }
  by all: { id: by-all, owner: Library, allow: ["*:*:*"] }
  not lamps: { id: not-lamps, owner: Library, allow: ["books:*:*", "lamps:read:*", "lamps:read:lamp"] }
  master: { id: master, allow: ["lamps:dim:lamp"] }
  journeyman: { id: journeyman, owner: Library, parent: master, allow: ["lamps:read:*"] }
  apprentice: { id: apprentice, owner: Library, parent: journeyman }
  forbidding: { id: forbidding, deny: ["lamps:*:*"] }
  strict heir: { id: strict-heir, parent: forbidding }
  mixed: { id: mixed, allow: ["lamps:dim:lamp"], deny: ["lamps:dim:*"] }
  visitor: { id: visitor, owner: Library, allow: [lobby] }
  keeper: { id: keeper, owner: Vault, allow: [safe] }
  teller: { id: teller, owner: Vault, allow: [till] }
  untrusted: { id: untrusted, owner: Vault, deny: [till] }
  lender: { id: lender, global: true, allow: ["books:lend:book"] }
  banned: { id: banned, global: true, deny: ["books:lend:book"] }
  editor:
    id: editor
    global: true
    allow: [{ permission: "books:lend:book", when: subject.type == "user" && resource.properties.status != "archived" }]
  closer:
    { id: closer, global: true, deny: [{ permission: "books:lend:book", when: resource.properties.status == "archived" }] }
  wide: { id: wide, global: true, allow: [{ permission: "books:*:*", when: resource.properties.status == "active" }] }
  wide heir: { id: wide-heir, global: true, parent: wide }
  watcher:
    id: watcher
    global: true
    allow:
      - { permission: is-user, when: subject.type == "user" && subject.id == "lois" }
      - { permission: is-record, when: resource.type == "record" && resource.id == "open" }
      - { permission: "books:shelve:book", when: action.name == "shelve" }
      - { permission: "books:burn:book", when: action.name == "edit" }
      - { permission: soft, when: action.properties.soft }
      - { permission: owned, when: resource.properties.owner == subject.id }
      - { permission: row, when: resource.id == "row-7" }
      - { permission: active, when: resource.properties.status == "active" }
      - { permission: both, when: resource.properties.owner == subject.id && resource.properties.status == "active" }
      - permission: masked
        when: subject.properties.doorToken == "x8" && subject.properties.age == 4 && context.claims.nested == context.claims.nested
      - { permission: from-ip, when: context.ip == "10.0.0.1" }
groups:
  porters: { id: porters, scope: Harbour, roles: [caretaker] }
  heads: { id: heads, scope: Lighthouse, roles: [head caretaker] }
  boatmen: { id: boatmen, scope: Boathouse, roles: [caretaker] }
  strangers: { id: strangers, scope: Other, roles: [other porter] }
  loafers: { id: loafers, scope: Lighthouse, roles: [idle] }
  barred ones: { id: barred-ones, scope: Harbour, roles: [barred] }
  strict: { id: strict, scope: Strict, roles: [caretaker, barred] }
  All: { id: all, scope: Library, everyone: true, roles: [visitor] }
  Keepers: { id: keepers, scope: Room, roles: [keeper] }
  Tellers: { id: tellers, scope: Vault, roles: [teller] }
  Untrusted: { id: untrusted, scope: Vault, roles: [untrusted] }
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
  hugo: { id: hugo, assignments: [{ role: climate, scope: Quay }] }
  stan: { id: stan, grants: { Strict: [caretaker] } }
  lou: { id: lou, grants: { Library: [by all, by module, by resource, by action] } }
  noel: { id: noel, grants: { Library: [not lamps] } }
  apa: { id: apa, grants: { Library: [apprentice] } }
  max: { id: max, grants: { Library: [master] } }
  den: { id: den, grants: { Library: [master, strict heir], Vault: [master, strict heir] } }
  mia: { id: mia, grants: { Library: [mixed], Vault: [mixed] } }
  bea: { id: bea, globalRoles: [lender, banned] }
  edi: { id: edi, globalRoles: [editor] }
  rita: { id: rita, globalRoles: [lender, editor] }
  eban: { id: eban, globalRoles: [editor, banned] }
  cleo: { id: cleo, globalRoles: [lender, closer] }
  clod: { id: clod, globalRoles: [closer] }
  trio: { id: trio, globalRoles: [lender, closer, banned] }
  wida: { id: wida, globalRoles: [wide heir] }
  lois: { id: lois, properties: { doorToken: x7, age: 3 }, globalRoles: [watcher] }
technicalUsers: { robot: { id: robot, account: Bluefin } }
subjects:
  machine: { id: room, type: device }
  bot: { id: bot, type: agent, grants: { Northwind: [caretaker] } }
  poor: { id: poor, type: agent }
  free: { id: free, type: agent, mandateOptional: true, grants: { Northwind: [caretaker] } }
licenses:
  - { account: Bluefin, enterprise: Aurora, from: 2024-01-01 }
  - { account: Bluefin, enterprise: Borealis, from: 2024-01-01, until: "2025-01-01T00:00:00Z" }
  - { account: Bluefin, enterprise: Corona, from: 2024-01-01, status: expired }
subscriptions:
  - { scope: Lighthouse, module: hvac, from: 2024-01-01, until: "2025-12-31T00:00:00Z" }
  - { scope: Northwind, module: hvac, from: 2024-01-01, status: expired }
  - { scope: Southwind, module: hvac, from: 2024-01-01 }
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

export const sourceName = (from: Source): string => {
  const where = 'scope' in from ? ` at ${from.scope.name}` : '';
  return from.kind === 'group' ? `${from.group.name}${where}` : `${from.kind}${where}`;
};

/** As `porters at Harbour > caretaker > doors:open:door`. */
export const derivationNames = ({ items }: Explanation['allowedBy']): readonly string[] =>
  items.map(({ from, roles, by }) =>
    [sourceName(from), ...roles.map(({ name }) => name), ...(by ? [by.name] : [])].join(' > '),
  );

/** Whose tokens name groups of the vault. */
export const ISSUER = 'https://login.example.com';
const VAULT = 'tenant:vault';

async function furnish<W extends World>(world: W): Promise<W> {
  await mean(world, VAULT, ISSUER, {
    keys: ['keepers', 'location:room'],
    doors: ['tellers', VAULT],
    // No command lets a token name a group that denies.
    stop: ['untrusted', VAULT],
  });
  world.calls.length = 0;
  return world;
}

function asking<W extends World>(world: W) {
  const { reader, clock } = world;
  const id = (key: string) => ref[key]?.split(':')[1];
  const question = ({ subject, permission, scope }: Asked) =>
    [ref[subject] ?? subject, permission, ref[scope] ?? scope] as const;
  const explainer = createExplainer({ reader, clock });

  /** Explains with an empty cache. */
  const explain = (asked: Asked, more: ExplainOptions = {}): Promise<Explanation> =>
    createExplainer({ reader, clock }).explain(...question(asked), {
      ...more,
      ...(asked.at !== undefined && { at: Date.parse(asked.at) }),
    });
  return { ...world, ref, id, explain, explainer, question };
}

export const createRuleWorld = async () => asking(await furnish(await createWorld(MANIFEST)));

/** The same on the memory table in every tier, made once, at this instant if one is given. */
export async function createRuleWorlds(now?: number) {
  const made = createMemoryWorld([], now);
  await made.apply(MANIFEST);
  await furnish(made);
  return () => asking(copyOf(made));
}

export type RuleWorld = Awaited<ReturnType<typeof createRuleWorld>>;
